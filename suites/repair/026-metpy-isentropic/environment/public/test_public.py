"""Public checks: sigma levels, level ground, and what is no pressure."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract, probe

# The iteration ends far below its limit of 1e-6 in ln p.
CLOSURE_K = 1e-5


@probe
def isentropic(levels, t, p, sigma, give_pressure):
    import warnings

    import xarray as xr

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    dims = ("lev", "y", "x")
    coords = {"lev": ("lev", sigma, {"axis": "Z", "units": "1"})}
    t = xr.DataArray(t, dims=dims, coords=coords, attrs={"units": "K"}, name="T")
    p = xr.DataArray(p, dims=dims, coords=coords, attrs={"units": "hPa"}, name="p")
    more = {"pressure": p} if give_pressure else {}
    result = mpcalc.isentropic_interpolation_as_dataset(levels * units.K, t, **more)
    return [
        result["pressure"].metpy.convert_units("hPa").metpy.dequantify().values,
        result["temperature"].metpy.dequantify().values,
    ]


def model_output(ground):
    sigma = np.linspace(0.99, 0.08, 26)
    p = 20.0 + sigma[:, None, None] * (ground - 20.0)
    return sigma, p, 300.0 * (p / 1000.0) ** 0.19


@contract("knowledge")
def test_pressure_and_temperature_fit_the_surface(candidate):
    sigma, p, t = model_output(np.linspace(1000.0, 780.0, 12).reshape(3, 4))
    levels = np.array([310.0, 325.0])
    on_p, on_t = candidate(isentropic, levels, t, p, sigma, True)
    assert on_p.shape == on_t.shape == (2, 3, 4)
    miss = np.abs(on_t * (1000.0 / on_p) ** (2 / 7) - levels[:, None, None]).max()
    assert miss <= CLOSURE_K


@contract("coverage")
def test_level_ground_is_the_same_everywhere(candidate):
    sigma, p, t = model_output(np.full((3, 4), 990.0))
    on_p, _ = candidate(isentropic, np.array([310.0, 325.0]), t, p, sigma, True)
    assert np.abs(on_p - on_p[:, :1, :1]).max() <= 1e-9


@contract("regression")
def test_sigma_is_not_taken_for_a_pressure(candidate):
    sigma, p, t = model_output(np.full((3, 4), 990.0))
    with pytest.raises(CandidateError) as caught:
        candidate(isentropic, np.array([310.0]), t, p, sigma, False)
    assert caught.value.is_a("ValueError")
