# referee-canary 073 416556f8-2ed0-4be9-9788-aa474139630e
"""Chains, records and all ways to read them: which bonds the chosen conformers have."""

import numpy as np
import pytest

from referee.wall import contract

BOTH = ("first", "occupancy")


def run(candidate, chains, cases):
    """Each case is (molecule, records, arguments of `text`, further parts of the job). All are read
    once for each way to choose conformers."""
    jobs = [
        {
            "text": chains.text([molecule], records, **how),
            "options": [{"altloc": altloc} for altloc in BOTH],
            **more,
        }
        for molecule, records, how, more in cases
    ]
    answers = candidate(chains.read_all, jobs)
    assert len(answers) == len(BOTH) * len(cases)
    for k, (molecule, records, *_) in enumerate(cases):
        for answer, altloc in zip(answers[2 * k : 2 * k + 2], BOTH, strict=True):
            chains.check(answer, molecule, records, altloc)
    return answers


def cysteines(chains, rng, ids="AB", best="B", far=True, **more):
    """A chain with two cysteines, the first of them with conformers."""
    ends = ["", ids, "", "", ""] if far else ["", "", ids, "", ""]
    comps = ["GLY", "CYS", "ALA", "CYS", "CYS"] if far else ["GLY", "ALA", "CYS", "CYS", "CYS"]
    molecule = chains.chain(rng, comps, ends, best=best, **more)
    return molecule, ("A", ends.index(ids) + 1, "SG")


@contract("knowledge")
@pytest.mark.parametrize("order", ["atom", "residue"])
def test_a_peptide_is_one_chain(candidate, chains, rng, order):
    # Residues next to each other, all their atoms with conformers, the last letter the best.
    comps = rng.permutation(["GLY", "ALA", "SER", "CYS", "ALA"]).tolist()
    molecule = chains.chain(rng, comps, ["", "AB", "AB", "", "AB"], best="B", order=order)
    answers = run(candidate, chains, [(molecule, [], {}, {})])
    # A chain of n residues has n - 1 bonds between them, and no ring: one less than atoms.
    assert [len(a["bonds"]) for a in answers] == [len(a["name"]) - 1 for a in answers]


@contract("knowledge")
def test_a_nucleic_acid_is_one_chain(candidate, chains, rng):
    cases = []
    for comps in (["G", "C", "G", "C"], ["DA", "DA", "DA", "DA"]):
        molecule = chains.chain(rng, comps, ["", "AB", "AB", ""], best="B")
        cases.append((molecule, [], {}, {}))
    run(candidate, chains, cases)


@contract("knowledge")
def test_a_record_without_conformers_holds_for_the_chosen_one(candidate, chains, rng):
    cases = []
    for best, how in (("A", {"conformers": False}), ("B", {"conformers": False}), ("B", {})):
        molecule, sulphur = cysteines(chains, rng, best=best)
        records = [("disulf", sulphur, ("A", 5, "SG"), "??")]
        cases.append((molecule, records, how, {}))
    run(candidate, chains, cases)


@contract("exploration")
@pytest.mark.parametrize("blank", ["?", "."])
def test_records_that_leave_the_conformer_open(candidate, chains, rng, blank):
    # Conformers at the first partner, at the second, at both.
    cases = []
    for ids in (("AB", ""), ("", "AB"), ("BA", "AB")):
        molecule = chains.chain(rng, ["CYS", "GLY", "CYS"], [ids[0], "", ids[1]])
        records = [("disulf", ("A", 1, "SG"), ("A", 3, "SG"), blank * 2)]
        cases.append((molecule, records, {}, {}))
    run(candidate, chains, cases)


@contract("exploration")
def test_conformers_with_other_partners(candidate, chains, rng):
    # The disulphide of conformer A and that of conformer B end at other residues.
    cases = []
    for best in "AB":
        molecule, sulphur = cysteines(chains, rng, best=best)
        records = [
            ("disulf", sulphur, ("A", 4, "SG"), "A?"),
            ("disulf", ("A", 5, "SG"), sulphur, "?B"),
        ]
        cases.append((molecule, records, {}, {}))
    run(candidate, chains, cases)


@contract("exploration")
def test_open_and_named_records_in_one_file(candidate, chains, rng):
    molecule = chains.chain(rng, ["CYS", "ASN", "CYS", "GLY", "CYS"], ["AB", "CA", "", "", "AB"])
    molecule += chains.chain(rng, ["NAG"], ["XY"], name="B")
    first, last = ("A", 1, "SG"), ("A", 5, "SG")
    records = [
        ("covale", ("A", 2, "ND2"), ("B", 1, "C1"), "?X"),
        ("disulf", first, last, "AA"),
        ("disulf", first, last, "BB"),
        ("covale", ("A", 2, "ND2"), ("B", 1, "C1"), "CY"),
        ("covale", ("A", 3, "SG"), ("B", 1, "C2"), "??"),
    ]
    run(candidate, chains, [(molecule, records, {}, {})])


