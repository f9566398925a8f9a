"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

FRAME = """2
Lattice="4.0 0.0 0.0 0.0 4.0 0.0 0.0 0.0 4.0" Properties=species:S:1:pos:R:3:force:R:3 energy=-7.25 {} pbc="T T T"
Cu 0.0 0.0 0.0 0.1 0.0 0.0
Cu 2.0 2.0 2.0 -0.1 0.0 0.0
"""
STRESS = np.array([[0.01, 0.004, 0.0], [0.004, 0.02, 0.0], [0.0, 0.0, 0.03]])


@probe
def virials(text):
    import os
    import tempfile

    import dpdata

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "set.xyz")
        with open(path, "w") as file:
            file.write(text)
        (system,) = dpdata.MultiSystems().load_systems_from_file(path, fmt="extxyz")
    return system.data.get("virials")


@contract("knowledge")
def test_a_stress_with_nine_numbers(candidate):
    label = 'stress="0.01 0.004 0.0 0.004 0.02 0.0 0.0 0.0 0.03"'
    got = candidate(virials, FRAME.format(label))
    np.testing.assert_allclose(got, [-64 * STRESS], rtol=0, atol=1e-9)


@contract("knowledge")
def test_a_stress_with_six_numbers(candidate):
    got = candidate(virials, FRAME.format('stress="0.01 0.02 0.03 0.0 0.0 0.004"'))
    np.testing.assert_allclose(got, [-64 * STRESS], rtol=0, atol=1e-9)


@contract("regression")
def test_a_virial_is_kept(candidate):
    got = candidate(virials, FRAME.format('virial="1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0"'))
    np.testing.assert_allclose(got, [np.arange(1.0, 10.0).reshape(3, 3)], rtol=0, atol=1e-9)
