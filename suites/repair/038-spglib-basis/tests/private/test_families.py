# referee-canary 038 d97d7387-7e07-4877-a3ae-e9c786d23b89
"""Every crystal family in oblique bases, with the lattice that belongs to the basis."""

import numpy as np

from referee.wall import contract

SYMPREC = 1e-5  # the library's default; all coordinates are exact to 1e-12


def judge(candidate, own, rng, numbers, *, shears, lattice=True, cell="primitive", **how):
    """Each type, written in a random basis, is recognised."""
    numbers = list(numbers)
    cases = []
    for number in numbers:
        start = own.primitive_basis(number) if cell == "primitive" else np.eye(3)
        count = int(rng.integers(shears[0], shears[1] + 1))
        cases.append(own.written(own.group(number), start @ own.shear(rng, count), rng, **how))
    assert not own.wrong(candidate(own.types, cases, lattice, SYMPREC), numbers)


@contract("coverage")
def test_centred_orthorhombic_types(candidate, own, rng):
    numbers = [n for n in own.FAMILIES["orthorhombic"] if own.group(n).symbol[0] != "P"]
    for _ in range(4):
        judge(candidate, own, rng, numbers, shears=(2, 4))


@contract("coverage")
def test_primitive_orthorhombic_types(candidate, own, rng):
    numbers = [n for n in own.FAMILIES["orthorhombic"] if own.group(n).symbol[0] == "P"]
    for _ in range(4):
        judge(candidate, own, rng, numbers, shears=(3, 6))


@contract("coverage")
def test_tetragonal_types(candidate, own, rng):
    for _ in range(2):
        judge(candidate, own, rng, own.FAMILIES["tetragonal"], shears=(2, 5))


@contract("coverage")
def test_cubic_types(candidate, own, rng):
    for _ in range(2):
        judge(candidate, own, rng, own.FAMILIES["cubic"], shears=(2, 5))


@contract("exploration")
def test_monoclinic_and_triclinic_types(candidate, own, rng):
    numbers = [*own.FAMILIES["triclinic"], *own.FAMILIES["monoclinic"]]
    for _ in range(6):
        judge(candidate, own, rng, numbers, shears=(3, 7))


@contract("exploration")
def test_trigonal_and_hexagonal_types(candidate, own, rng):
    for _ in range(3):
        judge(candidate, own, rng, own.FAMILIES["hexagonal"], shears=(2, 6))


@contract("exploration")
def test_very_oblique_bases(candidate, own, rng):
    judge(candidate, own, rng, range(1, 231), shears=(8, 11))


@contract("exploration")
def test_no_lattice_given_low_symmetry(candidate, own, rng):
    for _ in range(2):
        judge(candidate, own, rng, range(1, 75), shears=(2, 5), lattice=False)


@contract("exploration")
def test_no_lattice_given_high_symmetry(candidate, own, rng):
    judge(candidate, own, rng, range(75, 231), shears=(2, 5), lattice=False)


@contract("generalization")
def test_cells_that_are_not_primitive(candidate, own, rng):
    judge(candidate, own, rng, range(1, 231), shears=(2, 5), cell="conventional")


@contract("generalization")
def test_cells_that_are_not_primitive_and_no_lattice(candidate, own, rng):
    judge(candidate, own, rng, range(1, 231), shears=(2, 5), cell="conventional", lattice=False)


@contract("generalization")
def test_any_origin_order_and_choice_of_translations(candidate, own, rng):
    for lattice in (True, False):
        judge(
            candidate,
            own,
            rng,
            [int(n) for n in rng.permutation(230)[:120] + 1],
            shears=(2, 5),
            lattice=lattice,
            origin=rng.uniform(0.0, 1.0, size=3),
            shuffled=True,
            cells=True,
        )


@contract("generalization")
def test_the_older_function_without_a_lattice(candidate, own, rng):
    numbers = list(range(1, 231))
    cases = [
        own.written(own.group(n), own.primitive_basis(n) @ own.shear(rng, 3), rng) for n in numbers
    ]
    seen = candidate(own.hall_numbers, cases, SYMPREC)
    assert seen == numbers


@contract("regression")
def test_standard_settings_with_their_lattices(candidate, own, rng):
    judge(candidate, own, rng, range(1, 231), shears=(0, 0), cell="conventional")


@contract("regression")
def test_standard_settings_without_a_lattice(candidate, own, rng):
    judge(candidate, own, rng, range(1, 231), shears=(0, 0), cell="conventional", lattice=False)