@contract("coverage")
def test_some_atoms_or_many_letters(candidate, chains, rng):
    cases = []
    for ids, names, order in (
        ("AB", ["C", "O"], "atom"),
        ("BCA", None, "mixed"),
        ("CBA", ["N", "CA", "C"], "residue"),
        ("AB", None, "mixed"),
    ):
        conformers = [ids, ids[::-1], "", ids, ids]
        comps = ["SER", "ALA", "CYS", "SER", "ALA"]
        molecule = chains.chain(rng, comps, conformers, names=names, order=order)
        cases.append((molecule, [], {}, {}))
    run(candidate, chains, cases)


@contract("coverage")
def test_bonds_of_the_dictionary_of_components(candidate, chains, rng):
    molecule = chains.chain(rng, ["ALA", "SER", "CYS"], ["AB", "AB", "AB"], best="B")
    molecule += chains.chain(rng, ["CYS"], [""], name="B")
    records = [("disulf", ("A", 3, "SG"), ("B", 1, "SG"), "??")]
    run(candidate, chains, [(molecule, records, {"bonds": False}, {})])


@contract("coverage")
def test_a_stack_of_models(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng)
    models = [molecule, chains.moved(rng, molecule, best="A")]
    records = [("disulf", sulphur, ("A", 5, "SG"), "??")]
    options = [{"model": None, "altloc": altloc} for altloc in BOTH]
    answers = candidate(
        chains.read_all, [{"text": chains.text(models, records), "options": options}]
    )
    for answer, altloc in zip(answers, BOTH, strict=True):
        assert answer["kind"] == "AtomArrayStack"
        # The first model says which conformers are kept, in all models.
        letters = {(one["chain"], one["seq"]): chains.chosen(one, altloc) for one in molecule}
        for coord, model in zip(answer["coord"], models, strict=True):
            spots = [
                one["spots"][name, letter]
                for one in model
                for name, letter in chains.listed(one)
                if letter in (".", letters[one["chain"], one["seq"]])
            ]
            # As in `check`: three decimals, float32.
            np.testing.assert_allclose(coord, spots, rtol=0, atol=1e-4)
        chains.check({**answer, "coord": answer["coord"][0]}, molecule, records, altloc)


@contract("coverage")
def test_one_of_several_models(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng, best="A")
    models = [molecule, chains.moved(rng, molecule, best="B"), chains.moved(rng, molecule)]
    records = [("disulf", ("A", 5, "SG"), sulphur, "??")]
    options = [{"model": number, "altloc": "occupancy"} for number in (1, 2, 3, -2)]
    answers = candidate(
        chains.read_all, [{"text": chains.text(models, records), "options": options}]
    )
    for answer, at in zip(answers, (0, 1, 2, 1), strict=True):
        chains.check(answer, models[at], records, "occupancy")


@contract("generalization")
def test_binary_files(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng)
    other = chains.chain(rng, ["SER", "CYS", "ALA"], ["AB", "AB", "AB"], name="B")
    named = [("disulf", sulphur, ("A", 4, "SG"), letter + "?") for letter in "AB"]
    open_ = [("disulf", sulphur, ("B", 2, "SG"), "??")]
    cases = [
        (molecule + other, named + open_, {}, {"binary": True}),
        (molecule + other, open_, {"conformers": False}, {"binary": True}),
    ]
    run(candidate, chains, cases)


@contract("generalization")
def test_a_glycan_with_conformers(candidate, chains, rng):
    # A branch at an asparagine, and a zinc ion. Records to another copy in the crystal count not.
    molecule = chains.chain(rng, ["ALA", "ASN", "CYS"], ["", "AB", "AB"], best="B")
    molecule += chains.chain(rng, ["NAG"], ["AB"], name="B")
    molecule += chains.chain(rng, ["ZN"], [""], name="C")
    records = [
        ("covale", ("A", 2, "ND2"), ("B", 1, "C1"), "??"),
        ("metalc", ("A", 3, "SG"), ("C", 1, "ZN"), "??"),
        ("covale 2_655", ("A", 2, "OD1"), ("B", 1, "C2"), "??"),
        ("hydrog", ("A", 1, "N"), ("B", 1, "O5"), "??"),
    ]
    run(
        candidate, chains, [(molecule, records, {"conformers": flag}, {}) for flag in (True, False)]
    )


def operations():
    return """loop_
_pdbx_struct_assembly_gen.assembly_id
_pdbx_struct_assembly_gen.oper_expression
_pdbx_struct_assembly_gen.asym_id_list
1 1,2 A,B
#
loop_
_pdbx_struct_oper_list.id
{}
1 1 0 0 0 1 0 0 0 1 0 0 0
2 1 0 0 0 1 0 0 0 1 0 0 50
#
""".format(
        "\n".join(
            [f"_pdbx_struct_oper_list.matrix[{i}][{j}]" for i in (1, 2, 3) for j in (1, 2, 3)]
            + [f"_pdbx_struct_oper_list.vector[{i}]" for i in (1, 2, 3)]
        )
    )


