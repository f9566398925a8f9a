"""Public checks: the two runs of the public program, and a run without a Hessian."""

import numpy as np

from referee.wall import contract, probe

STDOUT = " |  total energy      =     -1.12870000000  |\n"
SPRING = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0.37]])
HESSIAN = np.block([[SPRING, -SPRING], [-SPRING, SPRING]])


@probe
def collect(stdout, files):
    from qcelemental.models import Molecule
    from qcengine.programs.turbomole.harvester import harvest

    hydrogen = Molecule(symbols=["H", "H"], geometry=[0, 0, 0, 0, 0, 1.4])
    found, gradient, hessian = harvest(hydrogen, stdout, **files)
    return {name: float(value) for name, value in found.items()}, gradient, hessian


def group(name, matrix):
    lines = [name]
    for i, row in enumerate(matrix, 1):
        for k in range(0, len(row), 5):
            numbers = "".join(f"{x:15.10f}" for x in row[k : k + 5])
            lines.append(f"{i:3d}{k // 5 + 1:3d}{numbers}")
    return "\n".join(lines) + "\n"


@contract("coverage")
def test_hessian_of_aoforce(candidate):
    files = {"nprhessian": group("$nprhessian", HESSIAN) + "$end\n"}
    found, _, hessian = candidate(collect, STDOUT, files)
    np.testing.assert_array_equal(hessian, HESSIAN)
    assert found["N ATOMS"] == 2


@contract("coverage")
def test_hessian_of_numforce(candidate):
    text = group("$hessian", HESSIAN) + group("$hessian (projected)", 0 * HESSIAN) + "$end\n"
    _, _, hessian = candidate(collect, STDOUT, {"hessian": text})
    np.testing.assert_array_equal(hessian, HESSIAN)


@contract("regression")
def test_energy_without_hessian(candidate):
    found, gradient, hessian = candidate(collect, STDOUT, {})
    assert found == {"HF TOTAL ENERGY": -1.1287, "CURRENT ENERGY": -1.1287}
    assert gradient is None
    assert hessian is None
