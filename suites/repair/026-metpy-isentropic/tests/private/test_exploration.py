# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Beyond the report: dimensions by name, surfaces in any order, coordinates in the way."""

import numpy as np

from referee.wall import contract


ORDERS = (
    ("lev", "y", "x", "time"),
    ("y", "x", "lev", "time"),
    ("x", "time", "y", "lev"),
    ("time", "y", "lev", "x"),
    ("x", "y", "lev", "time"),
)
NATURAL = ("time", "lev", "y", "x")


def reordered(air, values, units, dims):
    moved = np.transpose(values, [NATURAL.index(d) for d in dims])
    return air.field(np.ascontiguousarray(moved), units, dims)


def columns(air, rng):
    # As many rows as columns: exchanging them raises no error.
    return air.sigma_job(rng, nt=3, ny=3, nx=3)


@contract("exploration")
def test_pressure_with_dimensions_in_another_order(candidate, air, rng):
    for dims in ORDERS:
        job, p, t, q = columns(air, rng)
        expected = air.surfaces(job["levels"], p, t, q)
        job["fields"]["p"] = reordered(air, p, "hPa", dims)
        answer = candidate(air.isentropic, job)
        air.assert_same(answer, expected, "q")
        assert answer["dims"]["pressure"] == ["time", "isentropic_level", "y", "x"]


@contract("exploration")
def test_data_with_the_vertical_anywhere(candidate, air, rng):
    for dims in ORDERS:
        job, p, t, q = columns(air, rng)
        expected = air.surfaces(job["levels"], p, t, q)
        job["fields"]["T"] = reordered(air, t, "K", dims)
        answer = candidate(air.isentropic, job)
        air.assert_same(answer, expected, "q")
        wanted = ["isentropic_level" if d == "lev" else d for d in dims]
        for name in ("pressure", "temperature", "q"):
            assert answer["dims"][name] == wanted


@contract("exploration")
def test_pressure_levels_with_the_vertical_anywhere(candidate, air, rng):
    for dims in ORDERS:
        job, p, _, q = columns(air, rng)
        p = np.broadcast_to(p[:1, :, :1, :1], p.shape)
        t = air.stable(rng, p)
        levels = air.levels_within(rng, p, t)
        job["fields"] = {"T": reordered(air, t, "K", dims), "q": air.field(q, "g/kg")}
        job |= {"pressure": None, "lev": p[0, :, 0, 0].copy(), "lev_attrs": {"units": "hPa"}}
        answer = candidate(air.isentropic, {**job, "levels": levels})
        air.assert_same(answer, air.surfaces(levels, p, t, q), "q")


@contract("exploration")
def test_pressure_that_lacks_dimensions(candidate, air, rng):
    for dims in (("lev",), ("lev", "y", "x"), ("time", "lev"), ("lev", "time"), ("x", "lev")):
        job, p, _, q = columns(air, rng)
        for axis, name in enumerate(NATURAL):
            if name not in dims:
                p = np.broadcast_to(np.take(p, [0], axis=axis), p.shape)
        t = air.stable(rng, p)
        levels = air.levels_within(rng, p, t)
        keep = tuple(slice(None) if d in dims else 0 for d in NATURAL)
        small = p[keep]
        present = [d for d in NATURAL if d in dims]
        small = np.ascontiguousarray(np.transpose(small, [present.index(d) for d in dims]))
        job["fields"]["T"] = air.field(t, "K")
        job["fields"]["p"] = air.field(small, "hPa", dims)
        answer = candidate(air.isentropic, {**job, "levels": levels})
        air.assert_same(answer, air.surfaces(levels, p, t, q), "q")
        assert answer["dims"]["pressure"] == ["time", "isentropic_level", "y", "x"]


@contract("exploration")
def test_surfaces_in_any_order(candidate, air, rng):
    for how in ("falling", "mixed"):
        job, p, t, q = columns(air, rng)
        levels = job["levels"][::-1]
        if how == "mixed":
            levels = job["levels"][[2, 0, 3, 1]]
        answer = candidate(air.isentropic, {**job, "levels": np.ascontiguousarray(levels)})
        assert np.allclose(answer["labels"], levels, rtol=0, atol=1e-9)
        air.assert_same(answer, air.surfaces(levels, p, t, q), "q")


@contract("exploration")
def test_pressure_levels_and_surfaces_in_any_order(candidate, air, rng):
    job, p, _, q = columns(air, rng)
    p = np.broadcast_to(p[:1, :, :1, :1], p.shape)
    t = air.stable(rng, p)
    levels = air.levels_within(rng, p, t)[[1, 3, 0, 2]]
    down = ("lev", "time", "y", "x")
    job["fields"] = {"T": reordered(air, t, "K", down), "q": reordered(air, q, "g/kg", down)}
    job |= {"pressure": None, "lev": p[0, :, 0, 0].copy(), "lev_attrs": {"units": "hPa"}}
    answer = candidate(air.isentropic, {**job, "levels": levels})
    air.assert_same(answer, air.surfaces(levels, p, t, q), "q")


@contract("exploration")
def test_coordinates_of_the_model_levels_are_gone(candidate, air, rng):
    job, p, t, q = columns(air, rng)
    job["fields"]["number"] = air.field(np.arange(p.shape[1]), "1", ("lev",))
    job["fields"]["height"] = air.field(rng.uniform(0, 2e4, size=p.shape), "m")
    job["fields"]["ground"] = air.field(rng.uniform(0, 2e3, size=p.shape[2:]), "m", ("y", "x"))
    job |= {"auxiliary": ["number", "ground"], "time": p.shape[0]}
    answer = candidate(air.isentropic, job)
    air.assert_same(answer, air.surfaces(job["levels"], p, t, q), "q")
    assert answer["left"] == ["isentropic_level", "time", "x", "y"]
    assert answer["coords"] == ["ground", "isentropic_level", "time"]


@contract("exploration")
def test_pressure_as_a_coordinate_of_the_data(candidate, air, rng):
    for name in ("pressure", "p_model"):
        job, p, t, q = columns(air, rng)
        job["fields"][name] = air.field(p, "hPa")
        job |= {"auxiliary": [name], "pressure": "p"}
        answer = candidate(air.isentropic, job)
        air.assert_same(answer, air.surfaces(job["levels"], p, t, q), "q")
        assert answer["left"] == ["isentropic_level", "time", "x", "y"]
