# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Plain arrays, and refusals: pressure with many dimensions without xarray, and what is none."""

import numpy as np

from referee.wall import contract, probe


@probe
def plain(levels, p, t, q, axis, with_temperature):
    import warnings

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    result = mpcalc.isentropic_interpolation(
        levels * units.K,
        p * units.hPa,
        t * units.K,
        q * units("g/kg"),
        vertical_dim=axis,
        temperature_out=with_temperature,
    )
    return [
        one.to(unit).magnitude
        for one, unit in zip(
            result, ["hPa", "K", "g/kg"] if with_temperature else ["hPa", "g/kg"], strict=True
        )
    ]


@probe
def refusals(cases):
    import warnings

    import numpy as np
    import xarray as xr

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    answers = []
    p = np.linspace(1000.0, 100.0, 12)
    t = 300.0 * (p[:, np.newaxis] / 1000.0) ** 0.19
    for coordinate_units, pressure_units in cases:
        attrs = {"axis": "Z", "units": coordinate_units}
        data = xr.DataArray(
            t, dims=("lev", "x"), coords={"lev": ("lev", p, attrs)}, attrs={"units": "K"}, name="T"
        )
        more = {}
        if pressure_units is not None:
            more["pressure"] = xr.DataArray(p, dims=("lev",), attrs={"units": pressure_units})
        try:
            mpcalc.isentropic_interpolation_as_dataset([310.0] * units.K, data, **more)
        except ValueError as error:
            answers.append("pressure" in str(error))
        except Exception as error:
            answers.append(type(error).__name__)
        else:
            answers.append("accepted")
    return answers


def columns(air, rng):
    _, p = air.sigma_pressure(rng, ny=3, nx=3, nt=3)
    t = air.stable(rng, p)
    q = rng.uniform(0.1, 12.0, size=p.shape)
    return p, t, q, air.levels_within(rng, p, t, count=3)


def compare(air, got, want):
    assert got.shape == want.shape
    assert np.array_equal(np.isnan(got), np.isnan(want))
    error = np.abs(got - want)[np.isfinite(want)].max()
    ok = error <= air.PRESSURE_HPA
    assert ok, error


@contract("generalization")
def test_plain_arrays_with_pressure_for_every_point(candidate, air, rng):
    for axis in range(4):
        p, t, q, levels = columns(air, rng)
        expected = np.moveaxis(air.surfaces(levels, p, t, q), 1, axis + 1)
        move = [np.ascontiguousarray(np.moveaxis(v, 1, axis)) for v in (p, t, q)]
        # the expected arrays have axes level, time, y, x; the level goes where the vertical is
        answer = candidate(plain, levels, *move, axis, True)
        for got, want in zip(answer, expected, strict=True):
            compare(air, got, want)


@contract("generalization")
def test_plain_arrays_with_pressure_for_every_column(candidate, air, rng):
    """Pressure without the time, and with axes of length one."""
    for first in (slice(0, 1), 0):
        p, _, q, levels = columns(air, rng)
        p = np.broadcast_to(p[:1], p.shape)
        t = air.stable(rng, p)
        expected = np.moveaxis(air.surfaces(levels, p, t, q), 1, 2)
        answer = candidate(plain, levels, p[first].copy(), t, q, 1, False)
        for got, want in zip(answer, (expected[0], expected[2]), strict=True):
            compare(air, got, want)


@contract("generalization")
def test_two_dimensional_sections(candidate, air, rng):
    p, t, q, levels = columns(air, rng)
    expected = air.surfaces(levels, p, t, q)
    answer = candidate(
        plain, levels, p[0, :, 1].copy(), t[0, :, 1].copy(), q[0, :, 1].copy(), 0, True
    )
    for got, want in zip(answer, expected[:, :, 0, 1], strict=True):
        compare(air, got, want)
    across = [np.ascontiguousarray(v[1, :, :, 2].T) for v in (p, t, q)]
    answer = candidate(plain, levels, *across, 1, True)
    for got, want in zip(answer, expected[:, :, 1, :, 2], strict=True):
        compare(air, got, want.T)


@contract("generalization")
def test_data_without_time_or_columns_of_one_row(candidate, air, rng):
    for dims, shape in ((("lev", "y", "x"), {"nt": 1}), (("lev", "x"), {"nt": 1, "ny": 1})):
        sigma, p = air.sigma_pressure(rng, **shape)
        t = air.stable(rng, p)
        levels = air.levels_within(rng, p, t)
        pick = (0, slice(None), slice(None) if "y" in dims else 0)
        job = {
            "fields": {"T": air.field(t[pick].copy(), "K", dims), "p": air.field(p[pick].copy(), "hPa", dims)},
            "data": ["T"], "pressure": "p", "lev": sigma, "lev_attrs": {"units": "1"},
            "levels": levels,
        }  # fmt: skip
        expected = air.surfaces(levels, p, t, t)[:2, :, 0]
        if "y" not in dims:
            expected = expected[:, :, 0]
        air.assert_same(candidate(air.isentropic, job), expected)


@contract("generalization")
def test_extra_variables_with_their_own_dimensions(candidate, air, rng):
    sigma, p = air.sigma_pressure(rng)
    t = air.stable(rng, p)
    q = np.broadcast_to(rng.uniform(0, 10, size=p.shape[1])[None, :, None, None], p.shape)
    levels = air.levels_within(rng, p, t)
    fields = {"T": air.field(t, "K"), "p": air.field(p, "hPa")}
    fields["q"] = air.field(q[0, :, 0, 0].copy(), "g/kg", ("lev",))
    job = {
        "fields": fields, "data": ["T", "q"], "pressure": "p", "lev": sigma,
        "lev_attrs": {"units": "1"}, "levels": levels, "out": {"q": "g/kg"},
    }  # fmt: skip
    air.assert_same(candidate(air.isentropic, job), air.surfaces(levels, p, t, q), "q")


@contract("generalization")
def test_what_is_no_pressure_is_refused(candidate):
    cases = [("hPa", "m"), ("hPa", ""), ("1", "K"), ("1", "1"), ("m", "m"), ("hPa", "degC")]
    answers = candidate(refusals, cases)
    assert answers == [True] * len(cases), answers
