"""Public checks: a tapered rod that drifts, its cross-sections that turn, and a rod without damping."""

import numpy as np

from referee.wall import contract, probe


@probe
def rates(nu, spin):
    import numba
    import numpy as np

    numba.config.DISABLE_JIT = True
    from elastica.memory_block import MemoryBlockCosseratRod
    from elastica.rod.cosserat_rod import CosseratRod

    rod = CosseratRod.straight_rod(
        5, np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]), 0.8,
        np.linspace(0.03, 0.01, 5), 1100.0, nu, 1e6, shear_modulus=4e5,
    )  # fmt: skip
    rod.velocity_collection[1] = 0.5
    rod.omega_collection[2] = spin
    block = MemoryBlockCosseratRod([rod])
    block.compute_internal_forces_and_torques(0.0)
    block.update_accelerations(0.0)
    return [rod.acceleration_collection[1] / 0.5, rod.alpha_collection[2] / spin]


@contract("knowledge")
def test_all_of_a_tapered_rod_slows_down_together(candidate):
    moved, _ = candidate(rates, 3.0, 2.0)
    # An unstressed rod has no other force: equal to rounding of sums of a few terms.
    assert np.abs(moved + 3.0).max() <= 1e-10


@contract("knowledge")
def test_so_do_its_cross_sections(candidate):
    _, turned = candidate(rates, 3.0, 2.0)
    assert np.abs(turned + 3.0).max() <= 1e-10


@contract("regression")
def test_without_damping_a_free_rod_drifts_on(candidate):
    moved, turned = candidate(rates, 0.0, 2.0)
    assert np.abs(moved).max() <= 1e-10
    assert np.abs(turned).max() <= 1e-10
