# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""Frames, shapes, virtual atoms, and clusters without periodicity."""

import numpy as np

from referee.wall import contract


@contract("coverage")
def test_frames_with_boxes_of_their_own(candidate, atoms, rng):
    boxes = np.array([atoms.cell(rng, s) for s in (2.5, 4.0, 3.0)])
    frames = np.array([atoms.places(rng, 3, b) for b in boxes])
    types = np.zeros((3, 3), dtype=int)
    shapes = [(frames, boxes), (frames.reshape(3, 9), boxes.reshape(3, 9))]
    for answer in candidate(atoms.build, [(c, types, b, 2.8) for c, b in shapes]):
        atoms.assert_edges(answer, frames, 2.8, boxes)


@contract("coverage")
def test_clusters_without_a_box(candidate, atoms, rng):
    frames = np.array([atoms.places(rng, 6, 6.0 * np.eye(3), 0.2) * 1.3 - 2.0 for _ in range(2)])
    types = np.zeros((2, 6), dtype=int)
    jobs = [(frames, types, None, 4.0), (frames.reshape(2, 18), types, None, 4.0)]
    for answer in candidate(atoms.build, jobs):
        atoms.assert_edges(answer, frames, 4.0, None)


@contract("coverage")
def test_virtual_atoms_have_no_edges(candidate, atoms, rng):
    boxes = np.array([atoms.cell(rng, 3.0) for _ in range(2)])
    frames = np.array([atoms.places(rng, 4, b) for b in boxes])
    types = np.array([[0, -1, 1, 2], [-2, 0, 1, -1]])
    periodic, alone = candidate(
        atoms.build, [(frames, types, boxes, 3.3), (frames[:1], types[:1], None, 6.0)]
    )
    atoms.assert_edges(periodic, frames, 3.3, boxes, types)
    atoms.assert_edges(alone, frames[:1], 6.0, None, types[:1])


@contract("coverage")
def test_atoms_without_neighbors(candidate, atoms):
    coord = np.array([[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]]])
    graph = candidate(atoms.build, [(coord, np.zeros((1, 2), dtype=int), None, 2.0)])[0]
    n_node, index, vec, mask = graph
    assert [n_node.tolist(), index.tolist(), vec.tolist(), mask.tolist()] == [
        [2],
        [[0, 0], [0, 0]],
        [[0.0] * 3] * 2,
        [False, False],
    ]
    force, atom, virial = candidate(atoms.forces, [(vec + 1.0, vec, index, mask, n_node)])[0]
    assert force.tolist() == [[0.0] * 3] * 2
    assert atom.shape == (2, 3, 3)
    assert virial.tolist() == [[[0.0] * 3] * 3]


@contract("coverage")
def test_single_precision_stays_single(candidate, atoms, rng):
    coord = rng.uniform(0.0, 2.0, (1, 5, 3)).astype(np.float32)
    _, index, vec, mask = candidate(atoms.build, [(coord, np.zeros((1, 5), dtype=int), None, 4.0)])[0]
    assert vec.dtype == np.float32
    assert mask.sum() == 20
    want = coord[0][index[0, :20]] - coord[0][index[1, :20]]
    # Rounding of single precision, for numbers of the order of one.
    assert np.abs(vec[:20] - want).max() <= 1e-5


@contract("coverage")
def test_sums_by_index(candidate, atoms, rng):
    index = rng.integers(0, 5, 40)
    flat, rows = rng.normal(0.0, 1.0, 40), rng.normal(0.0, 1.0, (40, 3, 2)).astype(np.float32)
    whole = rng.integers(-9, 9, (40, 2))
    got = candidate(
        atoms.sums, [(flat, index, 7), (rows, index, 7), (whole, index, 7), (rows[:0], index[:0], 2)]
    )
    for values, answer in zip((flat, rows, whole), got, strict=False):
        assert answer.dtype == values.dtype
        assert answer.shape == (7, *values.shape[1:])
        want = np.array([values[index == k].sum(axis=0) for k in range(7)])
        # Single precision, sums of about ten numbers of the order of one.
        assert np.abs(answer - want).max() <= 1e-5
    assert got[3].dtype == np.float32
    assert got[3].tolist() == np.zeros((2, 3, 2)).tolist()
