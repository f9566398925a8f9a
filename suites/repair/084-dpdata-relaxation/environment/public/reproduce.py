"""Load a relaxation of three steps whose log prints the geometry of the first step only.

Exit status: 0 when all three steps are loaded with their own geometry, 1 otherwise.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.getcwd())

import numpy as np

import dpdata

BOHR = 0.529177210903
STRU = """ATOMIC_SPECIES
H 1.008 H.upf

LATTICE_CONSTANT
10.0

LATTICE_VECTORS
1.0 0.0 0.0
0.0 1.0 0.0
0.0 0.0 1.0

ATOMIC_POSITIONS
Direct

H
0.0
2
0.0 0.0 0.0 1 1 1
0.0 0.0 {} 1 1 1
"""
HEAD = """             number of atom for this type = 2
                  lattice constant (Bohr) = 10.0
 DIRECT COORDINATES
    atom x y z mag
tauc_H1 0.0 0.0 0.0 0.0
tauc_H2 0.0 0.0 0.20 0.0
 Lattice vectors: (Cartesian coordinate: in unit of a_0)
 +1.0 +0.0 +0.0
 +0.0 +1.0 +0.0
 +0.0 +0.0 +1.0
"""
STEP = """ final etot is {} eV
 TOTAL-FORCE (eV/Angstrom)
 ------
H1 0.0 0.0 {}
H2 0.0 0.0 {}
 ------
"""
HEIGHTS = (0.20, 0.19, 0.18)


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "OUT.ABACUS")
        os.mkdir(out)
        texts = {"INPUT": "INPUT_PARAMETERS\ncalculation relax\n", "STRU": STRU.format(0.20)}
        log = HEAD
        for k, height in enumerate(HEIGHTS):
            log += STEP.format(-30.0 - k, 0.3 - 0.1 * k, 0.1 * k - 0.3)
            if k:
                texts[f"OUT.ABACUS/STRU_ION{k}_D"] = STRU.format(height)
        texts["OUT.ABACUS/running_relax.log"] = log
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        system = dpdata.LabeledSystem(folder, fmt="abacus/relax")
    found = np.linalg.norm(system["coords"][:, 1] - system["coords"][:, 0], axis=1)
    wanted = np.array(HEIGHTS) * 10 * BOHR
    print("distances in angstrom, loaded:", found, "calculated:", wanted)
    return 0 if found.shape == wanted.shape and np.allclose(found, wanted, atol=1e-6) else 1


if __name__ == "__main__":
    sys.exit(main())
