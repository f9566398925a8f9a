"""Public checks: Fdd2 (no. 43) in three bases."""

import numpy as np

from referee.wall import contract, probe

FACES = np.array([[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
OBLIQUE = FACES @ np.array([[1, -1, -1], [0, 1, -1], [0, 0, 1]])


@probe
def type_of_fdd2(basis, edges):
    """The type's number of the operations of Fdd2 in `basis` (columns)."""
    import numpy as np
    import spglib

    inverse, found = np.linalg.inv(basis), {}
    data = spglib.get_symmetry_from_database(212)
    for r, t in zip(data["rotations"], data["translations"]):
        rotation = np.rint(inverse @ r @ basis).astype(int)
        translation = np.round(inverse @ t, 9) % 1.0
        found[(*rotation.ravel(), *np.round(translation, 5) % 1.0)] = (rotation, translation)
    rotations, translations = zip(*found.values())
    lattice = None if edges is None else (np.diag(edges) @ basis).T
    seen = spglib.get_spacegroup_type_from_symmetry(
        np.array(rotations, dtype="intc"), np.array(translations), lattice=lattice
    )
    return None if seen is None else int(seen.number)


@contract("knowledge")
def test_an_oblique_primitive_basis_with_its_lattice(candidate):
    assert candidate(type_of_fdd2, OBLIQUE, [5.2, 6.7, 8.9]) == 43


@contract("knowledge")
def test_an_oblique_primitive_basis_without_a_lattice(candidate):
    assert candidate(type_of_fdd2, OBLIQUE, None) == 43


@contract("regression")
def test_the_conventional_basis(candidate):
    assert candidate(type_of_fdd2, np.eye(3), [5.2, 6.7, 8.9]) == 43
