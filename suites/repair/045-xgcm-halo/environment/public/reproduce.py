"""Pad a small cubed sphere by one cell and compare the halo with the table of links.

Exit status: 0 when everything is in its place, 1 when something is not.
"""

import os
import sys
import warnings

sys.path.insert(0, os.getcwd())
warnings.simplefilter("ignore")

import numpy as np
import xarray as xr
from xgcm import Grid
from xgcm.padding import pad

SIZE = 3
LINKS = {
    0: {"X": ((3, "X", False), (1, "X", False)), "Y": ((4, "Y", False), (5, "Y", False))},
    1: {"X": ((0, "X", False), (2, "X", False)), "Y": ((4, "X", False), (5, "X", True))},
    2: {"X": ((1, "X", False), (3, "X", False)), "Y": ((4, "Y", True), (5, "Y", True))},
    3: {"X": ((2, "X", False), (0, "X", False)), "Y": ((4, "X", True), (5, "X", False))},
    4: {"X": ((3, "Y", True), (1, "Y", False)), "Y": ((2, "Y", True), (0, "Y", False))},
    5: {"X": ((3, "Y", False), (1, "Y", True)), "Y": ((0, "Y", False), (2, "Y", True))},
}
CELLS = xr.Dataset(coords={"x": np.arange(SIZE), "y": np.arange(SIZE), "face": np.arange(6)})
GRID = Grid(
    CELLS,
    coords={"X": {"center": "x"}, "Y": {"center": "y"}},
    face_connections={"face": LINKS},
    autoparse_metadata=False,
)


def misplaced(array, first):
    """Halo cells that do not show the number of the neighbour; `first` is the axis of the rows."""
    second = "X" if first == "Y" else "Y"
    inner = slice(1, SIZE + 1)
    wrong = 0
    for face, links in LINKS.items():
        for end in (0, 1):
            row, column = array[face][-end, inner], array[face][inner, -end]
            wrong += int((row != links[first][end][0]).sum())
            wrong += int((column != links[second][end][0]).sum())
    return wrong


def main():
    bad = 0
    for dims in (("face", "y", "x"), ("face", "x", "y")):
        colour = np.broadcast_to(np.arange(6.0)[:, None, None], (6, SIZE, SIZE)).copy()
        field = xr.DataArray(colour, dims=dims)
        padded = pad(field, GRID, {"X": (1, 1), "Y": (1, 1)}, "fill", -9.0)
        wrong = misplaced(padded.values, dims[1].upper())
        good = padded.dims == dims and wrong == 0
        bad += not good
        print(f"{dims} becomes {padded.dims}, {wrong} halo cells misplaced")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
