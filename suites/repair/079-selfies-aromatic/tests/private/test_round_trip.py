# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""The molecule is kept: the reported radicals, their relatives, and random molecules."""

from referee.wall import contract


SIX_RINGS = (
    "n1ccccc1", "n1cnccc1", "n1ccncc1", "n1ncccc1", "n1cncnc1", "p1ccccc1", "O=c1cc[nH]cc1", "O=c1ccocc1",
)  # fmt: skip
FIVE_RINGS = (
    "c1ccoc1", "c1ccsc1", "c1cc[nH]c1", "Cn1cccc1", "c1cc[se]c1", "c1cnoc1", "c1cscn1",
    "c1c[nH]cn1", "Cn1cccn1", "c1ccn(c1)-c1ccccc1",
)  # fmt: skip
CLOSED_SHELL_IONS = (
    "C[n+]1ccccc1", "c1cc[nH+]cc1", "c1cc[o+]cc1", "c1cc[s+]cc1", "[cH+]1cccccc1", "[cH+]1cc1",
    "[cH-]1cccc1", "c1cc[s+]s1", "C[n+]1cccs1", "Fc1cc[nH+]s1", "Cc1nnn[n-]1", "c1cc[n-]c1",
    "c1cc[bH-]cc1", "[O-][n+]1ccccc1", "C[s+]1cccc1", "Cn1cc[n+](C)c1", "c1cc[n+]2ccccc2c1",
)  # fmt: skip


@contract("coverage")
def test_phenyl_radical_is_kept_from_every_starting_atom(candidate, chem, rng):
    molecule = chem.parse("c1ccc[c]c1")
    spellings = {"c1ccc[c]c1", "[c]1ccccc1", "c1cccc[c]1", "c1ccc[c]c1.o1cccc1", "[c]1ccccc1.c1ccsc1"}
    spellings |= {chem.write(molecule, rng) for _ in range(20)}
    chem.assert_kept(candidate, sorted(spellings))


@contract("coverage")
def test_thienyl_radicals_are_kept(candidate, chem, rng):
    strings = chem.every_radical("c1ccsc1")
    spellings = [chem.write(chem.parse(s), rng) for s in strings for _ in range(6)]
    chem.assert_kept(candidate, ["c1cc[c]s1", *strings, *spellings])


@contract("coverage")
def test_radicals_of_six_membered_heterocycles(candidate, chem):
    chem.assert_kept(candidate, [s for ring in SIX_RINGS for s in chem.every_radical(ring)])


@contract("coverage")
def test_radicals_of_five_membered_heterocycles(candidate, chem):
    chem.assert_kept(candidate, [s for ring in FIVE_RINGS for s in chem.every_radical(ring)])


@contract("coverage")
def test_closed_shell_aromatic_ions(candidate, chem, rng):
    spellings = [chem.write(chem.parse(s), rng) for s in CLOSED_SHELL_IONS for _ in range(3)]
    chem.assert_kept(candidate, [*CLOSED_SHELL_IONS, *spellings])


@contract("coverage")
def test_random_substituted_radicals(candidate, chem, rng):
    scaffolds = ("c1ccccc1", *SIX_RINGS, *FIVE_RINGS)
    strings = []
    for _ in range(120):
        scaffold = scaffolds[int(rng.integers(len(scaffolds)))]
        molecule = chem.decorate(scaffold, 1, int(rng.integers(0, 4)), rng)
        strings.append(chem.write(molecule, rng))
    chem.assert_kept(candidate, strings)


@contract("coverage")
def test_random_closed_shell_molecules(candidate, chem, rng):
    scaffolds = ("c1ccccc1", "c1ccc2ccccc2c1", *SIX_RINGS, *FIVE_RINGS, *CLOSED_SHELL_IONS)
    strings = []
    for _ in range(120):
        scaffold = scaffolds[int(rng.integers(len(scaffolds)))]
        molecule = chem.decorate(scaffold, 0, int(rng.integers(0, 4)), rng)
        strings.append(chem.write(molecule, rng))
    chem.assert_kept(candidate, strings)


BRACKETED = (
    "O=[c]1cc[nH]cc1", "S=[c]1cc[nH]cc1", "[cH]1[cH][cH][cH][c](C)[cH]1",
    "[cH]1[cH][cH][c]2[cH][cH][cH][cH][c]2[cH]1", "O=[si]1cc[nH]cc1", "C[c]1ccc[c]c1", "C=[c]1cc[nH]cc1",
    "[c+2]1cccc1", "[si+2]1cccc1", "[c+]1ccccc1", "O=[c]1cc[nH]c[c]1",
)  # fmt: skip


@contract("coverage")
def test_brackets_alone_do_not_make_a_radical_centre(candidate, chem):
    """An atom with three neighbours, a double bond outside of the ring, or a charge is none."""
    chem.assert_kept(candidate, BRACKETED)


@contract("exploration")
def test_the_order_of_the_atoms_does_not_matter(candidate, chem, rng):
    strings = []
    for smiles in (
        "Oc1cc[c]c(C#N)c1", "c1ccc2[c]cccc2c1", "Cn1c[c]c2ccccc12", "[c]1cc(-c2ccsc2)co1",
        "C[n+]1c[c]ccc1", "[c]1c[c]ccc1", "[O-]C(=O)c1c[c]c[nH]1",
    ):  # fmt: skip
        molecule = chem.parse(smiles)
        strings += [chem.write(molecule, rng) for _ in range(12)]
    chem.assert_kept(candidate, strings)
