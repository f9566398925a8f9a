# referee-canary 081 72cc39d1-b96a-4548-b227-7d5a0b0a25c0
"""What each rule keeps of the elements of the axis that is not joined."""

import itertools

import numpy as np
import pytest

from referee.wall import contract

JOIN_OF = {"same": "inner", "unique": "outer", "first": "outer", "only": "inner"}


def run(candidate, studies, cases):
    """Each case is (studies, join, rule, further parts of the job); cases of the same studies that
    stand together share their files."""
    jobs = []
    for made, join, rule, more in cases:
        if not jobs or jobs[-1]["studies"] is not made:
            jobs.append({"studies": made, "options": [], **more})
        jobs[-1]["options"].append({"join": join, "merge": rule})
    answers = candidate(studies.join_all, jobs)
    assert len(answers) == len(cases)
    for answer, (made, join, rule, _) in zip(answers, cases, strict=True):
        studies.check(answer, made, join, rule)
    return answers


@contract("knowledge")
@pytest.mark.parametrize("rule", JOIN_OF)
def test_dense_elements_follow_the_rule(candidate, studies, rng, rule):
    made = studies.annotated(rng, studies.some_genes(rng, 3))
    run(candidate, studies, [(made, JOIN_OF[rule], rule, {})])


@contract("knowledge")
@pytest.mark.parametrize("rule", ["same", "first"])
def test_sparse_elements_follow_the_rule(candidate, studies, rng, rule):
    made = studies.annotated(rng, studies.some_genes(rng), form="csr", only=["all", "edge", "last"])
    run(candidate, studies, [(made, JOIN_OF[rule], rule, {})])


@contract("knowledge")
def test_an_inner_join_can_make_studies_agree(candidate, studies, rng):
    made = studies.annotated(rng, studies.some_genes(rng))
    (answer,) = run(candidate, studies, [(made, "inner", "same", {})])
    for part in ("table", "m", "p"):
        assert set(answer[part]) == {"all", "edge"}


@contract("knowledge")
def test_pairs_follow_both_genes(candidate, studies, rng):
    # An antisymmetric and a symmetric function of two genes, in files with other orders of genes.
    genes = [rng.permutation(studies.POOL).tolist() for _ in range(2)]
    made = [studies.study(rng, number, names) for number, names in enumerate(genes)]
    for one in made:
        x = np.array([studies.number_of(gene) for gene in one["genes"]])
        one["p"]["minus"] = studies.element("dense", x[:, None] - x[None, :])
        one["p"]["times"] = studies.element("csc", x[:, None] * x[None, :])
    (answer,) = run(candidate, studies, [(made, "inner", "same", {})])
    x = np.array([studies.number_of(gene) for gene in answer["genes"]])
    np.testing.assert_array_equal(answer["p"]["minus"]["values"], x[:, None] - x[None, :])
    np.testing.assert_array_equal(answer["p"]["times"]["values"], x[:, None] * x[None, :])


@contract("coverage")
@pytest.mark.parametrize("form", ["dense", "csr", "csc", "frame"])
def test_the_same_genes_everywhere(candidate, studies, rng, form):
    genes = rng.permutation(studies.POOL).tolist()[:5]
    made = studies.annotated(rng, [genes] * 2, form, only=["all", "odd"])
    run(candidate, studies, [(made, "inner" if form == "csr" else "outer", "same", {})])


@contract("coverage")
@pytest.mark.parametrize("join", ["inner", "outer"])
def test_tables_as_elements(candidate, studies, rng, join):
    made = studies.annotated(rng, studies.some_genes(rng), form="frame", only=["all", "edge"])
    (answer,) = run(candidate, studies, [(made, join, "same" if join == "inner" else "first", {})])
    assert len(answer["m"]) == 2
    assert all(what["names"] == answer["genes"] for what in answer["m"].values())


