# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Beyond the report: dimensions by name, surfaces in any order, coordinates in the way."""

import numpy as np

from referee.wall import contract, probe


@probe
def isentropic(job):
    """Pressure, temperature and extras under the labels of `levels`, axes level, time, y, x."""
    import warnings

    import numpy as np
    import xarray as xr

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    arrays = {}
    for name, field in job["fields"].items():
        arrays[name] = xr.DataArray(
            field["values"], dims=field["dims"], attrs={"units": field["units"]}, name=name
        )
    coords = {"lev": ("lev", job["lev"], {"axis": "Z", **job["lev_attrs"]})}
    if job.get("time"):
        coords["time"] = np.arange(job["time"])
    auxiliary = {name: arrays[name] for name in job.get("auxiliary", [])}
    data = [arrays[name].assign_coords({**coords, **auxiliary}) for name in job["data"]]
    options = dict(job.get("options", {}))
    if job.get("pressure"):
        pressure = arrays[job["pressure"]]
        if job.get("pressure_coords", True):
            pressure = pressure.assign_coords(
                {n: c for n, c in coords.items() if n in pressure.dims}
            )
        options["pressure"] = pressure
    levels = units.Quantity(np.asarray(job["levels"], dtype=float), job.get("level_units", "K"))
    result = mpcalc.isentropic_interpolation_as_dataset(levels, *data, **options)

    answer = {"dims": {}, "left": sorted({d for v in result.variables.values() for d in v.dims})}
    answer["coords"] = sorted(str(name) for name in result.coords)
    answer["attrs"] = {
        str(n): {k: str(x) for k, x in v.attrs.items()} for n, v in result.variables.items()
    }
    labels = list(result["isentropic_level"].values)
    places = [int(np.argmin(np.abs(np.array(labels) - level))) for level in levels.m]
    answer["labels"] = [float(labels[place]) for place in places]
    order = [d for d in ("isentropic_level", "time", "y", "x") if d in result["pressure"].dims]
    for name, unit in (("pressure", "hPa"), ("temperature", "K"), *job.get("out", {}).items()):
        field = result[name]
        answer["dims"][name] = [str(d) for d in field.dims]
        field = field.metpy.convert_units(unit).metpy.dequantify()
        answer[name] = field.transpose(*order).isel(isentropic_level=places).values
    return answer


# The solver's own last place is 1e-13; the library's iteration stops below 1e-6 in ln p, and
# converges so fast that 1e-8 of the pressure is what it reaches.
PRESSURE_HPA = 2e-5
TEMPERATURE_K = 2e-6


def field(values, units, dims=("time", "lev", "y", "x")):
    return {"values": values, "units": units, "dims": list(dims)}


def assert_same(answer, expected, extra=None):
    names = ["pressure", "temperature"] + ([extra] if extra else [])
    limits = [PRESSURE_HPA, TEMPERATURE_K, 1e-9]
    for name, want, limit in zip(names, expected, limits, strict=False):
        got = answer[name]
        assert got.shape == want.shape, (name, got.shape, want.shape)
        assert np.array_equal(np.isnan(got), np.isnan(want)), name
        error = np.abs(got - want)[np.isfinite(want)].max()
        ok = error <= limit
        assert ok, (name, error)


ORDERS = (
    ("lev", "y", "x", "time"),
    ("y", "x", "lev", "time"),
    ("x", "time", "y", "lev"),
    ("time", "y", "lev", "x"),
    ("x", "y", "lev", "time"),
)
NATURAL = ("time", "lev", "y", "x")


def reordered(values, units, dims):
    moved = np.transpose(values, [NATURAL.index(d) for d in dims])
    return field(np.ascontiguousarray(moved), units, dims)


def columns(air, rng, **shape):
    # As many rows as columns: exchanging them raises no error.
    sigma, p = air.sigma_pressure(rng, **{"ny": 3, "nx": 3, "nt": 3, **shape})
    t = air.stable(rng, p)
    q = rng.uniform(0.1, 12.0, size=p.shape)
    levels = air.levels_within(rng, p, t)
    job = {
        "fields": {"T": field(t, "K"), "q": field(q, "g/kg"), "p": field(p, "hPa")},
        "data": ["T", "q"],
        "pressure": "p",
        "lev": sigma,
        "lev_attrs": {"units": "1"},
        "levels": levels,
        "out": {"q": "g/kg"},
    }
    return job, p, t, q


