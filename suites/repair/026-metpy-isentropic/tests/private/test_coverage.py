# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""The same path with other units, orders of levels, kinds of vertical coordinate, and pressure."""

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


def columns(air, rng):
    sigma, p = air.sigma_pressure(rng)
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
    return job, air.surfaces(levels, p, t, q)


@contract("coverage")
def test_units_of_pressure_temperature_and_surfaces(candidate, air, rng):
    for unit, factor in (("Pa", 100.0), ("kPa", 0.1), ("mbar", 1.0)):
        job, expected = columns(air, rng)
        job["fields"]["p"] = field(job["fields"]["p"]["values"] * factor, unit)
        job["fields"]["T"] = field(job["fields"]["T"]["values"] - 273.15, "degC")
        assert_same(candidate(isentropic, job), expected, "q")


@contract("coverage")
def test_levels_from_the_top_down_or_in_no_order(candidate, air, rng):
    for _ in range(2):
        job, expected = columns(air, rng)
        order = rng.permutation(job["lev"].size)
        for name, one in job["fields"].items():
            job["fields"][name] = field(np.ascontiguousarray(one["values"][:, order]), one["units"])
        job["lev"] = np.ascontiguousarray(job["lev"][order])
        assert_same(candidate(isentropic, job), expected, "q")
    job, expected = columns(air, rng)
    for name, one in job["fields"].items():
        job["fields"][name] = field(np.ascontiguousarray(one["values"][:, ::-1]), one["units"])
    job["lev"] = np.ascontiguousarray(job["lev"][::-1])
    assert_same(candidate(isentropic, job), expected, "q")


@contract("coverage")
def test_kinds_of_vertical_coordinates(candidate, air, rng):
    kinds = (
        ({"units": "1", "standard_name": "atmosphere_hybrid_sigma_pressure_coordinate"}, None),
        ({"units": "m", "standard_name": "height", "positive": "up"}, "height"),
        ({"long_name": "model level"}, "number"),
        ({"units": "", "positive": "down"}, None),
    )
    for attrs, kind in kinds:
        job, expected = columns(air, rng)
        if kind == "height":
            job["lev"] = -7500.0 * np.log(job["lev"])
        if kind == "number":
            job["lev"] = np.arange(1.0, job["lev"].size + 1)
        assert_same(candidate(isentropic, {**job, "lev_attrs": attrs}), expected, "q")


@contract("coverage")
def test_given_pressure_goes_before_a_pressure_coordinate(candidate, air, rng):
    """A nominal pressure as the coordinate must not win over the pressure that is given."""
    job, expected = columns(air, rng)
    job |= {"lev": 1000.0 * job["lev"], "lev_attrs": {"units": "hPa"}}
    assert_same(candidate(isentropic, job), expected, "q")


@contract("coverage")
def test_pressure_without_coordinates_of_its_own(candidate, air, rng):
    job, expected = columns(air, rng)
    assert_same(candidate(isentropic, {**job, "pressure_coords": False}), expected, "q")


@contract("coverage")
def test_single_column_and_single_surface(candidate, air, rng):
    sigma, p = air.sigma_pressure(rng, nt=1, ny=1, nx=1)
    t = air.stable(rng, p)
    levels = air.levels_within(rng, p, t, count=1)
    expected = air.surfaces(levels, p, t, t)[:2, :, 0, 0]
    job = {
        "fields": {
            "T": field(t[0, :, 0].copy(), "K", ("lev", "x")),
            "p": field(p[0, :, 0].copy(), "hPa", ("lev", "x")),
        },
        "data": ["T"],
        "pressure": "p",
        "lev": sigma,
        "lev_attrs": {"units": "1"},
        "levels": levels,
    }
    assert_same(candidate(isentropic, job), expected)


@contract("coverage")
def test_search_from_the_top(candidate, air, rng):
    """In stable columns there is one crossing, so the direction of the search changes nothing."""
    job, expected = columns(air, rng)
    for options in ({"bottom_up_search": False}, {"max_iters": 80, "eps": 1e-8}):
        assert_same(candidate(isentropic, {**job, "options": options}), expected, "q")
