# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Poisson relation, own columns, and an atmosphere in which interpolation is exact."""

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


def sigma_job(air, rng, **shape):
    sigma, p = air.sigma_pressure(rng, **shape)
    t = air.stable(rng, p)
    q = rng.uniform(0.1, 12.0, size=p.shape)
    job = {
        "fields": {"T": field(t, "K"), "q": field(q, "g/kg"), "p": field(p, "hPa")},
        "data": ["T", "q"],
        "pressure": "p",
        "lev": sigma,
        "lev_attrs": {"units": "1", "standard_name": "atmosphere_sigma_coordinate"},
        "levels": air.levels_within(rng, p, t),
        "out": {"q": "g/kg"},
    }
    return job, p, t, q


@contract("knowledge")
def test_pressure_and_temperature_belong_to_the_label(candidate, air, rng):
    job, _, _, _ = sigma_job(air, rng)
    answer = candidate(isentropic, job)
    assert np.allclose(answer["labels"], job["levels"], rtol=0, atol=1e-9)
    th = air.theta(answer["pressure"], answer["temperature"])
    wanted = np.asarray(answer["labels"])[:, None, None, None]
    assert np.isfinite(th).any()
    assert np.nanmax(np.abs(th - wanted)) <= 1e-6


@contract("knowledge")
def test_sigma_columns_against_their_own_solution(candidate, air, rng):
    for _ in range(2):
        job, p, t, q = sigma_job(air, rng)
        expected = air.surfaces(job["levels"], p, t, q)
        assert_same(candidate(isentropic, job), expected, "q")


@contract("knowledge")
def test_exact_atmosphere_does_not_know_its_levels(candidate, air, rng):
    """T = A + B ln p: surfaces lie where they lie, on any set of levels around them."""
    a, b = air.exact(rng, (2, 1, 3, 4))
    levels = np.sort(rng.uniform(318.0, 335.0, size=3))
    answers = []
    for nz, rising in ((30, False), (17, False), (23, True)):
        sigma, p = air.sigma_pressure(rng, nz=nz)
        if rising:
            sigma, p = sigma[::-1], p[:, ::-1]
        t = a + b * np.log(p / 1000.0)
        job = {
            "fields": {"T": field(t, "K"), "p": field(p, "hPa")},
            "data": ["T"],
            "pressure": "p",
            "lev": np.ascontiguousarray(sigma),
            "lev_attrs": {"units": "1"},
            "levels": levels,
        }
        answers.append(candidate(isentropic, job)["pressure"])
    grid = np.linspace(1000.0, 40.0, 40)
    job["fields"] = {"T": field(a + b * np.log(grid / 1000.0)[:, None, None], "K")}
    job |= {"lev": grid, "lev_attrs": {"units": "hPa"}, "pressure": None}
    job["fields"]["T"]["values"] = np.moveaxis(job["fields"]["T"]["values"], 1, 0)
    job["fields"]["T"]["dims"] = ["lev", "time", "y", "x"]
    answers.append(candidate(isentropic, job)["pressure"])
    for answer in answers:
        assert answer.shape == (3, 2, 3, 4)
        assert np.all(np.isfinite(answer))
        assert np.abs(answer - answers[0]).max() <= PRESSURE_HPA


@contract("knowledge")
def test_level_ground_makes_sigma_levels_pressure_levels(candidate, air, rng):
    sigma, p = air.sigma_pressure(rng, nt=1, ny=1, nx=1)
    p = np.broadcast_to(p, (1, p.shape[1], 3, 4))
    t = air.stable(rng, p)[0]
    q = rng.uniform(0, 10, size=t.shape)
    levels = air.levels_within(rng, p, t[None])
    dims = ("lev", "y", "x")
    fields = {"T": field(t, "K", dims), "q": field(q, "g/kg", dims)}
    fields["p"] = field(p[0].copy(), "hPa", dims)
    job = {"fields": fields, "data": ["T", "q"], "levels": levels, "out": {"q": "g/kg"}}
    by_sigma = candidate(
        isentropic, {**job, "lev": sigma, "lev_attrs": {"units": "1"}, "pressure": "p"}
    )
    by_pressure = candidate(
        isentropic, {**job, "lev": p[0, :, 0, 0].copy(), "lev_attrs": {"units": "hPa"}}
    )
    for name in ("pressure", "temperature", "q"):
        one, other = by_sigma[name], by_pressure[name]
        assert one.shape == (4, 3, 4)
        assert np.array_equal(np.isnan(one), np.isnan(other))
        assert np.nanmax(np.abs(one - other)) <= 1e-9


@contract("knowledge")
def test_surfaces_below_the_ground_and_above_the_top_are_missing(candidate, air, rng):
    job, p, t, q = sigma_job(air, rng)
    th = air.theta(p, t)
    levels = np.array([th[:, 0].mean(), th[:, 0].max() + 1.0, np.median(th[:, -1])])
    answer = candidate(isentropic, {**job, "levels": levels})
    expected = air.surfaces(levels, p, t, q)
    assert np.isnan(expected[0, 0]).any()
    assert np.isnan(expected[0, 2]).any()
    assert_same(answer, expected, "q")
