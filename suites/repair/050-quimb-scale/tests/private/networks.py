# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""Gauged networks with NumPy alone: their states, norms, canonical gauges and clusters.

A network is a list of sites, each [data, names of the axes]; the physical axis of site n is `k<n>`.
Gauges are a dictionary from a bond to a vector.
"""

import numpy as np

from referee.wall import probe

# Contractions of at most nine sites and bonds of dimension three, and canonical gauges from
# well-conditioned random tensors: about 1e-12 is lost, and the smallest wrong factor of interest
# differs from one by 1e-2.
RTOL = 1e-9


@probe
def ask(sites, gauges, exponent, requests):
    """Build the network anew for each request, and say what came of it."""
    import warnings

    import numpy as np
    import quimb.tensor as qtn

    warnings.simplefilter("ignore")

    def build():
        tensors = [
            qtn.Tensor(data.copy(), inds=axes, tags=[f"S{n}"])
            for n, (data, axes) in enumerate(sites)
        ]
        tn = qtn.TensorNetwork(tensors)
        tn.exponent = exponent
        psi = qtn.TensorNetworkGenVector.from_TN(
            tn, site_tag_id="S{}", site_ind_id="k{}", sites=range(len(sites))
        )
        return psi, {bond: vector.copy() for bond, vector in gauges.items()}

    def plain(value):
        assert np.shape(value) == (), type(value)
        return complex(value)

    def options(given):
        given = dict(given)
        if isinstance(given.get("gloops"), list):
            given["gloops"] = [tuple(cluster) for cluster in given["gloops"]]
        return given

    def state(psi, own):
        return {
            "exponent": float(psi.exponent),
            "sites": [[psi[f"S{n}"].data, list(psi[f"S{n}"].inds)] for n in range(len(sites))],
            "gauges": dict(own),
        }

    answers = []
    for request in requests:
        psi, own = build()
        answer = {}
        if request["ask"] == "norm":
            if "positional" in request:
                value = psi.norm_gloop_expand(*request["positional"], own)
            else:
                value = psi.norm_gloop_expand(gauges=own, **options(request["options"]))
            answer["value"] = plain(value)
            answer["complex"] = bool(np.iscomplexobj(value))
        elif request["ask"] == "normalize":
            answer["factor"] = plain(psi.normalize_simple(own, **request.get("options", {})))
        elif request["ask"] == "expect":
            terms = {tuple(where): G for where, G in request["terms"]}
            info = {} if request.get("shared") else None
            values = []
            for given in request["options"]:
                given = options(given)
                value = psi.compute_local_expectation_gloop_expand(
                    terms, gauges=own, info=info, **given
                )
                if given.get("return_all"):
                    assert list(value) == list(terms)
                    values.append([plain(v) for v in value.values()])
                else:
                    values.append(plain(value))
            answer["values"] = values
        answer |= state(psi, own)
        answers.append(answer)
    return answers


def joined(sites, gauges, exponent=0.0, keep=()):
    """Contract all `sites`, with gauges on their inner bonds, to axes: first `keep`, then the
    others that are left, in order of their names."""
    names = {}

    def number(name):
        return names.setdefault(name, len(names))

    seen = [axis for _, axes in sites for axis in axes]
    operands = []
    for data, axes in sites:
        operands += [data, [number(a) for a in axes]]
    for bond, vector in gauges.items():
        if seen.count(bond) == 2:
            operands += [vector, [number(bond)]]
    left = sorted(a for a in set(seen) if seen.count(a) == 1 and a not in keep)
    out = [number(a) for a in (*keep, *left)]
    # The bond of a gauge occurs three times, so einsum sums over it once, as it should.
    return np.einsum(*operands, out, optimize="greedy") * 10.0**exponent


def state(sites, gauges, exponent=0.0):
    """All amplitudes, one axis for each site."""
    count = len(sites)
    return joined(sites, gauges, exponent, keep=[f"k{n}" for n in range(count)])


def norm(sites, gauges, exponent=0.0):
    return float(np.linalg.norm(state(sites, gauges, exponent)))


def cluster(sites, gauges, members):
    """Squared norm of a piece, with the gauges at its rim in full."""
    axes = [axis for n in members for axis in sites[n][1]]
    piece = []
    for n in members:
        data, names = sites[n]
        for place, name in enumerate(names):
            if name in gauges and axes.count(name) == 1:
                shape = [1] * data.ndim
                shape[place] = -1
                data = data * gauges[name].reshape(shape)
        piece.append([data, names])
    return float(np.sum(np.abs(joined(piece, gauges)) ** 2))


def expansion(sites, gauges, exponent, counted):
    """The expanded norm, for clusters with their counts, from the definition."""
    scale = 10.0**exponent
    unit = {}
    for bond, vector in gauges.items():
        unit[bond] = vector / np.linalg.norm(vector)
        scale *= np.linalg.norm(vector)
    unit_sites = []
    for n, (data, axes) in enumerate(sites):
        factor = np.sqrt(cluster(sites, unit, [n]))
        unit_sites.append([data / factor, axes])
        scale *= factor
    square = 1.0
    for members, count in counted:
        square *= cluster(unit_sites, unit, members) ** count
    return float(scale * np.sqrt(square))


def draw(rng, edges, count, bonds=(2, 3), complex_=False, physical=3):
    """Random tensors on a graph; every site has a scale of its own."""
    sizes = {tuple(e): int(rng.integers(bonds[0], bonds[1] + 1)) for e in edges}
    sites = []
    for n in range(count):
        own = [e for e in sizes if n in e]
        shape = [physical, *[sizes[e] for e in own]]
        data = rng.normal(size=shape)
        if complex_:
            data = data + 1j * rng.normal(size=shape)
        axes = [f"k{n}", *[f"b{e[0]}_{e[1]}" for e in own]]
        sites.append([data * rng.uniform(0.4, 2.5), axes])
    return sites


def tree(rng, count):
    """Edges of a random tree in which no site has more than three neighbours."""
    edges, degree = [], [0] * count
    for n in range(1, count):
        free = [m for m in range(n) if degree[m] < 3]
        m = int(rng.choice(free))
        edges.append((m, n))
        degree[m] += 1
        degree[n] += 1
    return edges


def side(edges, cut, start):
    """Sites that are reached from `start` without the edge `cut`."""
    found, stack = {start}, [start]
    while stack:
        n = stack.pop()
        for e in edges:
            if e != cut and n in e:
                m = e[0] + e[1] - n
                if m not in found:
                    found.add(m)
                    stack.append(m)
    return sorted(found)


def canonical(sites, edges):
    """Turn each bridge into a Schmidt decomposition of the state: new sites, and the gauges.

    The Gram matrix of the vectors on either side of a bridge is X^H X; with the singular values s of
    X_left X_right^T on the bond, the vectors on both sides become orthonormal.
    """
    turned = [[data.copy(), list(axes)] for data, axes in sites]
    gauges = {}
    for edge in edges:
        left, right = side(edges, edge, edge[0]), side(edges, edge, edge[1])
        if set(left) & set(right):
            continue
        bond = f"b{edge[0]}_{edge[1]}"
        halves = []
        for members in (left, right):
            vectors = joined([sites[n] for n in members], {}, keep=[bond])
            vectors = vectors.reshape(vectors.shape[0], -1)
            gram = vectors.conj() @ vectors.T
            if np.linalg.cond(gram) > 1e5:
                raise IllConditioned
            halves.append(np.linalg.cholesky(gram).conj().T)
        u, s, vh = np.linalg.svd(halves[0] @ halves[1].T)
        gauges[bond] = s
        changes = (
            (edge[0], np.linalg.inv(halves[0]) @ u),
            (edge[1], (vh @ np.linalg.inv(halves[1]).T).T),
        )
        for n, change in changes:
            data, axes = turned[n]
            place = axes.index(bond)
            turned[n][0] = np.moveaxis(np.tensordot(data, change, (place, 0)), -1, place)
    return turned, gauges


class IllConditioned(Exception):
    pass


def converged(rng, edges, count, **options):
    """A random network with canonical gauges on its bridges, not normalised. Those that would lose
    more than about five digits are drawn again."""
    while True:
        try:
            return canonical(draw(rng, edges, count, **options), edges)
        except IllConditioned:
            continue


def gauged(sites, gauges, bond, vector):
    """The same state with `vector` as a further factor of the gauge of `bond`."""
    turned = [[data, list(axes)] for data, axes in sites]
    n = next(n for n, (_, axes) in enumerate(sites) if bond in axes)
    place = sites[n][1].index(bond)
    shape = [1] * sites[n][0].ndim
    shape[place] = -1
    turned[n][0] = sites[n][0] / np.reshape(vector, shape)
    return turned, {**gauges, bond: gauges.get(bond, 1.0) * vector}


def sizes(sites):
    """Dimension of each bond."""
    return {a: d.shape[p] for d, axes in sites for p, a in enumerate(axes) if a[0] == "b"}


def arbitrary(rng, sites):
    """A gauge for each bond, neither converged nor normalised."""
    return {bond: rng.uniform(0.5, 2.5, size) for bond, size in sizes(sites).items()}


def norm_request(**options):
    return {"ask": "norm", "options": options}


def operator(rng, size, complex_=False):
    """A random Hermitian matrix with an expectation value away from zero."""
    matrix = rng.normal(size=(size, size))
    if complex_:
        matrix = matrix + 1j * rng.normal(size=(size, size))
    return matrix + matrix.conj().T + 3 * size**0.5 * np.eye(size)


def expectation(psi, where, matrix):
    """<psi|G|psi> / <psi|psi> on the axes `where`."""
    size = psi.shape[0] ** len(where)
    moved = np.moveaxis(psi, where, range(len(where))).reshape(size, -1)
    return complex(np.vdot(moved, matrix @ moved) / np.vdot(moved, moved))


def close(value, expected, rtol=RTOL):
    """As an exact number; what is real has no imaginary part beyond rounding."""
    right = abs(complex(value) - expected) <= rtol * abs(expected)
    assert right, f"{value} instead of {expected}"
