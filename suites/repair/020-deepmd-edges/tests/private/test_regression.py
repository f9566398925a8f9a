# referee-canary 020 34a21b3d-70eb-4dee-8063-44047102d322
"""What the package had before: dense lists, images and heights of cells."""

import numpy as np

from referee.wall import contract


@contract("regression")
def test_dense_lists_keep_the_nearest(candidate, atoms, rng):
    box = atoms.cell(rng, 3.0)
    coord = atoms.places(rng, 3, box)
    extended, nlist, mapping = candidate(
        atoms.dense, coord[None], np.zeros((1, 3), dtype=int), box[None], 4.5, [5]
    )
    assert nlist.shape == (1, 3, 5)
    extended = extended.reshape(-1, 3)
    _, dst, vec = atoms.brute(coord, box, 4.5)
    for center in range(3):
        entries = nlist[0, center]
        assert mapping[0, entries].max() < 3
        got = np.linalg.norm(extended[entries] - extended[center], axis=1)
        want = np.sort(np.linalg.norm(vec[dst == center], axis=1))[:5]
        assert np.abs(got - want).max() <= atoms.ROUNDING


@contract("regression")
def test_heights_of_cells(candidate, atoms, rng):
    cells = np.array([atoms.cell(rng, s) for s in (1.0, 2.0, 5.0)])
    # The reciprocal basis: columns of the inverse have the lengths of inverse heights.
    want = 1.0 / np.linalg.norm(np.linalg.inv(cells), axis=1)
    assert np.abs(candidate(atoms.heights, cells) - want).max() <= atoms.ROUNDING
