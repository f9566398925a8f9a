"""Public checks: edges of a crystal, a pair of atoms without periodicity, and what is there already."""

import numpy as np

from referee.wall import contract, probe


@probe
def edges(coord, atype, box, rcut):
    from deepmd.dpmodel.utils import build_neighbor_graph

    graph = build_neighbor_graph(coord, atype, box, rcut)
    return [graph.n_node, graph.edge_index, graph.edge_vec, graph.edge_mask]


@probe
def images(coord, atype, box, rcut):
    from deepmd.dpmodel.utils import extend_coord_with_ghosts

    return list(extend_coord_with_ghosts(coord, atype, box, rcut))


@contract("exploration")
def test_simple_cubic_crystal(candidate):
    # One atom in a cell of 1: 6 neighbors at 1, 12 at 1.414, 8 at 1.732.
    answer = candidate(edges, np.zeros((1, 1, 3)), np.zeros((1, 1), dtype=int), np.eye(3)[None], 1.8)
    assert answer[3].tolist() == [True] * 26 + [False] * 2
    assert not answer[1].any()
    lengths = np.sort(np.linalg.norm(answer[2][:26], axis=1))
    assert np.abs(lengths - np.sqrt(np.repeat([1.0, 2.0, 3.0], [6, 12, 8]))).max() <= 1e-12


@contract("coverage")
def test_a_pair_of_atoms(candidate):
    coord = np.array([[[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]]])
    n_node, index, vec, mask = candidate(edges, coord, np.zeros((1, 2), dtype=int), None, 2.0)
    assert n_node.tolist() == [2]
    assert mask.tolist() == [True, True, False, False]
    found = sorted((*i, *v) for i, v in zip(index.T[:2].tolist(), vec[:2].tolist(), strict=True))
    assert found == [(0, 1, -1.0, -0.5, 0.0), (1, 0, 1.0, 0.5, 0.0)]


@contract("regression")
def test_images_are_made_as_before(candidate):
    coord, atype, mapping = candidate(
        images, np.zeros((1, 3)), np.array([[2]]), 3.0 * np.eye(3).reshape(1, 9), 2.0
    )
    assert coord.shape == (1, 81)
    assert set(np.abs(coord).ravel().tolist()) == {0.0, 3.0}
    assert set(atype.ravel().tolist()) == {2}
    assert not mapping.any()
