"""Load one frame whose stress is written in two forms, and look for its virial.

Exit status: 0 when the virial is there and right in both cases, 1 otherwise.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.getcwd())

import numpy as np

import dpdata

FRAME = """2
Lattice="4.0 0.0 0.0 0.0 4.0 0.0 0.0 0.0 4.0" Properties=species:S:1:pos:R:3:force:R:3 energy=-7.25 stress="{}" pbc="T T T"
Cu 0.0 0.0 0.0 0.1 0.0 0.0
Cu 2.0 2.0 2.0 -0.1 0.0 0.0
"""


def main():
    wrong = 0
    expected = -64.0 * np.array([[0.01, 0.004, 0.0], [0.004, 0.02, 0.0], [0.0, 0.0, 0.03]])
    for name, stress in (
        ("nine numbers", "0.01 0.004 0.0 0.004 0.02 0.0 0.0 0.0 0.03"),
        ("six numbers", "0.01 0.02 0.03 0.0 0.0 0.004"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "set.xyz")
            with open(path, "w") as file:
                file.write(FRAME.format(stress))
            (system,) = dpdata.MultiSystems().load_systems_from_file(path, fmt="extxyz")
        virials = system.data.get("virials")
        good = virials is not None and np.allclose(virials[0], expected, rtol=0, atol=1e-9)
        wrong += not good
        print(f"{name}: {'right' if good else 'no virial' if virials is None else 'wrong virial'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
