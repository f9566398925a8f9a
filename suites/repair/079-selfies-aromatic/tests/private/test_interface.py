# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""The two functions keep their shape, also for radicals: types, flags, attribution, fixed points."""

from referee.wall import contract, probe

RADICALS = (
    "c1ccc[c]c1", "c1cc[c]s1", "c1ccc2[c]cccc2c1", "C[n+]1c[c]ccc1", "c1c[c]cc[c]1", "c1cc[c]c(C)n1",
    "[c]1cc(Cl)co1", "[O-]c1cc[c]cc1",
)  # fmt: skip


@probe
def encode(strings, strict):
    import selfies as sf

    answers = [sf.encoder(s, strict=strict) for s in strings]
    assert all(type(a) is str for a in answers)
    return answers


@probe
def encode_twice(strings):
    import selfies as sf

    first = [sf.encoder(s) for s in strings]
    again = [sf.encoder(s) for s in reversed(strings)]
    return [first, again[::-1]]


@probe
def settle(strings):
    import selfies as sf

    rows = []
    for s in strings:
        text = sf.encoder(s)
        back = sf.decoder(text)
        rows.append([text, back, sf.encoder(back), sf.decoder(sf.encoder(back))])
    return rows


@probe
def attributed(smiles):
    import selfies as sf

    text, maps = sf.encoder(smiles, attribute=True)
    rows = [
        [m.index, m.token, [[a.index, a.token] for a in (m.attribution or [])]] for m in maps
    ]
    return [sf.encoder(smiles), text, rows]


@probe
def symbols(strings):
    import selfies as sf

    return [list(sf.split_selfies(sf.encoder(s))) for s in strings]


@probe
def with_carbon_limit(strings, limit):
    import selfies as sf

    rules = dict(sf.get_semantic_constraints())
    rules["C"] = limit
    sf.set_semantic_constraints(rules)
    try:
        answers = []
        for s in strings:
            try:
                answers.append(sf.encoder(s))
            except sf.EncoderError:
                answers.append(None)
        return answers
    finally:
        sf.set_semantic_constraints()


@contract("exploration")
def test_strict_and_lenient_encodings_are_the_same_text(candidate, chem):
    strict, lenient = candidate(encode, list(RADICALS), True), candidate(encode, list(RADICALS), False)
    assert strict == lenient
    assert all(isinstance(s, str) and s.startswith("[") and s.endswith("]") for s in strict)
    chem.assert_kept(candidate, RADICALS)


@contract("exploration")
def test_encoding_is_deterministic(candidate, chem):
    first, again = candidate(encode_twice, list(RADICALS))
    other, _ = candidate(encode_twice, list(RADICALS))
    assert first == again == other
    chem.assert_kept(candidate, RADICALS)


@contract("exploration")
def test_the_returned_string_is_a_fixed_point(candidate, chem):
    rows = candidate(settle, list(RADICALS))
    assert len(rows) == len(RADICALS)
    for smiles, (text, back, text_again, back_again) in zip(RADICALS, rows, strict=True):
        assert (text_again, back_again) == (text, back), smiles
        assert chem.difference(smiles, back) == ""


@contract("exploration")
def test_each_atom_is_attributed_to_the_letter_it_comes_from(candidate, chem):
    for smiles in ("c1ccc[c]c1", "[c]1ccc(Cl)s1", "C[n+]1c[c]ccc1"):
        plain, text, rows = candidate(attributed, smiles)
        assert text == plain
        letters = [source[1] for row in rows for source in row[2]]
        bare = [row[1] for row in rows if ["[c]"] == [source[1] for source in row[2]]]
        assert len(letters) >= len(chem.parse(smiles).atoms), smiles
        assert [symbol.strip("[]=") for symbol in bare] == ["CH0"], smiles
        chem.assert_kept(candidate, [smiles])


@contract("exploration")
def test_a_radical_centre_is_one_ordinary_symbol(candidate, chem):
    for smiles, parts in zip(RADICALS, candidate(symbols, list(RADICALS)), strict=True):
        bare = [p for p in parts if p.strip("[]=") == "CH0"]
        assert len(bare) == smiles.count("[c]"), f"{smiles}: {parts}"
    chem.assert_kept(candidate, RADICALS)


@contract("exploration")
def test_semantic_constraints_still_apply_to_radicals(candidate):
    strings = ["c1ccc[c]c1", "c1cc[c]s1"]
    assert candidate(with_carbon_limit, strings, 2) == [None, None]
    assert all(isinstance(s, str) for s in candidate(with_carbon_limit, strings, 4))
