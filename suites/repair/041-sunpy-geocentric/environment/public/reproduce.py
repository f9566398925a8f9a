"""Turn three perpendicular vectors at the Earth's centre from GEI to GSE and back.

Exit status 0: they are only turned. Exit status 1: their lengths or angles change, or the result
depends on how long they are.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
warnings.simplefilter("ignore")

import astropy.units as u
import numpy as np
from astropy.coordinates import CartesianRepresentation
from astropy.utils import iers

from sunpy.coordinates import GeocentricEarthEquatorial, GeocentricSolarEcliptic

iers.conf.auto_download = False

TIMES = ("2004-02-29T03:00", "2021-09-17T12:00")
LENGTHS_KM = (0.001, 1.0, 6371.0, 400000.0)
ROUNDING = 1e-13


def main():
    wrong = 0
    for time in TIMES:
        gei = GeocentricEarthEquatorial(obstime=time, equinox=time)
        gse = GeocentricSolarEcliptic(obstime=time)
        for length in LENGTHS_KM:
            start = gei.realize_frame(CartesianRepresentation(np.eye(3) * length * u.km))
            turned = start.transform_to(gse)
            back = turned.transform_to(gei).cartesian.xyz.to_value(u.km) / length
            matrix = turned.cartesian.xyz.to_value(u.km) / length
            skew = np.abs(matrix.T @ matrix - np.eye(3)).max()
            loss = np.abs(back - np.eye(3)).max()
            good = max(skew, loss) < ROUNDING
            wrong += not good
            print(
                f"{'ok ' if good else 'BAD'}  {time}  {length:>8g} km:"
                f" lengths and angles {skew:.1e}, there and back {loss:.1e}"
            )
    print(f"{wrong} of {len(TIMES) * len(LENGTHS_KM)} triads are not just turned")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