@contract("exploration")
def test_pressure_with_dimensions_in_another_order(candidate, air, rng):
    for dims in ORDERS:
        job, p, t, q = columns(air, rng)
        expected = air.surfaces(job["levels"], p, t, q)
        job["fields"]["p"] = reordered(p, "hPa", dims)
        answer = candidate(isentropic, job)
        assert_same(answer, expected, "q")
        assert answer["dims"]["pressure"] == ["time", "isentropic_level", "y", "x"]


@contract("exploration")
def test_data_with_the_vertical_anywhere(candidate, air, rng):
    for dims in ORDERS:
        job, p, t, q = columns(air, rng)
        expected = air.surfaces(job["levels"], p, t, q)
        job["fields"]["T"] = reordered(t, "K", dims)
        answer = candidate(isentropic, job)
        assert_same(answer, expected, "q")
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
        job["fields"] = {"T": reordered(t, "K", dims), "q": field(q, "g/kg")}
        job |= {"pressure": None, "lev": p[0, :, 0, 0].copy(), "lev_attrs": {"units": "hPa"}}
        answer = candidate(isentropic, {**job, "levels": levels})
        assert_same(answer, air.surfaces(levels, p, t, q), "q")


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
        job["fields"]["T"] = field(t, "K")
        job["fields"]["p"] = field(small, "hPa", dims)
        answer = candidate(isentropic, {**job, "levels": levels})
        assert_same(answer, air.surfaces(levels, p, t, q), "q")
        assert answer["dims"]["pressure"] == ["time", "isentropic_level", "y", "x"]


@contract("exploration")
def test_surfaces_in_any_order(candidate, air, rng):
    for how in ("falling", "mixed"):
        job, p, t, q = columns(air, rng)
        levels = job["levels"][::-1]
        if how == "mixed":
            levels = job["levels"][[2, 0, 3, 1]]
        answer = candidate(isentropic, {**job, "levels": np.ascontiguousarray(levels)})
        assert np.allclose(answer["labels"], levels, rtol=0, atol=1e-9)
        assert_same(answer, air.surfaces(levels, p, t, q), "q")


@contract("exploration")
def test_pressure_levels_and_surfaces_in_any_order(candidate, air, rng):
    job, p, _, q = columns(air, rng)
    p = np.broadcast_to(p[:1, :, :1, :1], p.shape)
    t = air.stable(rng, p)
    levels = air.levels_within(rng, p, t)[[1, 3, 0, 2]]
    down = ("lev", "time", "y", "x")
    job["fields"] = {"T": reordered(t, "K", down), "q": reordered(q, "g/kg", down)}
    job |= {"pressure": None, "lev": p[0, :, 0, 0].copy(), "lev_attrs": {"units": "hPa"}}
    answer = candidate(isentropic, {**job, "levels": levels})
    assert_same(answer, air.surfaces(levels, p, t, q), "q")


@contract("exploration")
def test_coordinates_of_the_model_levels_are_gone(candidate, air, rng):
    job, p, t, q = columns(air, rng)
    job["fields"]["number"] = field(np.arange(p.shape[1]), "1", ("lev",))
    job["fields"]["height"] = field(rng.uniform(0, 2e4, size=p.shape), "m")
    job["fields"]["ground"] = field(rng.uniform(0, 2e3, size=p.shape[2:]), "m", ("y", "x"))
    job |= {"auxiliary": ["number", "ground"], "time": p.shape[0]}
    answer = candidate(isentropic, job)
    assert_same(answer, air.surfaces(job["levels"], p, t, q), "q")
    assert answer["left"] == ["isentropic_level", "time", "x", "y"]
    assert answer["coords"] == ["ground", "isentropic_level", "time"]


@contract("exploration")
def test_pressure_as_a_coordinate_of_the_data(candidate, air, rng):
    for name in ("pressure", "p_model"):
        job, p, t, q = columns(air, rng)
        job["fields"][name] = field(p, "hPa")
        job |= {"auxiliary": [name], "pressure": "p"}
        answer = candidate(isentropic, job)
        assert_same(answer, air.surfaces(job["levels"], p, t, q), "q")
        assert answer["left"] == ["isentropic_level", "time", "x", "y"]
