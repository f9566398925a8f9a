"""Public checks: two aryl radicals and two molecules that must not change."""

import re

from referee.wall import contract, probe


@probe
def round_trip(smiles):
    import selfies as sf

    return sf.decoder(sf.encoder(smiles))


@probe
def encode(smiles):
    import selfies as sf

    return sf.encoder(smiles)


def census(smiles):
    """Carbon atoms without hydrogens, sulfur atoms, other carbon atoms, double bonds."""
    bare = len(re.findall(r"\[C(?:H0)?\]", smiles))
    outside = re.sub(r"\[[^]]*\]", "", smiles)
    return bare, outside.count("S"), outside.count("C"), smiles.count("=")


@contract("coverage")
def test_phenyl_radical_keeps_three_double_bonds_and_its_bare_carbon(candidate):
    assert census(candidate(round_trip, "c1ccc[c]c1")) == (1, 0, 5, 3)


@contract("coverage")
def test_thienyl_radical_keeps_two_double_bonds_and_its_bare_carbon(candidate):
    assert census(candidate(round_trip, "c1cc[c]s1")) == (1, 1, 3, 2)


@contract("regression")
def test_closed_shell_rings_keep_their_selfies(candidate):
    assert candidate(encode, "Cc1ccccc1") == "[C][C][=C][C][=C][C][=C][Ring1][=Branch1]"
    assert candidate(encode, "c1cc[nH]c1") == "[C][C][=C][NH1][C][=Ring1][Branch1]"
