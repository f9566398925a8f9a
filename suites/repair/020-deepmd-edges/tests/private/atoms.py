# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""Atoms in cells, all their neighbors by counting, an energy, and the probes of all checks.

Neighbors are found here by trying each lattice vector of a generous range, with no cell geometry at all.
"""

import itertools

import numpy as np

from referee.wall import probe

ROUNDING = 1e-9
"""Positions are of the order of ten; edge vectors come from sums of a few such numbers."""


def cell(rng, size):
    """A skew right-handed cell with planes about `size` apart."""
    skew = np.eye(3) + np.tril(rng.uniform(-0.3, 0.3, (3, 3)), -1)
    return size * skew * rng.uniform(0.8, 1.2, (3, 1))


def places(rng, count, box, apart=0.35):
    """Positions in a cell that keep apart from each other and from all images, in units of its size."""
    size = np.cbrt(abs(np.linalg.det(box)))
    found = []
    shifts = np.array(list(itertools.product((-1, 0, 1), repeat=3))) @ box
    while len(found) < count:
        new = rng.uniform(0.0, 1.0, 3) @ box
        if all(np.linalg.norm(new - old + shifts, axis=1).min() > apart * size for old in found):
            found.append(new)
    return np.array(found)


def brute(coord, box, rcut, real=None, reach=6):
    """All edges of one frame: arrays of neighbors, centers and vectors."""
    n = len(coord)
    real = np.ones(n, dtype=bool) if real is None else real
    steps = np.arange(-reach, reach + 1)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    shifts = np.zeros((1, 3)) if box is None else grid @ box
    vec = coord[:, None, None] - coord[None, :, None] + shifts  # neighbor, center, image
    length = np.linalg.norm(vec, axis=-1)
    src, dst, image = np.nonzero((length <= rcut) & (length > 1e-6) & real[:, None, None] & real[None, :, None])
    return src, dst, vec[src, dst, image]


def assert_edges(answer, frames, rcut, boxes, types=None):
    """The answer of `build` has exactly the edges of these frames, and two guards behind them."""
    n_node, index, vec, mask = answer
    sizes = [len(f) for f in frames]
    assert n_node.dtype == np.int64
    assert n_node.tolist() == sizes
    want = []
    for k, coord in enumerate(frames):
        real = None if types is None else types[k] >= 0
        src, dst, v = brute(coord, None if boxes is None else boxes[k], rcut, real)
        want.append(np.column_stack([src + k * sizes[0], dst + k * sizes[0], v]))
    want = np.vstack(want)
    count = len(want)
    assert count > 0
    assert index.dtype == np.int64
    assert index.shape == (2, count + 2)
    assert vec.shape == (count + 2, 3)
    assert mask.dtype == bool
    assert mask.tolist() == [True] * count + [False] * 2
    assert not index[:, count:].any()
    assert not vec[count:].any()
    assert_same_rows(np.column_stack([index.T[:count], vec[:count]]), want)


def assert_same_rows(got, want):
    """The same rows in any order, to rounding."""
    assert got.shape == want.shape
    apart = np.abs(got[:, None] - want[None]).max(axis=-1) <= ROUNDING
    assert (apart.sum(axis=0) == 1).all()
    assert (apart.sum(axis=1) == 1).all()


def energy(vec, dst, count, rcut):
    """Sum of square roots of densities: each atom's energy depends on all of its neighbors at once."""
    r = np.linalg.norm(vec, axis=1)
    density = np.bincount(dst, (rcut - r) ** 3, minlength=count)
    return np.sum(np.sqrt(1.0 + density))


def gradient(vec, dst, count, rcut):
    """dE/d(edge vector) of that energy."""
    r = np.linalg.norm(vec, axis=1)
    density = np.bincount(dst, (rcut - r) ** 3, minlength=count)
    slope = -3.0 * (rcut - r) ** 2 * 0.5 / np.sqrt(1.0 + density)[dst]
    return (slope / r)[:, None] * vec


def derivative(function, x, step=1e-4):
    """By central differences of fourth order; errors are of the order of step^4 and 1e-15 / step."""
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        for weight, k in ((8.0, 1), (-8.0, -1), (-1.0, 2), (1.0, -2)):
            moved = x.copy()
            moved[at] += k * step
            out[at] += weight * function(moved) / (12.0 * step)
    return out


def assemble(grad, vec, index, sizes):
    """Forces, virials of atoms, virials of frames: one edge at a time."""
    total = int(np.sum(sizes))
    force, atom = np.zeros((total, 3)), np.zeros((total, 3, 3))
    for g, v, (src, dst) in zip(grad, vec, index.T, strict=True):
        force[src] -= g
        force[dst] += g
        atom[src] -= np.outer(g, v)
    ends = np.cumsum(sizes)
    frames = [atom[e - s : e].sum(axis=0) for s, e in zip(sizes, ends, strict=True)]
    return force, atom, np.array(frames)


@probe
def build(jobs):
    """Each job's graph: counts, indices, vectors, mask; and whether the input is as it was."""
    from deepmd.dpmodel.utils import NeighborGraph, build_neighbor_graph

    answers = []
    for coord, atype, box, rcut in jobs:
        kept = [coord.copy(), atype.copy(), None if box is None else box.copy()]
        graph = build_neighbor_graph(coord, atype, box, rcut)
        assert isinstance(graph, NeighborGraph)
        same = (coord == kept[0]).all() and (atype == kept[1]).all()
        same = same and (box is None or (box == kept[2]).all())
        if not same:
            raise ValueError("the input was changed")
        answers.append([graph.n_node, graph.edge_index, graph.edge_vec, graph.edge_mask])
    return answers


@probe
def convert(jobs):
    from deepmd.dpmodel.utils import from_dense_quartet

    graphs = [from_dense_quartet(*job) for job in jobs]
    return [[g.n_node, g.edge_index, g.edge_vec, g.edge_mask] for g in graphs]


@probe
def forces(jobs):
    from deepmd.dpmodel.utils import edge_force_virial

    return [list(edge_force_virial(*job)) for job in jobs]


@probe
def sums(jobs):
    from deepmd.dpmodel.utils import segment_sum

    return [segment_sum(*job) for job in jobs]


@probe
def names():
    import deepmd.dpmodel.utils as utils

    graph = utils.NeighborGraph(n_node=1, edge_index=2, edge_vec=3, edge_mask=4)
    fields = [graph.n_node, graph.edge_index, graph.edge_vec, graph.edge_mask]
    return [sorted(utils.__all__), fields]


@probe
def dense(coord, atype, box, rcut, sel):
    """The lists that are there already."""
    from deepmd.dpmodel.utils import build_neighbor_list, extend_coord_with_ghosts, normalize_coord

    inside = normalize_coord(coord, box)
    extended, types, mapping = extend_coord_with_ghosts(inside, atype, box, rcut)
    nlist = build_neighbor_list(extended, types, atype.shape[1], rcut, sel, distinguish_types=False)
    return [extended, nlist, mapping]


@probe
def heights(cells):
    from deepmd.dpmodel.utils import to_face_distance

    return to_face_distance(cells)
