"""Measure an evenly bright bead on three grids; weights must not move its centre.

Exit status: 0 when the weighted centre is the plain one on each grid, 1 otherwise.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

import numpy as np

from skimage.measure import regionprops


def main():
    wrong = 0
    for spacing in ((1, 1), (1, 0.4), (0.25, 2)):
        bead = np.zeros((40, 40), dtype=int)
        bead[20:25, 10:20] = 1
        region = regionprops(bead, intensity_image=bead.astype(float), spacing=spacing)[0]
        plain, weighted = np.array(region.centroid), np.array(region.centroid_weighted)
        moved = float(np.abs(plain - weighted).max())
        wrong += moved > 1e-9
        print(f"spacing {spacing!s:10} centre {plain}  weighted {weighted}  apart by {moved:.3f}")
    print(f"{wrong} of 3 grids: the weighted centre is not the centre")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
