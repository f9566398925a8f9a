# referee-canary 119 01007ba8-4159-484d-ac7c-78bdd134a941
"""Molecules of springs with known second derivatives, and the files that they would be written to."""

import numpy as np

STDOUT = (
    "   density functional\n"
    "   |  total energy      =    -{energy:.11f}  |\n"
    "   |  kinetic energy    =     75.98100000000  |\n"
)


def group(name, matrix):
    """A data group: labels of three characters, five numbers with ten digits a line."""
    lines = [name]
    for i, row in enumerate(matrix, 1):
        for k in range(0, len(row), 5):
            numbers = "".join(f"{x:15.10f}" for x in row[k : k + 5])
            lines.append(f"{i:3d}{k // 5 + 1:3d}{numbers}")
    return "\n".join(lines) + "\n"


def file_of(*groups):
    return "".join(group(name, matrix) for name, matrix in groups) + "$end\n"


def symmetric(size, rng):
    """A random symmetric matrix of numbers that the files hold exactly."""
    half = rng.normal(size=(size, size))
    return np.round(half + half.T, 10)


def springs(places, constants, lengths=None):
    """Second derivatives of half k (r - r0)^2 for each pair, worked out by hand, (3N, 3N).

    Without `lengths` each spring is at rest.
    """
    n = len(places)
    full = np.zeros((n, 3, n, 3))
    for i in range(n):
        for j in range(i):
            step = places[i] - places[j]
            r = np.linalg.norm(step)
            u = np.outer(step, step) / r**2
            rest = r if lengths is None else lengths[i, j]
            block = constants[i, j] * (u + (1 - rest / r) * (np.eye(3) - u))
            full[i, :, i] += block
            full[j, :, j] += block
            full[i, :, j] -= block
            full[j, :, i] -= block
    return full.reshape(3 * n, 3 * n)


def random_springs(n, rng, at_rest):
    places = rng.normal(size=(n, 3)) * 3
    constants = rng.uniform(0.05, 0.6, (n, n))
    lengths = None if at_rest else rng.uniform(0.5, 4, (n, n))
    return places, springs(places, constants, lengths)


def projected(hessian, places):
    """The same without shifts and rotations (all masses equal)."""
    n = len(places)
    middle = places - places.mean(axis=0)
    moves = [np.tile(axis, n) for axis in np.eye(3)]
    moves += [np.cross(axis, middle).ravel() for axis in np.eye(3)]
    basis, sizes, _ = np.linalg.svd(np.array(moves).T, full_matrices=False)
    basis = basis[:, sizes > 1e-8 * sizes[0]]
    keep = np.eye(3 * n) - basis @ basis.T
    return keep @ hessian @ keep


def squared_frequencies(hessian, masses):
    weight = np.repeat(1 / np.sqrt(masses), 3)
    return np.linalg.eigvalsh(hessian * weight * weight[:, None])
