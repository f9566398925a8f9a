# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""Forces and virials belong to the energy."""

import numpy as np

from referee.wall import contract

RCUT = 3.0
NEAR = 1e-7
"""Differences of fourth order with a step of 1e-4, of energies of the order of 100: errors stay below 1e-9."""


def system(atoms, rng):
    box = atoms.cell(rng, 3.5)
    return atoms.places(rng, 4, box), box


def asked(candidate, atoms, coord, box):
    types = np.zeros((1, len(coord)), dtype=int)
    n_node, index, vec, mask = candidate(atoms.build, [(coord[None], types, box[None], RCUT)])[0]
    grad = np.full(vec.shape, 7.0)
    grad[mask] = atoms.gradient(vec[mask], index[1, mask], len(coord), RCUT)
    return candidate(atoms.forces, [(grad, vec, index, mask, n_node)])[0]


@contract("knowledge")
def test_forces_are_minus_the_derivative_by_positions(candidate, atoms, rng):
    coord, box = system(atoms, rng)

    def energy(x):
        _, dst, vec = atoms.brute(x, box, RCUT, reach=2)
        return atoms.energy(vec, dst, len(x), RCUT)

    force, _, _ = asked(candidate, atoms, coord, box)
    want = -atoms.derivative(energy, coord)
    assert force.shape == want.shape
    assert np.abs(want).max() > 1e-3
    assert np.abs(force - want).max() <= NEAR


@contract("knowledge")
def test_the_virial_is_minus_the_derivative_by_strain(candidate, atoms, rng):
    coord, box = system(atoms, rng)

    def energy(strain):
        turn = (np.eye(3) + strain).T
        _, dst, vec = atoms.brute(coord @ turn, box @ turn, RCUT, reach=2)
        return atoms.energy(vec, dst, len(coord), RCUT)

    _, atom, virial = asked(candidate, atoms, coord, box)
    want = -atoms.derivative(energy, np.zeros((3, 3)))
    assert virial.shape == (1, 3, 3)
    assert np.abs(virial[0] - want).max() <= NEAR
    assert np.abs(atom.sum(axis=0) - want).max() <= NEAR


@contract("knowledge")
def test_points_of_a_lattice_in_a_ball(candidate, atoms):
    # Simple cubic: 6, 18, 26, 32, 56, 80, 92, 122 points of |n|^2 <= 1, 2, 3, 4, 5, 6, 8, 9; a point on the ball counts.
    # Face-centered: 12, 18, 42 in shells at 1/sqrt(2), 1, sqrt(3/2).
    one, types = np.zeros((1, 1, 3)), np.zeros((1, 1), dtype=int)
    cubic = np.eye(3)[None]
    fcc = 0.5 * np.array([[[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]])
    jobs = [(one, types, cubic, r) for r in (1.0, 2.0, 3.0, np.sqrt(5.5))]
    jobs += [(one, types, fcc, r) for r in (0.8, 1.0, 1.3)]
    answers = candidate(atoms.build, jobs)
    counts = [int(a[3].sum()) for a in answers]
    assert counts == [6, 32, 122, 56, 12, 18, 42]
    for answer, job in zip(answers, jobs, strict=True):
        lengths = np.linalg.norm(answer[2][answer[3]], axis=1)
        assert lengths.min() > 0.5
        assert lengths.max() <= job[3] * (1.0 + 1e-12)


@contract("knowledge")
def test_forces_of_a_frame_cancel_for_any_gradient(candidate, atoms, rng):
    index = np.concatenate([rng.integers(0, 5, (2, 30)), rng.integers(5, 9, (2, 30))], axis=1)
    grad, vec = rng.normal(0.0, 1.0, (2, 60, 3))
    force, _, _ = candidate(atoms.forces, [(grad, vec, index, np.ones(60, dtype=bool), np.array([5, 4]))])[0]
    assert np.abs(force).max() > 0.1
    assert np.abs(force[:5].sum(axis=0)).max() <= atoms.ROUNDING
    assert np.abs(force[5:].sum(axis=0)).max() <= atoms.ROUNDING