@contract("coverage")
def test_kinds_of_columns(candidate, studies, rng):
    genes = studies.some_genes(rng, 2)
    made = [studies.study(rng, number, names) for number, names in enumerate(genes)]
    # All different: words that repeat are written as categories, in some files and not in others.
    locus = {gene: f"locus {i}" for i, gene in enumerate(studies.POOL)}
    for one in made:
        names = one["genes"]
        one["table"] = {
            "locus": [locus[gene] for gene in names],
            "strand": {
                "values": ["+-"[studies.POOL.index(gene) % 2] for gene in names],
                "categories": ["+", "-"],
            },
            "exons": [int(studies.number_of(gene)) for gene in names],
            "coding": [bool(studies.number_of(gene) > 4) for gene in names],
        }
    job = {"studies": made, "options": [{"join": "inner", "merge": "same"}]}
    (answer,) = candidate(studies.join_all, [job])
    genes = answer["genes"]
    assert set(genes) == studies.joined_genes(made, "inner")
    assert set(answer["table"]) == {"locus", "strand", "exons", "coding"}
    assert answer["table"]["locus"] == [locus[gene] for gene in genes]
    assert answer["table"]["strand"] == ["+-"[studies.POOL.index(gene) % 2] for gene in genes]
    assert answer["kinds"]["strand"] == "category"
    assert np.asarray(answer["table"]["exons"]).tolist() == [studies.number_of(g) for g in genes]
    assert answer["kinds"]["exons"] == "int64"
    assert answer["table"]["coding"].tolist() == [studies.number_of(g) > 4 for g in genes]
    assert answer["kinds"]["coding"] == "bool"


@contract("coverage")
def test_whole_numbers_and_missing_values(candidate, studies, rng):
    genes = studies.some_genes(rng, 2)
    made = [studies.study(rng, number, names) for number, names in enumerate(genes)]
    for one in made:
        x = np.array([studies.number_of(gene) for gene in one["genes"]]).astype(int)
        one["m"]["whole"] = studies.element("dense", np.stack([x, 5 * x], axis=1))
        one["m"]["gaps"] = studies.element(
            "dense", np.where(x % 2, np.nan, x)[:, None] * [1.0, 2.0]
        )
        one["p"]["gaps"] = studies.element("dense", np.where(x % 3, np.nan, x)[:, None] + x)
    inner, _ = run(candidate, studies, [(made, "inner", "same", {}), (made, "outer", "first", {})])
    assert set(inner["m"]) == {"whole", "gaps"}
    assert inner["m"]["whole"]["values"].dtype.kind == "i"
    assert set(inner["p"]) == {"gaps"}


@contract("generalization")
def test_along_the_other_axis(candidate, studies, rng):
    cases = []
    for form, (join, rule) in zip(
        ("dense", "csr"), (("inner", "same"), ("outer", "unique")), strict=True
    ):
        made = studies.annotated(rng, studies.some_genes(rng), form, only=["all", "edge", "last"])
        cases.append((made, join, rule, {"axis": "var"}))
    run(candidate, studies, cases)


@contract("generalization")
def test_another_file_format(candidate, studies, rng):
    made = studies.annotated(rng, studies.some_genes(rng), only=["last"])
    made[0]["uns"] = made[1]["uns"] = {"organism": "mouse"}
    options = {"join": "outer", "merge": "first", "uns_merge": "same"}
    job = {"studies": made, "options": [options], "store": "zarr"}
    (answer,) = candidate(studies.join_all, [job])
    studies.check(answer, made, "outer", "first")
    assert set(answer["m"]) == set(answer["p"]) == {"last"}
    assert answer["uns"] == {"organism": "mouse"}


@contract("generalization")
def test_the_order_of_genes_in_a_file_does_not_matter(candidate, studies, rng):
    genes = studies.some_genes(rng)
    seed = int(rng.integers(1 << 30))
    answers = []
    for turn in (False, True):
        orders = [rng.permutation(names).tolist() if turn else names for names in genes]
        made = studies.annotated(np.random.default_rng(seed), orders, only=["all", "last"])
        answers += run(candidate, studies, [(made, "outer", "unique", {})])
    for part, key in itertools.product(("m", "p"), ("all", "last")):
        values = []
        for answer in answers:
            at = [answer["genes"].index(gene) for gene in sorted(answer["genes"])]
            got = answer[part].get(key)
            if got is not None:
                got = got["values"][np.ix_(at, at)] if part == "p" else got["values"][at]
            values.append(got)
        assert (values[0] is None) == (values[1] is None)
        if values[0] is not None:
            np.testing.assert_array_equal(*values)


@contract("generalization")
def test_studies_that_know_nothing_or_share_nothing(candidate, studies, rng):
    genes = studies.some_genes(rng)
    made = studies.annotated(rng, genes, only=["all"])
    made[0] |= {"table": {}, "m": {}, "p": {}}
    apart = studies.annotated(rng, [studies.POOL[:3], studies.POOL[3:7]], only=["all", "last"])
    cases = [(made, "inner", rule, {}) for rule in ("same", "unique")]
    run(candidate, studies, [*cases, (apart, "outer", "first", {})])
