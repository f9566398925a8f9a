# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Data on pressure levels: the same numbers, names, attributes and refusals as before."""

import numpy as np

from referee.wall import contract, probe


@probe
def plain_levels(levels, p, t, q, axis, options):
    import warnings

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    result = mpcalc.isentropic_interpolation(
        levels * units.K, p * units.Pa, t * units.K, q * units("g/kg"), vertical_dim=axis, **options
    )
    return [one.magnitude for one in result]


@probe
def out_of_bounds(levels, give_units, options):
    import warnings

    import numpy as np
    import xarray as xr

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    p = np.linspace(1000.0, 100.0, 12)
    data = xr.DataArray(
        300.0 * (p[:, np.newaxis] / 1000.0) ** 0.19,
        dims=("lev", "x"),
        coords={"lev": ("lev", p, {"axis": "Z", "units": give_units})},
        attrs={"units": "K"},
        name="T",
    )
    try:
        result = mpcalc.isentropic_interpolation_as_dataset(levels * units.K, data, **options)
    except Exception as error:
        return type(error).__name__
    return result["pressure"].metpy.dequantify().values[:, 0]


def isobaric(air, rng, falling=True):
    p = np.sort(rng.uniform(60, 980, size=16))[::-1]
    p[0], p[-1] = 1000.0, 50.0
    full = np.broadcast_to(p[None, :, None, None], (1, 16, 3, 4))
    t = air.stable(rng, full)
    q = rng.uniform(0.1, 12.0, size=full.shape)
    if not falling:
        p, full, t, q = p[::-1].copy(), full[:, ::-1], t[:, ::-1], q[:, ::-1]
    return p, full, t, q, air.levels_within(rng, full, t)


@contract("regression")
def test_pressure_levels_as_a_dataset(candidate, air, rng):
    for falling in (True, False):
        p, full, t, q, levels = isobaric(air, rng, falling)
        dims = ("lev", "y", "x")
        job = {
            "fields": {
                "T": air.field(t[0].copy(), "K", dims),
                "q": air.field(q[0].copy(), "g/kg", dims),
            },
            "data": ["T", "q"], "levels": levels, "lev": p * 100, "out": {"q": "g/kg"},
            "lev_attrs": {"units": "Pa", "standard_name": "air_pressure"},
        }  # fmt: skip
        answer = candidate(air.isentropic, job)
        air.assert_same(answer, air.surfaces(levels, full, t, q)[:, :, 0], "q")
        assert answer["dims"]["q"] == ["isentropic_level", "y", "x"]
        assert answer["coords"] == ["isentropic_level"]
        assert answer["attrs"]["pressure"]["standard_name"] == "air_pressure"
        assert answer["attrs"]["temperature"]["standard_name"] == "air_temperature"
        assert answer["attrs"]["isentropic_level"]["positive"] == "up"
        assert answer["attrs"]["isentropic_level"]["units"] == "kelvin"


@contract("regression")
def test_pressure_levels_as_plain_arrays(candidate, air, rng):
    p, full, t, q, levels = isobaric(air, rng)
    expected = air.surfaces(levels, full, t, q)
    answer = candidate(
        plain_levels, levels, p * 100, t[0].copy(), q[0].copy(), 0, {"temperature_out": True}
    )
    for got, want, limit in zip(
        answer, expected[:, :, 0], (air.PRESSURE_HPA, air.TEMPERATURE_K, 1e-9), strict=True
    ):
        assert np.array_equal(np.isnan(got), np.isnan(want))
        assert np.nanmax(np.abs(got - want)) <= limit
    moved = [np.ascontiguousarray(np.moveaxis(v[0], 0, 2)) for v in (t, q)]
    answer = candidate(plain_levels, levels, p * 100, *moved, 2, {})
    for got, want in zip(answer, (expected[0, :, 0], expected[2, :, 0]), strict=True):
        assert np.nanmax(np.abs(got - np.moveaxis(want, 0, 2))) <= air.PRESSURE_HPA


@contract("regression")
def test_a_profile_of_pressure_along_the_last_axis(candidate, air, rng):
    """One-dimensional pressure lies along the vertical even where another axis is as long."""
    p = np.linspace(1000.0, 60.0, 12)
    full = np.broadcast_to(p[None, :, None, None], (1, 12, 12, 12))
    t = air.stable(rng, full)
    levels = air.levels_within(rng, full, t, count=2)
    expected = air.surfaces(levels, full, t, t)[:, :, 0]
    for axis in (0, 1, 2):
        moved = np.ascontiguousarray(np.moveaxis(t[0], 0, axis))
        answer = candidate(plain_levels, levels, p * 100, moved, moved, axis, {})
        assert np.nanmax(np.abs(np.moveaxis(answer[0], axis, 0) - expected[0])) <= air.PRESSURE_HPA


@contract("regression")
def test_refusals_and_missing_values_stay(candidate):
    assert candidate(out_of_bounds, np.array([900.0]), "hPa", {}) == "ValueError"
    assert candidate(out_of_bounds, np.array([310.0]), "1", {}) == "ValueError"
    assert candidate(out_of_bounds, np.array([310.0]), "m", {}) == "ValueError"
    below, within = candidate(out_of_bounds, np.array([290.0, 310.0]), "hPa", {})
    assert np.isnan(below)
    # T (1000/p)^k = 300 (1000/p)^(k - 0.19); the levels are fine enough for 1 hPa
    assert abs(within - 1000.0 * (310.0 / 300.0) ** (-1.0 / (2 / 7 - 0.19))) <= 2.0


@contract("regression")
def test_options_of_the_iteration_are_handed_on(candidate):
    """One step does not reach the default accuracy, and is enough for a very poor one."""
    levels = np.array([310.0, 330.0])
    assert candidate(out_of_bounds, levels, "hPa", {"max_iters": 1}) == "RuntimeError"
    poor = candidate(out_of_bounds, levels, "hPa", {"max_iters": 1, "eps": 1e3})
    assert np.all(np.isfinite(poor))


@contract("regression")
def test_the_search_begins_at_the_end_that_is_asked_for(candidate, air):
    """Potential temperature rises, falls and rises again, so that a surface lies at three places."""
    p = np.array([1000.0, 900.0, 800.0, 700.0, 600.0, 500.0, 400.0])
    th = np.array([290.0, 300.0, 310.0, 301.0, 303.0, 320.0, 330.0])
    t = th * (p / 1000.0) ** air.KAPPA
    shape = (1, 7, 1, 2)
    full, field = (np.broadcast_to(v[None, :, None, None], shape) for v in (p, t))
    levels = np.array([306.0])
    job = {
        "fields": {"T": air.field(field[0, :, 0].copy(), "K", ("lev", "x"))},
        "data": ["T"], "levels": levels, "lev": p, "lev_attrs": {"units": "hPa"},
    }  # fmt: skip
    first = air.surfaces(levels, full, field, field)[:2, :, 0, 0]
    # The upper layers alone have the surface at its last place.
    last = air.surfaces(levels, full[:, 3:], field[:, 3:], field[:, 3:])[:2, :, 0, 0]
    for options, expected in (({}, first), ({"bottom_up_search": False}, last)):
        answer = candidate(air.isentropic, {**job, "options": options})
        air.assert_same(answer, expected)
