# referee-canary 038 d97d7387-7e07-4877-a3ae-e9c786d23b89
"""What crystallography says about types and bases, beyond a list of families."""

import numpy as np

from referee.wall import contract, probe

SYMPREC = 1e-5
LOOK_ALIKES = (23, 24, 43, 42, 57, 60, 61, 73, 74, 80, 98, 110, 122, 141, 197, 199, 206, 230)


@contract("knowledge")
def test_mirror_images_stay_apart(candidate, own, rng):
    # In a right-handed basis each of the 22 types is itself; in a left-handed one it is its partner.
    numbers = sorted(own.MIRROR)
    for lattice in (True, False):
        right, left = [], []
        for number in numbers:
            basis = own.primitive_basis(number) @ own.shear(rng, int(rng.integers(2, 6)))
            right.append(own.written(own.group(number), basis, rng))
            left.append(own.written(own.group(number), basis @ np.diag([1, 1, -1]), rng))
        assert not own.wrong(candidate(own.types, right, lattice, SYMPREC), numbers)
        partners = [own.MIRROR[n] for n in numbers]
        assert not own.wrong(candidate(own.types, left, lattice, SYMPREC), partners)


@contract("knowledge")
def test_one_group_in_many_bases_has_one_type(candidate, own, rng):
    # Types that differ only in where their axes and planes lie, twenty bases of each.
    for lattice in (True, False):
        numbers = [n for n in LOOK_ALIKES for _ in range(8)]
        cases = [
            own.written(own.group(n), own.primitive_basis(n) @ own.shear(rng, 2 + k % 6), rng)
            for k, n in enumerate(numbers)
        ]
        assert not own.wrong(candidate(own.types, cases, lattice, SYMPREC), numbers)


@contract("knowledge")
def test_axes_may_be_renamed(candidate, own, rng):
    # A cyclic change of the axes, and any signs with determinant 1, are changes of basis too.
    cyclic = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    numbers = list(range(3, 75))
    for turn in (cyclic, cyclic @ cyclic, np.diag([-1, -1, 1]) @ cyclic):
        cases = [
            own.written(own.group(n), own.primitive_basis(n) @ turn @ own.shear(rng, 2), rng)
            for n in numbers
        ]
        assert not own.wrong(candidate(own.types, cases, True, SYMPREC), numbers)


@contract("knowledge")
def test_lattices_of_any_shape_and_size(candidate, own, rng):
    # The lattice parameters are free within the family: long, flat, large, in any direction.
    numbers = [5, 8, 15, 22, 36, 43, 46, 64, 70, 74, 82, 88, 109, 122, 142, 147, 152, 163, 176]
    for stretch in ((1, 1, 6), (6, 1, 1), (0.4, 3, 1), (20, 20, 20)):
        cases = []
        for n in numbers:
            found = own.group(n)
            metric = np.diag(np.array([5.0, 6.1, 7.3]) * stretch) ** 2
            metric = np.mean([r.T @ metric @ r for r in found.rotations], axis=0)
            basis = own.primitive_basis(n) @ own.shear(rng, 3)
            case = own.written(found, basis, rng)
            case[2] = np.ascontiguousarray((np.linalg.cholesky(metric).T @ basis).T)
            cases.append(case)
        assert not own.wrong(candidate(own.types, cases, True, SYMPREC), numbers)


@contract("knowledge")
def test_subgroups_are_not_taken_for_the_group(candidate, own, rng):
    # The translations and the proper rotations of a group are groups with types of their own.
    proper = {36: 4, 43: 5, 62: 19, 64: 20, 70: 22, 74: 24, 141: 98, 166: 155, 206: 199, 227: 210}
    cases, numbers = [], []
    for number, part in proper.items():
        found = own.group(number)
        keep = [round(np.linalg.det(r)) == 1 for r in found.rotations]
        half = own.Group(part, "", "", found.rotations[keep], found.shifts[keep])
        for _ in range(3):
            basis = own.primitive_basis(number) @ own.shear(rng, int(rng.integers(2, 6)))
            cases.append(own.written(half, basis, rng))
            numbers.append(part)
    for lattice in (True, False):
        seen = candidate(own.types, cases, lattice, SYMPREC)
        assert [None if s is None else s[0] for s in seen] == numbers


