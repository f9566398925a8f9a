# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""Cells and atoms that a list made for liquids in large boxes would never meet."""

import numpy as np

from referee.wall import contract


@contract("exploration")
def test_cells_smaller_than_the_cutoff(candidate, atoms, rng):
    jobs, boxes = [], []
    for size in (1.2, 2.0, 3.0):
        box = atoms.cell(rng, size)
        jobs.append((atoms.places(rng, 2, box)[None], np.zeros((1, 2), dtype=int), box[None], 3.5))
        boxes.append(box)
    for answer, job, box in zip(candidate(atoms.build, jobs), jobs, boxes, strict=True):
        atoms.assert_edges(answer, job[0], 3.5, [box])


@contract("exploration")
def test_basis_vectors_in_any_order(candidate, atoms, rng):
    box = atoms.cell(rng, 3.0)
    coord = atoms.places(rng, 3, box)
    types = np.zeros((1, 3), dtype=int)
    boxes = [box[[1, 0, 2]], box[[0, 2, 1]], -box, box[[1, 2, 0]]]
    answers = candidate(atoms.build, [(coord[None], types, b[None], 3.6) for b in boxes])
    for answer, other in zip(answers, boxes, strict=True):
        atoms.assert_edges(answer, [coord], 3.6, [other])


@contract("exploration")
def test_atoms_outside_of_the_cell(candidate, atoms, rng):
    box = atoms.cell(rng, 3.2)
    coord = atoms.places(rng, 4, box)
    away = coord + rng.integers(-3, 4, (4, 3)) @ box
    away[0] = coord[0] + np.array([2, -3, 1]) @ box
    answer = candidate(atoms.build, [(away[None], np.zeros((1, 4), dtype=int), box[None], 3.0)])[0]
    atoms.assert_edges(answer, [coord], 3.0, [box])


@contract("exploration")
def test_flat_and_skew_cells(candidate, atoms, rng):
    flat = np.diag([5.0, 4.0, 0.9])
    skew = np.array([[3.0, 0.0, 0.0], [2.6, 1.5, 0.0], [1.0, 1.2, 2.0]])
    jobs = [
        (rng.uniform(0.0, 1.0, (1, 1, 3)) @ box, np.zeros((1, 1), dtype=int), box[None], 3.3)
        for box in (flat, skew)
    ]
    for answer, job, box in zip(candidate(atoms.build, jobs), jobs, (flat, skew), strict=True):
        atoms.assert_edges(answer, job[0], 3.3, [box])


@contract("exploration")
def test_an_atom_on_the_cutoff_is_a_neighbor(candidate, atoms):
    coord = np.array([[[0.0, 0.0, 0.0], [0.0, 3.0, 4.0], [0.0, 0.0, -5.5]]])
    answer = candidate(atoms.build, [(coord, np.zeros((1, 3), dtype=int), None, 5.0)])[0]
    assert sorted(answer[1].T[answer[3]].tolist()) == [[0, 1], [1, 0]]
