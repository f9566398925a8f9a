"""Compare irradiances of the same moments written in UTC and in other zones.

Exit status: 0 when they agree, 1 when they differ.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

import numpy as np
import pandas as pd
import pvlib

UTC = pd.date_range("2022-03-14 00:00", periods=24, freq="1h", tz="UTC")
BRISBANE = pvlib.location.Location(-27.47, 153.03, tz="Australia/Brisbane", altitude=30)


def extraterrestrial(times):
    return pvlib.irradiance.get_extra_radiation(times)


def clear_sky(times):
    return BRISBANE.get_clearsky(times, linke_turbidity=3.5)["ghi"]


def largest_difference(quantity, zone):
    """In W/m2, over the hours of one UTC day."""
    reference = np.asarray(quantity(UTC), dtype=float)
    other = np.asarray(quantity(UTC.tz_convert(zone)), dtype=float)
    return float(np.max(np.abs(reference - other)))


def main():
    wrong = 0
    for quantity in (extraterrestrial, clear_sky):
        for zone in ("Australia/Brisbane", "America/Bogota"):
            difference = largest_difference(quantity, zone)
            good = difference <= 1e-9
            wrong += not good
            word = "agrees" if good else "differs"
            print(f"{quantity.__name__:17s} UTC and {zone:19s} {word:8s} {difference:.6f} W/m2")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
