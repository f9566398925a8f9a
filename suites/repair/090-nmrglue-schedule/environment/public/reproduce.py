"""Write a small sparse acquisition, read it, and look for its FIDs on the grid.

Exit status 0: all are in their places. Exit status 1: something is missing or wrong.
"""

import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402

import nmrglue as ng  # noqa: E402

POINTS = [(5,), (0,), (7,), (2,)]
GRID = (16, 32)


def acquisition(folder):
    """A ser file with complex FIDs that count upwards, its parameters and its schedule."""
    head = "##TITLE= Parameter file\n##JCAMPDX= 5.0\n"
    text = "##$AQ_mod= 3\n##$BYTORDA= 0\n##$DTYPA= 0\n##$FnTYPE= 2\n##$TD= 64\n##$PULPROG= <zg>\n"
    (folder / "acqus").write_text(f"{head}{text}##END=\n")
    (folder / "acqu2s").write_text(f"{head}##$TD= 16\n##END=\n")
    (folder / "nuslist").write_text("".join(f"{p}\n" for (p,) in POINTS))
    values = np.arange(1, 8 * 64 + 1, dtype="<i4")
    values.tofile(folder / "ser")
    values = values.reshape(8, 32, 2)
    return values[..., 0] + 1j * values[..., 1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        fids = acquisition(Path(folder))
        dic, data = ng.bruker.read(folder, shape=(8, 32), cplex=True, read_pulseprogram=False)
    schedule = dic.get("nuslist")
    print("schedule that was read:", schedule)
    if schedule != POINTS:
        print("BAD  the schedule was lost")
        return 1
    expand = getattr(ng.proc_base, "expand_nus", None)
    if expand is None:
        print("BAD  nothing puts FIDs on a grid")
        return 1
    grid = expand(data, GRID, schedule)
    places = [2 * p + q for (p,) in POINTS for q in (0, 1)]
    gaps = np.setdiff1d(np.arange(GRID[0]), places)
    ok = np.array_equal(grid[places], fids) and not grid[gaps].any()
    print(f"{'ok ' if ok else 'BAD'}  {len(places)} FIDs on {GRID[0]} indices")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
