"""Bring sigma-level data to two isentropic surfaces.

Exit status 0: possible, and pressure and temperature fit the surfaces. Exit status 1: not so.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd() / "src"))
warnings.simplefilter("ignore")

import numpy as np
import xarray as xr

import metpy.calc as mpcalc
from metpy.units import units


def model_output():
    """26 levels over 3 x 4 points; the ground rises from 1000 to 780 hPa."""
    sigma = np.linspace(0.99, 0.08, 26)
    ground = np.linspace(1000.0, 780.0, 12).reshape(3, 4)
    p = 20.0 + sigma[:, None, None] * (ground - 20.0)
    t = 300.0 * (p / 1000.0) ** 0.19
    dims = ("lev", "y", "x")
    lev = ("lev", sigma, {"standard_name": "atmosphere_sigma_coordinate", "axis": "Z", "units": "1"})
    return xr.Dataset(
        {"T": (dims, t, {"units": "K"}), "p": (dims, p, {"units": "hPa"})},
        coords={"lev": lev, "y": np.arange(3), "x": np.arange(4)},
    )


def main():
    data = model_output()
    levels = [310.0, 325.0] * units.K
    try:
        result = mpcalc.isentropic_interpolation_as_dataset(
            levels, data["T"], pressure=data["p"]
        )
    except Exception as error:
        print(f"BAD  {type(error).__name__}: {error}")
        return 1
    p = result["pressure"].metpy.convert_units("hPa").metpy.dequantify().values
    t = result["temperature"].metpy.dequantify().values
    miss = np.nanmax(np.abs(t * (1000.0 / p) ** (2 / 7) - levels.m[:, None, None]))
    found = np.isfinite(p).mean()
    good = miss < 1e-5 and found == 1.0
    print(f"{'ok ' if good else 'BAD'}  surfaces missed by {miss:.1e} K, {found:.0%} of the points found")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
