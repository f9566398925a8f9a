"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

BOHR = 0.529177210903
CELL = "1.0 0.0 0.0\n0.0 1.0 0.0\n0.0 0.0 1.0\n"
STRU = "ATOMIC_SPECIES\nH 1.008 H.upf\n\nLATTICE_CONSTANT\n10.0\n\nLATTICE_VECTORS\n" + CELL
STRU += "\nATOMIC_POSITIONS\nDirect\n\nH\n0.0\n2\n0.0 0.0 0.0 1 1 1\n0.0 0.0 {} 1 1 1\n"
HEAD = "             number of atom for this type = 2\n"
HEAD += "                  lattice constant (Bohr) = 10.0\n"
TABLE = " DIRECT COORDINATES\n    atom x y z mag\ntauc_H1 0.0 0.0 0.0 0.0\ntauc_H2 0.0 0.0 {} 0.0\n"
VECTORS = " Lattice vectors: (Cartesian coordinate: in unit of a_0)\n" + CELL
STEP = " final etot is {} eV\n TOTAL-FORCE (eV/Angstrom)\n ------\nH1 0.0 0.0 {}\nH2 0.0 0.0 {}\n ------\n"
HEIGHTS = [0.20, 0.19, 0.18]


@probe
def load(files):
    import os
    import tempfile

    import dpdata
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "OUT.ABACUS"))
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        system = dpdata.LabeledSystem(folder, fmt="abacus/relax")
    return {key: np.array(system[key]) for key in ("coords", "energies", "forces")}


def holds(got):
    assert np.shape(got["coords"]) == (3, 2, 3)
    heights = (got["coords"][:, 1] - got["coords"][:, 0])[:, 2]
    np.testing.assert_allclose(heights, np.array(HEIGHTS) * 10 * BOHR, rtol=0, atol=1e-6)
    np.testing.assert_allclose(got["energies"], [-30.0, -31.0, -32.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(got["forces"][:, 0, 2], [0.3, 0.2, 0.1], rtol=0, atol=1e-9)


def run(printed):
    files = {"INPUT": "INPUT_PARAMETERS\ncalculation relax\n", "STRU": STRU.format(0.20)}
    log = HEAD
    for k, height in enumerate(HEIGHTS):
        if k < printed:
            log += TABLE.format(height) + ("" if k else VECTORS)
        log += STEP.format(-30.0 - k, 0.3 - 0.1 * k, 0.1 * k - 0.3)
        if k:
            files[f"OUT.ABACUS/STRU_ION{k}_D"] = STRU.format(height)
    return {**files, "OUT.ABACUS/running_relax.log": log}


@contract("reported-case")
def test_geometries_beside_the_log(candidate):
    holds(candidate(load, run(1)))


@contract("regression")
def test_geometries_in_the_log(candidate):
    holds(candidate(load, run(3)))
