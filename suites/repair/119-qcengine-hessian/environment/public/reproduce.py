"""Collect the results of two made-up Turbomole runs, each with its Hessian file.

Exit status 0: both Hessians come back. Exit status 1: at least one does not.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np
from qcelemental.models import Molecule
from qcengine.programs.turbomole.harvester import harvest

STDOUT = " |  total energy      =     -1.12870000000  |\n"
SPRING = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0.37]])
HESSIAN = np.block([[SPRING, -SPRING], [-SPRING, SPRING]])
HYDROGEN = Molecule(symbols=["H", "H"], geometry=[0, 0, 0, 0, 0, 1.4])


def group(name, matrix):
    lines = [name]
    for i, row in enumerate(matrix, 1):
        for k in range(0, len(row), 5):
            numbers = "".join(f"{x:15.10f}" for x in row[k : k + 5])
            lines.append(f"{i:3d}{k // 5 + 1:3d}{numbers}")
    return "\n".join(lines) + "\n"


def main():
    runs = {
        "aoforce": {"nprhessian": group("$nprhessian", HESSIAN) + "$end\n"},
        "NumForce": {
            "hessian": group("$hessian", HESSIAN) + group("$hessian (projected)", 0 * HESSIAN) + "$end\n"
        },
    }
    wrong = 0
    for name, files in runs.items():
        try:
            _, _, found = harvest(HYDROGEN, STDOUT, **files)
            good = found is not None and np.shape(found) == (6, 6) and np.allclose(found, HESSIAN)
            print(f"{'ok ' if good else 'BAD'}  {name:9} {'the Hessian of the file' if good else found}")
        except Exception as error:
            good = False
            print(f"BAD  {name:9} {type(error).__name__}: {error}")
        wrong += not good
    print(f"{wrong} of {len(runs)} Hessians are lost")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