@probe
def crystals(cells, symprec):
    """For each crystal: the type of the crystal, and that of the operations found in it, with
    and without its lattice."""
    import spglib

    answers = []
    for lattice, positions, kinds in cells:
        found = spglib.get_symmetry_dataset((lattice, positions, kinds), symprec=symprec)
        row = [int(found.number), int(len(found.rotations))]
        for given in (lattice, None):
            seen = spglib.get_spacegroup_type_from_symmetry(
                found.rotations, found.translations, lattice=given, symprec=symprec
            )
            row.append(None if seen is None else int(seen.number))
        answers.append(row)
    return answers


def crystal(own, number, rng, basis):
    """A crystal in `basis` with three kinds of atoms, each at a general position of the group, so
    that it has no more symmetry than the group."""
    found = own.group(number)
    while True:
        places = np.concatenate(
            [
                (found.rotations @ rng.uniform(0.05, 0.95, size=3) + found.shifts / 24) % 1.0
                for _ in range(3)
            ]
        )
        lattice = own.lattice_of(found, rng, np.eye(3))
        gaps = places[:, None] - places[None]
        gaps -= np.rint(gaps)
        far = np.linalg.norm(gaps @ lattice, axis=-1) + 9 * np.eye(len(places))
        if far.min() > 0.05:
            break
    positions, kinds = [], []
    for index, place in enumerate(places):
        moved = (np.linalg.inv(basis) @ place) % 1.0
        gaps = [np.abs(moved - q - np.rint(moved - q)).max() for q in positions]
        if not gaps or min(gaps) > 1e-6:
            positions.append(moved)
            kinds.append(1 + index // len(found.rotations))
    return [np.ascontiguousarray(basis.T @ lattice), np.array(positions), kinds]


@contract("generalization")
def test_operations_found_in_a_crystal_lead_back_to_its_type(candidate, own, rng):
    numbers = [19, 23, 36, 43, 45, 60, 70, 73, 82, 88, 122, 145, 148, 161, 167]
    cells = [
        crystal(own, n, rng, own.primitive_basis(n) @ own.shear(rng, int(rng.integers(1, 4))))
        for n in numbers
    ]
    for number, row in zip(numbers, candidate(crystals, cells, 1e-5), strict=True):
        assert row[0] == number
        assert row[2:] == [number, number]


@probe
def reduced(lattices):
    import numpy as np
    import spglib

    return [
        (np.array(spglib.niggli_reduce(a)), np.array(spglib.delaunay_reduce(a))) for a in lattices
    ]


@contract("regression")
def test_reductions_keep_the_lattice(candidate, own, rng):
    lattices = [
        own.lattice_of(own.group(n), rng, own.primitive_basis(n) @ own.shear(rng, 4))
        for n in (1, 2, 14, 62, 139, 166, 194, 225)
    ]
    for lattice, pair in zip(lattices, candidate(reduced, lattices), strict=True):
        for seen in pair:
            steps = seen @ np.linalg.inv(lattice)
            np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)
            np.testing.assert_allclose(np.linalg.det(steps), 1.0, atol=1e-6)
            assert np.linalg.norm(seen, axis=1).sum() <= np.linalg.norm(lattice, axis=1).sum() + 1e-9


@contract("regression")
def test_sets_that_are_no_group_have_no_type(candidate, own, rng):
    # Two operations with one rotation and translations that are no lattice vectors of each other.
    found = own.group(19)
    case = own.written(found, np.eye(3), rng)
    case[1] = case[1] + rng.uniform(0.1, 0.2, size=case[1].shape)
    assert candidate(own.types, [case], True, SYMPREC) == [None]


@contract("regression")
def test_crystals_keep_their_types(candidate, own, rng):
    numbers = [2, 14, 19, 33, 43, 61, 88, 122, 148, 161]
    cells = [crystal(own, n, rng, np.eye(3)) for n in numbers]
    for number, row in zip(numbers, candidate(crystals, cells, 1e-5), strict=True):
        assert row[0] == number
        assert row[1] == len(own.group(number).rotations)
        assert row[2:] == [number, number]