@contract("generalization")
def test_assemblies(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng)
    molecule += chains.chain(rng, ["SER", "CYS"], ["AB", "AB"], name="B")
    records = [("disulf", sulphur, ("B", 2, "SG"), "??")]
    options = [{"assembly": True, "altloc": altloc} for altloc in BOTH]
    job = {"text": chains.text([molecule], records) + operations(), "options": options}
    for answer, altloc in zip(candidate(chains.read_all, [job]), BOTH, strict=True):
        copies = np.array(answer["copy"])
        assert set(copies.tolist()) == {0, 1}
        for copy in (0, 1):
            rows = np.where(copies == copy)[0]
            at = {int(row): k for k, row in enumerate(rows)}
            part = {k: [answer[k][row] for row in rows] for k in ("chain", "seq", "name")}
            part["coord"] = np.asarray(answer["coord"])[rows] - [0, 0, 50 * copy]
            part["bonds"] = [[at[i], at[j], k] for i, j, k in answer["bonds"] if i in at]
            chains.check(part, molecule, records, altloc)


@contract("generalization")
def test_numbers_of_the_file_or_of_the_authors(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng)
    records = [("disulf", sulphur, ("A", 4, "SG"), "??")]
    options = [{"use_author_fields": False, "altloc": altloc} for altloc in BOTH]
    options.append({"extra_fields": ["occupancy"], "altloc": "occupancy"})
    job = {"text": chains.text([molecule], records), "options": options}
    *by_label, extended = candidate(chains.read_all, [job])
    for answer, altloc in zip(by_label, BOTH, strict=True):
        chains.check(answer, molecule, records, altloc, author=False)
    chains.check(extended, molecule, records, "occupancy")
    shares = [1.0] * len(extended["name"])
    for at, (_, seq, _) in enumerate(chains.found(extended)[0]):
        if seq == sulphur[1]:
            shares[at] = 0.5
    assert extended["share"] == shares


@contract("regression")
def test_without_conformers(candidate, chains, rng):
    molecule, _ = cysteines(chains, rng, ids="", best=None)
    sulphur = ("A", 2, "SG")
    records = [
        ("disulf", sulphur, ("A", 5, "SG"), "??"),
        ("disulf", ("A", 4, "SG"), ("A", 9, "SG"), "??"),
    ]
    cases = [
        (molecule, records, {}, {}),
        (molecule, records, {"conformers": False}, {}),
        (molecule, records, {"site_conformers": False}, {}),
        (molecule, [], {"site_conformers": False, "bonds": False}, {"binary": True}),
    ]
    run(candidate, chains, cases)


@contract("regression")
def test_atoms_alone(candidate, chains, rng):
    molecule, _ = cysteines(chains, rng)
    file = chains.text([molecule], [("disulf", ("A", 2, "SG"), ("A", 4, "SG"), "??")])
    options = [{"altloc": altloc, "include_bonds": False} for altloc in BOTH]
    options.append({"include_bonds": False})
    answers = candidate(chains.read_all, [{"text": file, "options": options}])
    # The default is the first conformer.
    for answer, altloc in zip(answers, (*BOTH, "first"), strict=True):
        assert answer["bonds"] is None
        assert answer["conformer"] is None
        atoms, _ = chains.wanted(molecule, [], altloc)
        names, _ = chains.found({**answer, "bonds": []})
        assert names == [name for name, _ in atoms]
        # As in `check`: three decimals, float32.
        spots = [spot for _, spot in atoms]
        np.testing.assert_allclose(answer["coord"], spots, rtol=0, atol=1e-4)


@contract("regression")
def test_all_conformers(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng)
    records = [("disulf", sulphur, ("A", 4, "SG"), "B?")]
    options = [{"altloc": "all", "include_bonds": flag} for flag in (False, True)]
    job = {"text": chains.text([molecule], records), "options": options}
    plain, bonded = candidate(chains.read_all, [job])
    rows = [((one["chain"], one["seq"], n), c) for one in molecule for n, c in chains.listed(one)]
    for answer in (plain, bonded):
        assert answer["conformer"] == [letter for _, letter in rows]
        names, _ = chains.found({**answer, "bonds": []})
        assert names == [name for name, _ in rows]
    assert plain["bonds"] is None
    ends = [tuple(rows[k] for k in bond[:2]) for bond in bonded["bonds"]]
    assert [{a, b} for a, b in ends if a[0][2] == b[0][2] == "SG"] == [
        {(sulphur, "B"), (("A", 4, "SG"), ".")}
    ]


@contract("regression")
def test_refusals(candidate, chains, rng):
    molecule, sulphur = cysteines(chains, rng, ids="AB")
    last = ("A", 5, molecule[-1]["names"][-1])
    assert last[2] == "SG"
    plain = chains.text([molecule])
    double = chains.text([molecule], [("disulf", sulphur, last, "A?")], twice=True)
    jobs = [
        {"text": plain, "options": [{"altloc": "best"}, {"model": 0}, {"model": 2}]},
        {"text": double, "options": [{}, {"include_bonds": False}]},
    ]
    answers = candidate(chains.read_all, [job | {"may_fail": True} for job in jobs])
    words = [answer.get("error") for answer in answers]
    assert words == ["ValueError", "ValueError", "ValueError", "InvalidFileError", None]
