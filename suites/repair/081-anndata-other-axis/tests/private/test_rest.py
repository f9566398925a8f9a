# referee-canary 081 72cc39d1-b96a-4548-b227-7d5a0b0a25c0
"""Unstructured annotation, rules of the user, and what was right before."""

import numpy as np
import pytest

from referee.wall import contract, probe


def two(studies, rng, form="dense", genes=None):
    genes = genes or studies.some_genes(rng, 2)
    return [studies.study(rng, number, names, form) for number, names in enumerate(genes)]


def within(found, rule):
    """A merge rule for nested mappings: {key: value} of what is kept."""
    out = {}
    for key in dict.fromkeys(key for one in found for key in one):
        there = [one[key] for one in found if key in one]
        if all(isinstance(value, dict) for value in there):
            # "same" wants the key everywhere, before it looks into the mappings.
            value = within(there, rule) if rule != "same" or len(there) == len(found) else {}
            if value:
                out[key] = value
            continue
        alike = all(type(v) is type(there[0]) and v == there[0] for v in there)
        if (
            rule == "first"
            or (rule == "only" and len(there) == 1)
            or (rule == "unique" and alike)
            or (rule == "same" and alike and len(there) == len(found))
        ):
            out[key] = there[0]
    return out


def notes(rng):
    number = int(rng.integers(100))
    return [
        {"organism": "mouse", "run": 1, "first": 2.5, "map": {"a": number, "b": 1, "c": {"d": 0}}},
        {"organism": "mouse", "run": 2, "map": {"a": number, "b": 2, "c": {"e": 0}}},
        {"organism": "mouse", "run": 1, "last": "x", "map": {"a": number, "z": 3}, "new": {"y": 1}},
    ]


@contract("exploration")
@pytest.mark.parametrize("rule", ["same", "unique", "first", "only"])
def test_unstructured_annotation(candidate, studies, rng, rule):
    made = [studies.study(rng, i, genes) for i, genes in enumerate(studies.some_genes(rng, 3))]
    for one, uns in zip(made, notes(rng), strict=True):
        one["uns"] = uns
    (answer,) = candidate(studies.join_all, [{"studies": made, "options": [{"uns_merge": rule}]}])
    assert answer["uns"] == within([one["uns"] for one in made], rule)


@contract("exploration")
def test_the_two_rules_are_independent(candidate, studies, rng):
    made = studies.annotated(rng, studies.some_genes(rng), only=["all", "edge"])
    for one in made:
        one["uns"] = {"organism": "mouse", "number": 3}
    options = [{"merge": "same", "uns_merge": None}, {"merge": None, "uns_merge": "same"}]
    answers = candidate(studies.join_all, [{"studies": made, "options": options}])
    for answer, option in zip(answers, options, strict=True):
        studies.check(answer, made, "inner", option["merge"])
    assert [answer["uns"] for answer in answers] == [{}, made[0]["uns"]]


@contract("exploration")
def test_a_rule_of_the_user(candidate, studies, rng):
    # The probe hands over a function that keeps the last version of each key.
    made = studies.annotated(rng, studies.some_genes(rng), only=["odd", "edge"])
    jobs = [{"studies": made, "options": [{"join": "outer", "merge": "longest"}]}]
    for answer in candidate(studies.join_all, jobs):
        for part in ("table", "m", "p"):
            wanted = studies.expected(made[::-1], answer["genes"], part, "first")
            assert set(answer[part]) == set(wanted)
            for key, values in wanted.items():
                got = answer[part][key] if part == "table" else answer[part][key]["values"]
                np.testing.assert_array_equal(np.asarray(got, dtype=float), values)
        assert set(answer["genes"]) == studies.joined_genes(made, "outer")


def matrix_of(studies_, genes, fill):
    return np.concatenate(
        [
            np.array(
                [
                    row[one["genes"].index(gene)] if gene in one["genes"] else fill
                    for row in one["matrix"]
                    for gene in genes
                ],
                dtype=float,
            ).reshape(len(one["cells"]), len(genes))
            for one in studies_
        ]
    )


