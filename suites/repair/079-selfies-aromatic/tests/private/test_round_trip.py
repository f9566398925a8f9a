# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""The molecule is kept: the reported radicals, their relatives, and random molecules."""

from referee.wall import contract, probe


@probe
def round_trip(strings):
    import selfies as sf

    back = []
    for smiles in strings:
        try:
            back.append(sf.decoder(sf.encoder(smiles)))
        except sf.EncoderError:
            back.append({"error": "EncoderError"})
    return back


def assert_kept(candidate, chem, strings):
    """Every string of `strings` comes back as the molecule that it describes."""
    strings = list(strings)
    returned = candidate(round_trip, strings)
    assert isinstance(returned, list)
    assert len(returned) == len(strings)
    wrong = [w for w in map(chem.difference, strings, returned) if w]
    assert not wrong, f"{len(wrong)} of {len(strings)} not kept: " + "; ".join(wrong[:4])


SIX_RINGS = ("n1ccccc1", "n1cnccc1", "n1ccncc1", "n1ncccc1", "n1cncnc1", "p1ccccc1")
FIVE_RINGS = (
    "c1ccoc1", "c1ccsc1", "c1cc[nH]c1", "Cn1cccc1", "c1cc[se]c1", "c1cnoc1", "c1cscn1",
    "c1c[nH]cn1", "Cn1cccn1", "c1ccn(c1)-c1ccccc1",
)  # fmt: skip
CLOSED_SHELL_IONS = (
    "C[n+]1ccccc1", "c1cc[nH+]cc1", "c1cc[o+]cc1", "c1cc[s+]cc1", "[cH+]1cccccc1", "[cH+]1cc1",
    "[cH-]1cccc1", "c1cc[s+]s1", "C[n+]1cccs1", "Fc1cc[nH+]s1", "Cc1nnn[n-]1", "c1cc[n-]c1",
    "c1cc[bH-]cc1", "[O-][n+]1ccccc1", "C[s+]1cccc1", "Cn1cc[n+](C)c1", "c1cc[n+]2ccccc2c1",
)  # fmt: skip


@contract("reported-case")
def test_phenyl_radical_is_kept_from_every_starting_atom(candidate, chem, rng):
    molecule = chem.parse("c1ccc[c]c1")
    spellings = {"c1ccc[c]c1", "[c]1ccccc1", "c1cccc[c]1"}
    spellings |= {chem.write(molecule, rng) for _ in range(20)}
    assert_kept(candidate, chem, sorted(spellings))


@contract("reported-case")
def test_thienyl_radicals_are_kept(candidate, chem, rng):
    strings = chem.every_radical("c1ccsc1")
    spellings = [chem.write(chem.parse(s), rng) for s in strings for _ in range(6)]
    assert_kept(candidate, chem, ["c1cc[c]s1", *strings, *spellings])


@contract("round-trip")
def test_radicals_of_six_membered_heterocycles(candidate, chem):
    assert_kept(candidate, chem, [s for ring in SIX_RINGS for s in chem.every_radical(ring)])


@contract("round-trip")
def test_radicals_of_five_membered_heterocycles(candidate, chem):
    assert_kept(candidate, chem, [s for ring in FIVE_RINGS for s in chem.every_radical(ring)])


@contract("round-trip")
def test_closed_shell_aromatic_ions(candidate, chem, rng):
    spellings = [chem.write(chem.parse(s), rng) for s in CLOSED_SHELL_IONS for _ in range(3)]
    assert_kept(candidate, chem, [*CLOSED_SHELL_IONS, *spellings])


@contract("round-trip")
def test_random_substituted_radicals(candidate, chem, rng):
    scaffolds = ("c1ccccc1", *SIX_RINGS, *FIVE_RINGS)
    strings = []
    for _ in range(120):
        scaffold = scaffolds[int(rng.integers(len(scaffolds)))]
        molecule = chem.decorate(scaffold, 1, int(rng.integers(0, 4)), rng)
        strings.append(chem.write(molecule, rng))
    assert_kept(candidate, chem, strings)


@contract("round-trip")
def test_random_closed_shell_molecules(candidate, chem, rng):
    scaffolds = ("c1ccccc1", "c1ccc2ccccc2c1", *SIX_RINGS, *FIVE_RINGS, *CLOSED_SHELL_IONS)
    strings = []
    for _ in range(120):
        scaffold = scaffolds[int(rng.integers(len(scaffolds)))]
        molecule = chem.decorate(scaffold, 0, int(rng.integers(0, 4)), rng)
        strings.append(chem.write(molecule, rng))
    assert_kept(candidate, chem, strings)


@contract("atom-order")
def test_the_order_of_the_atoms_does_not_matter(candidate, chem, rng):
    strings = []
    for smiles in (
        "Oc1cc[c]c(C#N)c1", "c1ccc2[c]cccc2c1", "Cn1c[c]c2ccccc12", "[c]1cc(-c2ccsc2)co1",
        "C[n+]1c[c]ccc1", "[c]1c[c]ccc1", "[O-]C(=O)c1c[c]c[nH]1",
    ):  # fmt: skip
        molecule = chem.parse(smiles)
        strings += [chem.write(molecule, rng) for _ in range(12)]
    assert_kept(candidate, chem, strings)
