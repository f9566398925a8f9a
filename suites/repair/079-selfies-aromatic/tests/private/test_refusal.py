# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""What has no Kekulé structure is refused, with the documented error and nothing else."""

from referee.wall import contract, probe


@probe
def refusals(strings, strict):
    import selfies as sf

    answers = []
    for smiles in strings:
        try:
            answers.append(sf.encoder(smiles, strict=strict))
        except Exception as error:
            answers.append({"error": type(error).__name__, "documented": type(error) is sf.EncoderError})
    return answers


def assert_refused(candidate, strings, strict=True):
    answers = candidate(refusals, list(strings), strict)
    assert len(answers) == len(strings)
    for smiles, answer in zip(strings, answers, strict=True):
        assert answer == {"error": "EncoderError", "documented": True}, f"{smiles}: {answer}"


ODD = (
    "c1cccc1", "n1cccc1", "c1ccccccc1C(=O)c1cccc1", "c1cc[nH]cc1", "[cH+]1ccccc1", "[cH-]1ccccc1",
    "c1ccc2cccc2c1", "c1cc2cccc3cccc(c1)c23", "o1ccccc1", "Cn1ccccc1",
)  # fmt: skip


def triangulene():
    """Six six-membered rings in a triangle: 22 atoms, an even number that cannot be paired up."""
    cells = [(i, j) for i in range(3) for j in range(3 - i)]
    corners, edges = {}, set()
    for i, j in cells:
        ring = []
        for dx, dy in ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1)):
            point = (2 * i + j + dx, 3 * j + dy)
            ring.append(corners.setdefault(point, len(corners)))
        edges |= {tuple(sorted((ring[n], ring[n - 1]))) for n in range(6)}
    return len(corners), sorted(edges)


@contract("knowledge")
def test_odd_numbers_of_pi_electrons_are_refused(candidate):
    assert_refused(candidate, ODD)


@contract("knowledge")
def test_refusal_does_not_depend_on_the_strict_flag(candidate):
    assert_refused(candidate, ODD, strict=False)


@contract("knowledge")
def test_a_ring_that_cannot_be_paired_is_refused_beside_a_radical(candidate):
    assert_refused(
        candidate,
        ("[c]1ccccc1.c1cccc1", "c1cccc1-c1cc[c]cc1", "[c]1cccs1.n1cccc1", "c1c[c]c(-c2cc[nH]cc2)cc1"),
    )


@contract("knowledge")
def test_an_even_number_that_cannot_be_paired_is_refused(candidate, chem, rng):
    size, edges = triangulene()
    assert size == 22
    molecule = chem.Molecule(
        [chem.Atom("C", aromatic=True) for _ in range(size)],
        {edge: chem.AROMATIC for edge in edges},
    )
    chem.fill_hydrogens(molecule)
    assert sum(a.hydrogens for a in molecule.atoms) == 12
    assert_refused(candidate, [chem.write(molecule, rng) for _ in range(5)])


@contract("regression")
def test_text_that_is_no_molecule_is_refused(candidate):
    assert_refused(candidate, ("", "c1cc[c]cc", "c1cc[c", "[c]1ccccc2", "(c1cc[c]cc1)", "c1cc[q]cc1"))