@contract("regression")
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_the_joined_matrix(candidate, studies, rng, form):
    made = two(studies, rng, form)
    for one in made:
        one["own"] = {"depth": rng.normal(size=len(one["cells"]))}
    options = [{"join": "inner"}, {"join": "outer"}, {"join": "inner", "max_loaded_elems": 4}]
    answers = candidate(studies.join_all, [{"studies": made, "options": options}])
    for answer, option in zip(answers, options, strict=True):
        fill = np.nan if form == "dense" else 0.0
        wanted = matrix_of(made, answer["genes"], fill)
        assert set(answer["genes"]) == studies.joined_genes(made, option["join"])
        np.testing.assert_array_equal(answer["matrix"], wanted)
        np.testing.assert_array_equal(answer["layers"]["depth"]["values"], 2 * wanted)
        depth = np.concatenate([one["own"]["depth"] for one in made])
        np.testing.assert_array_equal(answer["own"]["depth"], depth)
        np.testing.assert_array_equal(answer["own_m"]["depth"]["values"], np.stack([depth] * 2, 1))
        assert answer["cells"] == [cell for one in made for cell in one["cells"]]
        assert answer["kept"]


@contract("regression")
def test_without_rules_nothing_is_kept(candidate, studies, rng):
    made = studies.annotated(rng, studies.some_genes(rng), only=["all"])
    made[0]["uns"] = made[1]["uns"] = {"organism": "mouse"}
    jobs = [
        {"studies": made, "options": [{"join": join}], "axis": axis}
        for join, axis in (("inner", "obs"), ("outer", "var"))
    ]
    for answer, job in zip(candidate(studies.join_all, jobs), jobs, strict=True):
        assert (answer["table"], answer["m"], answer["p"], answer["uns"]) == ({}, {}, {}, {})
        assert set(answer["genes"]) == studies.joined_genes(made, job["options"][0]["join"])


@contract("regression")
def test_labels_of_the_joined_axis(candidate, studies, rng):
    made = two(studies, rng)
    options = {"label": "study", "keys": ["one", "two"], "index_unique": "/"}
    (answer,) = candidate(studies.join_all, [{"studies": made, "options": [options]}])
    label = [key for key, one in zip(options["keys"], made, strict=True) for _ in one["cells"]]
    cells = [cell for one in made for cell in one["cells"]]
    assert answer["own"] == {"study": label}
    assert answer["cells"] == [f"{c}/{k}" for c, k in zip(cells, label, strict=True)]


@contract("regression")
def test_refusals(candidate, studies, rng):
    made = two(studies, rng)
    options = [{"pairwise": True}, {"merge": "sum"}, {"join": "left"}]
    jobs = [
        {"studies": made, "options": options, "may_fail": True},
        {"studies": [], "options": [{}], "may_fail": True},
    ]
    words = [answer.get("error") for answer in candidate(studies.join_all, jobs)]
    assert words == ["NotImplementedError", "KeyError", "ValueError", "ValueError"]


@probe
def written(rule):
    """The kinds that the file itself gives to the elements of the other axis."""
    import tempfile
    from pathlib import Path

    import anndata as ad
    import h5py
    import numpy as np
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.h5ad" for i in range(3)]
        for number, path in enumerate(paths[:2]):
            cells = pd.DataFrame(index=[f"{number}-0", f"{number}-1"])
            genes = pd.DataFrame({"n": [1.0, 2.0, 3.0]}, index=list("abc"))
            data = ad.AnnData(np.ones((2, 3)), obs=cells, var=genes)
            data.varm["m"] = np.arange(6.0).reshape(3, 2)
            data.varp["p"] = np.arange(9.0).reshape(3, 3)
            data.uns["note"] = "x"
            data.write_h5ad(path)
        ad.experimental.concat_on_disk(paths[:2], paths[2], merge=rule, uns_merge=rule)
        with h5py.File(paths[2]) as file:
            return {
                name: [str(file[name].attrs["encoding-type"]), sorted(file[name])]
                for name in ("obs", "var", "varm", "varp", "uns", "layers", "obsm")
                if name in file
            }


@contract("exploration")
@pytest.mark.parametrize("rule", [None, "same"])
def test_the_file_is_complete(candidate, rule):
    groups = candidate(written, rule)
    assert [groups[name][0] for name in ("obs", "var")] == ["dataframe"] * 2
    # A mapping of which nothing is kept may be absent as well.
    found = [groups.get(name, ["dict", []]) for name in ("varm", "varp", "uns", "layers", "obsm")]
    assert [kind for kind, _ in found] == ["dict"] * 5
    assert [keys for _, keys in found[:3]] == ([["m"], ["p"], ["note"]] if rule else [[]] * 3)
    assert ("n" in groups["var"][1]) == (rule == "same")
