"""One image at five pixel scales: the exact reprojection must keep its flux at each.

Exit status 0: it does. Exit status 1: flux is lost or made.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
warnings.simplefilter("ignore")

import numpy as np
from astropy.wcs import WCS
from reproject import reproject_exact


def grid(arcsec, pixels, degrees):
    wcs = WCS(naxis=2)
    wcs.wcs.ctype = ["RA---TAN", "DEC--TAN"]
    wcs.wcs.crval = [150.1, 2.2]
    wcs.wcs.crpix = [(pixels + 1) / 2] * 2
    wcs.wcs.cdelt = [-arcsec / 3600, arcsec / 3600]
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    wcs.wcs.pc = [[c, -s], [s, c]]
    return wcs


def main():
    image = np.random.default_rng(61).uniform(1.0, 3.0, (8, 8))
    wrong = 0
    for arcsec in (120.0, 1.0, 0.1, 0.01, 0.001):
        seen, weight = reproject_exact(
            (image, grid(arcsec, 8, 0)), grid(1.25 * arcsec, 14, 25), shape_out=(14, 14)
        )
        # Over so small a field all pixels of a grid have the same solid angle, to a millionth.
        flux = np.nansum(seen * weight) * 1.25**2 / image.sum()
        area = np.nansum(weight) * 1.25**2 / image.size
        good = abs(flux - 1) < 1e-5 and abs(area - 1) < 1e-5
        wrong += not good
        print(
            f"{'ok ' if good else 'BAD'} pixels of {arcsec:7.3f} arcsec: "
            f"flux {flux:.6f} and area {area:.6f} of what came in"
        )
    print(f"{wrong} scales are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
