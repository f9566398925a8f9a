# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""What was right before stays as it was, to the letter.

The expected strings were computed with the untouched snapshot; an independent reader found each of
them to be the molecule that was given.
"""

from referee.wall import contract, probe


@probe
def both_ways(strings):
    import selfies as sf

    rows = []
    for smiles in strings:
        text = sf.encoder(smiles)
        rows.append([text, sf.decoder(text)])
    return rows


AROMATIC = {
    "Cc1ccccc1": (
        "[C][C][=C][C][=C][C][=C][Ring1][=Branch1]",
        "CC1=CC=CC=C1",
    ),
    "c1ccc2ccccc2c1": (
        "[C][=C][C][=C][C][=C][C][=C][C][Ring1][=Branch1][=C][Ring1][#Branch2]",
        "C1=CC=C2C=CC=CC2=C1",
    ),
    "c1ccsc1": (
        "[C][C][=C][S][C][=Ring1][Branch1]",
        "C=1C=CSC=1",
    ),
    "c1ccoc1": (
        "[C][C][=C][O][C][=Ring1][Branch1]",
        "C=1C=COC=1",
    ),
    "c1cc[nH]c1": (
        "[C][C][=C][NH1][C][=Ring1][Branch1]",
        "C=1C=C[NH1]C=1",
    ),
    "c1ccncc1": (
        "[C][=C][C][=N][C][=C][Ring1][=Branch1]",
        "C1=CC=NC=C1",
    ),
    "C[n+]1ccccc1": (
        "[C][N+1][=C][C][=C][C][=C][Ring1][=Branch1]",
        "C[N+1]1=CC=CC=C1",
    ),
    "[O-][n+]1ccccc1": (
        "[O-1][N+1][=C][C][=C][C][=C][Ring1][=Branch1]",
        "[O-1][N+1]1=CC=CC=C1",
    ),
    "[cH+]1cccccc1": (
        "[CH1+1][C][=C][C][=C][C][=C][Ring1][#Branch1]",
        "[CH1+1]1C=CC=CC=C1",
    ),
    "[cH-]1cccc1": (
        "[CH1-1][C][=C][C][=C][Ring1][Branch1]",
        "[CH1-1]1C=CC=C1",
    ),
    "c1cc[s+]s1": (
        "[C][=C][C][=S+1][S][Ring1][Branch1]",
        "C1=CC=[S+1]S1",
    ),
    "Fc1cc[nH+]s1": (
        "[F][C][=C][C][=NH1+1][S][Ring1][Branch1]",
        "FC1=CC=[NH1+1]S1",
    ),
    "Cc1nnn[n-]1": (
        "[C][C][=N][N][=N][N-1][Ring1][Branch1]",
        "CC1=NN=N[N-1]1",
    ),
    "c1cc[bH-]cc1": (
        "[C][=C][C][=BH1-1][C][=C][Ring1][=Branch1]",
        "C1=CC=[BH1-1]C=C1",
    ),
    "c1cc[o+]cc1": (
        "[C][=C][C][=O+1][C][=C][Ring1][=Branch1]",
        "C1=CC=[O+1]C=C1",
    ),
    "C[s+]1cccc1": (
        "[C][S+1][C][=C][C][=C][Ring1][Branch1]",
        "C[S+1]1C=CC=C1",
    ),
    "O=c1cc[nH]cc1": (
        "[O][=C][C][=C][NH1][C][=C][Ring1][=Branch1]",
        "O=C1C=C[NH1]C=C1",
    ),
    "Cn1c(=O)c2c(ncn2C)n(C)c1=O": (
        "[C][N][C][=Branch1][C][=O][C][=C][Branch1][#Branch1][N][=C][N][Ring1][Branch1][C][N][Branch1][C][C][C][Ring1][N][=O]",
        "CN1C(=O)C2=C(N=CN2C)N(C)C1=O",
    ),
    "CC(=O)Oc1ccccc1C(=O)O": (
        "[C][C][=Branch1][C][=O][O][C][=C][C][=C][C][=C][Ring1][=Branch1][C][=Branch1][C][=O][O]",
        "CC(=O)OC1=CC=CC=C1C(=O)O",
    ),
    "c1ccc(-c2ccccc2)cc1": (
        "[C][=C][C][=C][Branch1][=Branch2][C][=C][C][=C][C][=C][Ring1][=Branch1][C][=C][Ring1][N]",
        "C1=CC=C(C2=CC=CC=C2)C=C1",
    ),
    "c1cc[siH]cc1": (
        "[C][=C][C][=SiH1][C][=C][Ring1][=Branch1]",
        "C1=CC=[SiH1]C=C1",
    ),
    "c1cc[se]c1": (
        "[C][C][=C][Se][C][=Ring1][Branch1]",
        "C=1C=C[Se]C=1",
    ),
    "p1ccccc1": (
        "[P][=C][C][=C][C][=C][Ring1][=Branch1]",
        "P1=CC=CC=C1",
    ),
    "[s]1cccc1": (
        "[SH0][C][=C][C][=C][Ring1][Branch1]",
        "[SH0]1C=CC=C1",
    ),
    "[o]1cccc1": (
        "[OH0][C][=C][C][=C][Ring1][Branch1]",
        "[OH0]1C=CC=C1",
    ),
    "[n]1ccccc1": (
        "[NH0][=C][C][=C][C][=C][Ring1][=Branch1]",
        "[NH0]1=CC=CC=C1",
    ),
    "n1(C)cccc1": (
        "[N][Branch1][C][C][C][=C][C][=C][Ring1][=Branch1]",
        "N1(C)C=CC=C1",
    ),
    "[13cH]1ccccc1": (
        "[13CH1][=C][C][=C][C][=C][Ring1][=Branch1]",
        "[13CH1]1=CC=CC=C1",
    ),
    "C1CC1": (
        "[C][C][C][Ring1][Ring1]",
        "C1CC1",
    ),
    "C#N": (
        "[C][#N]",
        "C#N",
    ),
    "[Na+].[Cl-]": (
        "[Na+1].[Cl-1]",
        "[Na+1].[Cl-1]",
    ),
    "c1[se]cc2c1cccc2": (
        "[C][Se][C][=C][C][=Ring1][Branch1][C][=C][C][=C][Ring1][=Branch1]",
        "C=1[Se]C=C2C=1C=CC=C2",
    ),
    "c1ccccc1-c1cccs1": (
        "[C][=C][C][=C][C][=C][Ring1][=Branch1][C][=C][C][=C][S][Ring1][Branch1]",
        "C1=CC=CC=C1C2=CC=CS2",
    ),
}

OPEN_SHELL_BUT_NOT_AROMATIC = {
    "C1=CC=C[C]=C1": (
        "[C][=C][C][=C][CH0][=C][Ring1][=Branch1]",
        "C1=CC=C[CH0]=C1",
    ),
    "C1=CC=[C]S1": (
        "[C][=C][C][=CH0][S][Ring1][Branch1]",
        "C1=CC=[CH0]S1",
    ),
    "[CH3]": (
        "[CH3]",
        "[CH3]",
    ),
    "C[CH2]": (
        "[C][CH2]",
        "C[CH2]",
    ),
    "CC[C]C": (
        "[C][C][CH0][C]",
        "CC[CH0]C",
    ),
    "C[N]C": (
        "[C][NH0][C]",
        "C[NH0]C",
    ),
    "[O]c1ccccc1": (
        "[OH0][C][=C][C][=C][C][=C][Ring1][=Branch1]",
        "[OH0]C1=CC=CC=C1",
    ),
    "[CH2]c1ccccc1": (
        "[CH2][C][=C][C][=C][C][=C][Ring1][=Branch1]",
        "[CH2]C1=CC=CC=C1",
    ),
}

STEREO = {
    "N[C@@H](C)C(=O)O": (
        "[N][C@@H1][Branch1][C][C][C][=Branch1][C][=O][O]",
        "N[C@@H1](C)C(=O)O",
    ),
    "F/C=C/F": (
        "[F][/C][=C][/F]",
        "F/C=C/F",
    ),
    "F/C=C\\F": (
        "[F][/C][=C][\\F]",
        "F/C=C\\F",
    ),
    "C[C@H]1CCc2ccccc2O1": (
        "[C][C@H1][C][C][C][=C][C][=C][C][=C][Ring1][=Branch1][O][Ring1][#Branch2]",
        "C[C@H1]1CCC2=CC=CC=C2O1",
    ),
}


def assert_frozen(candidate, table):
    rows = candidate(both_ways, list(table))
    assert len(rows) == len(table)
    for smiles, (text, back) in zip(table, rows, strict=True):
        assert (text, back) == table[smiles], smiles


@contract("regression")
def test_closed_shell_molecules_keep_their_strings(candidate):
    assert_frozen(candidate, AROMATIC)


@contract("regression")
def test_radicals_outside_of_aromatic_systems_keep_their_strings(candidate):
    assert_frozen(candidate, OPEN_SHELL_BUT_NOT_AROMATIC)


@contract("regression")
def test_stereochemistry_keeps_its_strings(candidate):
    assert_frozen(candidate, STEREO)


@contract("regression")
def test_the_frozen_strings_are_the_molecules(candidate, chem):
    strings = [s for s in AROMATIC if "[Na+]" not in s]
    rows = candidate(both_ways, strings)
    wrong = [w for s, (_, back) in zip(strings, rows, strict=True) if (w := chem.difference(s, back))]
    assert not wrong, "; ".join(wrong[:4])
