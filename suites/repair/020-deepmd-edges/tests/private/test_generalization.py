# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""Lists that exist, frames of different sizes, masked edges, and gradients without any symmetry."""

import numpy as np

from referee.wall import contract


@contract("generalization")
def test_any_gradient_on_frames_of_different_sizes(candidate, atoms, rng):
    sizes = np.array([3, 1, 6])
    index = np.concatenate([b + rng.integers(0, n, (2, 15)) for b, n in ((0, 3), (3, 1), (4, 6))], axis=1)
    order = rng.permutation(45)
    index = index[:, order]
    grad, vec = rng.normal(0.0, 1.0, (2, 45, 3))
    got = candidate(atoms.forces, [(grad, vec, index, np.ones(45, dtype=bool), sizes)])[0]
    for answer, want in zip(got, atoms.assemble(grad, vec, index, sizes), strict=True):
        assert answer.shape == want.shape
        assert np.abs(answer - want).max() <= atoms.ROUNDING


@contract("generalization")
def test_masked_edges_never_matter(candidate, atoms, rng):
    sizes = np.array([4, 4])
    index = np.concatenate([rng.integers(0, 4, (2, 12)), rng.integers(4, 8, (2, 12))], axis=1)
    grad, vec = rng.normal(0.0, 1.0, (2, 24, 3))
    mask = np.arange(24) % 3 > 0
    want = atoms.assemble(grad[mask], vec[mask], index[:, mask], sizes)
    jobs = []
    for junk in (5.0, np.nan, np.inf):
        g, v = grad.copy(), vec.copy()
        g[~mask], v[~mask] = junk, junk
        jobs.append((g, v, index, mask, sizes))
    for got in candidate(atoms.forces, jobs):
        for answer, expected in zip(got, want, strict=True):
            assert np.abs(answer - expected).max() <= atoms.ROUNDING


@contract("generalization")
def test_a_list_that_exists(candidate, atoms, rng):
    # Two frames of three atoms and four images, each with entries and gaps of its own.
    mapping = np.concatenate([np.tile([0, 1, 2], (2, 1)), rng.integers(0, 3, (2, 4))], axis=1)
    coord = rng.uniform(-5.0, 5.0, (2, 7, 3))
    nlist = np.array(
        [
            [[1, -1, 6, 5], [-1, -1, 0, 3], [4, 0, 1, -1]],
            [[-1, -1, -1, -1], [0, 2, 3, 6], [5, -1, 0, -1]],
        ]
    )
    want = [
        [3 * f + mapping[f, j], 3 * f + i, *(coord[f, j] - coord[f, i])]
        for f in range(2)
        for i in range(3)
        for j in nlist[f, i]
        if j >= 0
    ]
    for n_node, index, vec, mask in candidate(
        atoms.convert, [(coord, nlist, mapping), (coord.reshape(2, 21), nlist, mapping)]
    ):
        assert n_node.tolist() == [3, 3]
        assert index.dtype == np.int64
        assert mask.tolist() == [True] * len(want) + [False] * 2
        assert index.shape == (2, len(want) + 2)
        assert vec.shape == (len(want) + 2, 3)
        assert not vec[-2:].any()
        assert not index[:, -2:].any()
        atoms.assert_same_rows(np.column_stack([index.T[:-2], vec[:-2]]), np.array(want))


@contract("generalization")
def test_a_dense_list_with_room_for_all_makes_the_same_graph(candidate, atoms, rng):
    listed, fields = candidate(atoms.names)
    new = {"NeighborGraph", "build_neighbor_graph", "edge_force_virial", "from_dense_quartet", "segment_sum"}
    assert new <= set(listed)
    assert fields == [1, 2, 3, 4]
    box = atoms.cell(rng, 3.0)
    coord = atoms.places(rng, 3, box)
    job = (coord[None], np.zeros((1, 3), dtype=int), box[None], 3.2)
    extended, nlist, mapping = candidate(atoms.dense, *job, [150])
    answer = candidate(atoms.convert, [(extended, nlist, mapping)])[0]
    atoms.assert_edges(answer, [coord], 3.2, [box])
