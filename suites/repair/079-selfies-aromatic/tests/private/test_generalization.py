# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""The same must hold where the reported molecules do not lead: other rings, elements and charges."""

from referee.wall import contract


FUSED = (
    "c1ccc2ccccc2c1", "c1ccc2cc3ccccc3cc2c1", "c1ccc2c(c1)ccc1ccccc12", "c1ccc2ncccc2c1",
    "c1ccc2[nH]ccc2c1", "c1ccc2occc2c1", "c1ccc2sccc2c1", "c1ccc2cccc2cc1", "c1ncc2nc[nH]c2n1",
    "c1ccn2cccc2c1", "c1cc2cccc3ccc4cccc1c4c32", "c1ccc2c(c1)[nH]c1ccccc12",
)  # fmt: skip
CHARGED = (
    "C[n+]1ccccc1", "c1cc[nH+]cc1", "c1cc[o+]cc1", "c1cc[s+]cc1", "[cH+]1cccccc1", "[cH-]1cccc1",
    "c1cc[s+]s1", "C[n+]1cccs1", "c1cc[n-]c1", "c1cc[bH-]cc1", "[O-][n+]1ccccc1", "C[s+]1cccc1",
    "Cn1cc[n+](C)c1", "c1cc[n+]2ccccc2c1",
)  # fmt: skip
ASSEMBLIES = (
    "c1ccc(-c2ccccc2)cc1", "c1ccc(-c2cccs2)nc1", "c1coc(-c2cc[nH]c2)c1", "c1ccc(Cc2ccccc2)cc1",
    "c1ccc(C=Cc2ccncc2)cc1", "c1ccc(C#Cc2ccsc2)cc1",
)  # fmt: skip
WITH_CARBONYL = (
    "O=c1cc[nH]cc1", "O=c1ccoc2ccccc12", "O=c1cccccc1", "O=c1[nH]cnc2ccccc12", "O=c1ccsc2ccccc12",
    "Cn1ccc(=O)n(C)c1=O", "O=c1oc(=O)c2ccccc12",
)  # fmt: skip


@contract("generalization")
def test_every_position_of_fused_rings(candidate, chem):
    chem.assert_kept(candidate, [s for ring in FUSED for s in chem.every_radical(ring)])


@contract("generalization")
def test_radical_centres_in_charged_rings(candidate, chem):
    chem.assert_kept(candidate, [s for ring in CHARGED for s in chem.every_radical(ring)])


@contract("generalization")
def test_radical_centres_beside_charges_outside_of_the_ring(candidate, chem):
    strings = (
        "[O-]c1cc[c]cc1", "[O-]C(=O)c1cc[c]cc1", "[NH3+]c1c[c]ccc1", "C[N+](C)(C)c1cc[c]cc1",
        "O=[N+]([O-])c1cc[c]cc1", "[c]1ccccc1.[Na+].[Cl-]", "[Na+].[O-]S(=O)(=O)c1c[c]co1",
        "F[B-](F)(F)c1cc[c]cc1", "[S-]c1cc[c]s1", "[N-]=[N+]=Nc1cc[c]cc1",
    )  # fmt: skip
    chem.assert_kept(candidate, strings)


@contract("generalization")
def test_ring_assemblies(candidate, chem):
    chem.assert_kept(candidate, [s for ring in ASSEMBLIES for s in chem.every_radical(ring)])


@contract("generalization")
def test_rings_with_carbonyl_groups(candidate, chem):
    chem.assert_kept(candidate, [s for ring in WITH_CARBONYL for s in chem.every_radical(ring)])


@contract("generalization")
def test_silicon_takes_the_role_of_carbon(candidate, chem):
    strings = (
        "c1cc[si]cc1", "[si]1ccccc1", "Cc1c[si]ccc1", "c1ccc2[si]cccc2c1", "c1c[si]cs1",
        "c1cc[si]n1C", "c1ccc[29si]c1", "[si]1cc[nH+]cc1",
    )  # fmt: skip
    chem.assert_kept(candidate, strings)


@contract("generalization")
def test_ways_to_write_a_bare_atom(candidate, chem):
    strings = (
        "c1ccc[13c]c1", "[14c]1ccsc1", "c1cc[cH0]cc1", "[13cH]1cc[c]cc1", "[13cH0]1[13cH]cco1",
        "[cH]1[cH][cH][cH][cH][c]1", "c1cc[c:7]cc1", "[c]1:c:c:c:c:c:1",
        "[c]%11ccccc%11", "c1cc[c]c[13c]1", "[2H]c1cc[c]cc1",
    )  # fmt: skip
    chem.assert_kept(candidate, strings)


@contract("generalization")
def test_several_radical_centres_in_one_ring(candidate, chem):
    strings = (
        "c1ccc[c][c]1", "c1cc[c]c[c]1", "c1c[c]cc[c]1", "[c]1c[c]c[c]c1", "[c]1[c][c]ccc1",
        "[c]1ccs[c]1", "c1[c]s[c]c1", "[c]1[c]sc2ccccc12", "[c]1c[c]c2ccccc2c1", "[c]1[c][nH][c][c]1",
        "[c]1[c][c][c][c][c]1", "[c]1cc2c[c]ccc2cc1", "n1[c]cc[c]c1", "[c]1c[n+](C)c[c]c1",
    )  # fmt: skip
    chem.assert_kept(candidate, strings)


@contract("generalization")
def test_radical_centres_in_different_rings(candidate, chem):
    strings = (
        "c1c[c]ccc1-c1cc[c]cc1", "[c]1ccccc1.[c]1cccs1", "[c]1csc(-c2c[c]co2)c1",
        "[c]1ccc(Cc2cc[c]cc2)cc1", "[c]1ccccc1.c1ccccc1", "[c]1cccc2c1cc[c]c2",
    )  # fmt: skip
    chem.assert_kept(candidate, strings)


@contract("generalization")
def test_a_long_chain_of_radical_rings(candidate, chem):
    links = "".join("c1[c]cc(cc1)-" for _ in range(30))
    chem.assert_kept(candidate, [links + "c1cccs1"])


@contract("generalization")
def test_random_radicals_of_all_scaffolds(candidate, chem, rng):
    scaffolds = (*FUSED, *CHARGED, *ASSEMBLIES, *WITH_CARBONYL)
    strings = []
    for _ in range(150):
        scaffold = scaffolds[int(rng.integers(len(scaffolds)))]
        centres = int(rng.integers(1, 4))
        molecule = chem.decorate(scaffold, centres, int(rng.integers(0, 3)), rng)
        strings.append(chem.write(molecule, rng))
    chem.assert_kept(candidate, strings)
