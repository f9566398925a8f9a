# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""Electrons are neither made nor lost: read from the returned string alone."""

from referee.wall import contract


def count(chem, smiles):
    """Elements with hydrogen, net charge, and the number of unpaired electrons."""
    molecule = chem.parse(smiles)
    elements, charge = chem.census(molecule)
    return dict(elements), charge, len(chem.unpaired(molecule))


def molecules(chem, rng, centres):
    scaffolds = (
        "c1ccccc1", "n1ccccc1", "c1ccsc1", "c1cc[nH]c1", "c1ccc2ccccc2c1", "C[n+]1ccccc1",
        "[cH+]1cccccc1", "[cH-]1cccc1", "c1cc[s+]cc1", "c1cc[n-]c1", "c1ccc(-c2cnccn2)cc1",
    )  # fmt: skip
    made = []
    for scaffold in scaffolds:
        for _ in range(4):
            molecule = chem.decorate(scaffold, centres, int(rng.integers(0, 2)), rng)
            made.append(chem.write(molecule, rng))
    return made


def assert_counts(candidate, chem, strings, unpaired):
    returned = candidate(chem.round_trip, strings)
    assert len(returned) == len(strings)
    for smiles, back in zip(strings, returned, strict=True):
        assert isinstance(back, str), f"{smiles}: {back}"
        elements, charge, _ = count(chem, smiles)
        assert count(chem, back) == (elements, charge, unpaired), f"{smiles} -> {back}"


@contract("knowledge")
def test_closed_shell_molecules_stay_closed_shell(candidate, chem, rng):
    assert_counts(candidate, chem, molecules(chem, rng, 0), 0)


@contract("knowledge")
def test_one_unpaired_electron_stays_one(candidate, chem, rng):
    assert_counts(candidate, chem, molecules(chem, rng, 1), 1)


@contract("knowledge")
def test_two_unpaired_electrons_stay_two(candidate, chem, rng):
    assert_counts(candidate, chem, molecules(chem, rng, 2), 2)


@contract("knowledge")
def test_the_radical_centre_is_the_bare_atom_with_three_bonds(candidate, chem):
    strings = [
        s
        for ring in ("c1ccccc1", "c1ccoc1", "C[n+]1ccccc1", "c1ccc2cccc2cc1")
        for s in chem.every_radical(ring)
    ]
    returned = candidate(chem.round_trip, strings)
    assert len(returned) == len(strings)
    for smiles, back in zip(strings, returned, strict=True):
        assert isinstance(back, str), f"{smiles}: {back}"
        molecule = chem.parse(back)
        [centre] = chem.unpaired(molecule)
        atom = molecule.atoms[centre]
        orders = sorted(molecule.order(centre, n) for n in molecule.neighbours()[centre])
        assert (atom.element, atom.hydrogens, atom.charge) == ("C", 0, 0), f"{smiles} -> {back}"
        assert orders == [1, 2], f"{smiles} -> {back}"
