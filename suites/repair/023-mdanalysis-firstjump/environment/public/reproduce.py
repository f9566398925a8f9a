"""Read wrapped files in which a particle crosses a face for the first time at frame 1, 2 or 3.

Exit status 0: each path is recovered. Exit status 1: at least one is not.
"""

import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
warnings.simplefilter("ignore")

import MDAnalysis as mda
import numpy as np
from MDAnalysis.transformations.nojump import NoJump

BOX = np.array([10.0, 12.0, 14.0, 90.0, 90.0, 90.0], dtype=np.float32)


def recovered(file, first):
    """Positions along x as they are read with NoJump, and as they are."""
    path = np.full((6, 1, 3), 5.0)
    path[:, 0, 0] = 2.5 * (first - 0.6) - 2.5 * np.arange(6)
    with mda.Writer(str(file), 1) as writer:
        u = mda.Universe.empty(1, trajectory=True)
        for frame in path:
            u.atoms.positions = frame % BOX[:3]
            u.dimensions = BOX
            writer.write(u.atoms)
    u = mda.Universe.empty(1, trajectory=True)
    u.load_new(str(file))
    u.trajectory.add_transformations(NoJump())
    return np.array([ts.positions[0, 0] for ts in u.trajectory]), path[:, 0, 0]


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for first in (1, 2, 3):
            found, path = recovered(Path(folder) / f"{first}.trr", first)
            good = np.abs(found - path).max() <= 0.01
            wrong += not good
            print(f"{'ok ' if good else 'BAD'}  first crossing at frame {first}: x = {np.round(found, 2)}")
    print(f"{wrong} of 3 paths are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
