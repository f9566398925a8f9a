"""PaperBench rubrics: there and back, and the same scores by PaperBench's own arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.metric.rubric.grade import grade
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.paperbench import (
    FINE_CATEGORIES,
    from_paperbench,
    graded_to_paperbench,
    to_paperbench,
)
from referee.metric.rubric.tree import rubric_from
from referee.record.fault import BadInput

CATEGORIES = ("Code Development", "Code Execution", "Result Analysis")


@st.composite
def paperbench(draw, depth=0):
    """A rubric in PaperBench's format, without names: `named` gives each node its own."""
    inner = depth < 2 and draw(st.booleans())
    return {
        "requirements": draw(st.text(min_size=1, max_size=5)),
        "weight": draw(st.integers(1, 30)),
        "sub_tasks": draw(st.lists(paperbench(depth + 1), min_size=1, max_size=3)) if inner else [],
        "task_category": None if inner else draw(st.sampled_from(CATEGORIES)),
        "finegrained_task_category": None
        if inner
        else draw(st.none() | st.sampled_from(sorted(FINE_CATEGORIES))),
    }


def named(node, name="n"):
    below = [named(child, f"{name}.{i}") for i, child in enumerate(node["sub_tasks"])]
    return {"id": name, **node, "sub_tasks": below}


RUBRICS = paperbench().map(named)


@settings(max_examples=50)
@given(RUBRICS)
def test_there_and_back_is_the_same_document(data):
    assert to_paperbench(from_paperbench(data)) == data


@settings(max_examples=50)
@given(RUBRICS, st.data())
def test_scores_are_those_of_paperbench(data, draw):
    rubric = from_paperbench(data)
    values = {x.id: draw.draw(st.sampled_from([0, 1])) for x in rubric.leaves}
    graded = graded_to_paperbench(rubric, grade(rubric, {n: Finding(v) for n, v in values.items()}))

    def weighted(node):
        below = node["sub_tasks"]
        if not below:
            return float(values[node["id"]])
        total = sum(child["weight"] for child in below)
        return sum(weighted(child) * child["weight"] for child in below) / total

    assert graded["score"] == pytest.approx(weighted(data), abs=1e-12)
    assert graded["valid_score"] is True


def small(**more):
    leaf = {
        "id": "a",
        "requirements": "r",
        "weight": 1,
        "sub_tasks": [],
        "task_category": "Code Development",
        "finegrained_task_category": None,
    }
    other = leaf | {"id": "b", "task_category": "Result Analysis"}
    root = leaf | {"id": "root", "task_category": None, "sub_tasks": [leaf, other]}
    return root | more


def test_a_leaf_without_a_score_makes_no_ancestor_valid():
    rubric = from_paperbench(small())
    result = grade(rubric, {"a": Finding(1), "b": Finding(Withheld("judge_unavailable"))})
    graded = graded_to_paperbench(rubric, result)
    assert (graded["score"], graded["valid_score"]) == (None, False)
    assert graded["judge_metadata"] == {"low": 0.5, "high": 1.0}
    first, second = graded["sub_tasks"]
    assert (first["score"], first["valid_score"]) == (1.0, True)
    assert (second["score"], second["explanation"]) == (None, "judge_unavailable")
    assert from_paperbench(graded).root == rubric.root, "a graded tree is read as its rubric"


@pytest.mark.parametrize(
    "broken",
    [
        small(task_category="Code Development"),
        small(finegrained_task_category="Cooking"),
        small(sub_tasks=[small()["sub_tasks"][0] | {"task_category": "Subtree"}]),
        small(sub_tasks=[small()["sub_tasks"][0] | {"task_category": None}]),
        small(sub_tasks=[small()["sub_tasks"][0] | {"weight": -1}]),
        small(sub_tasks=[small()["sub_tasks"][0] | {"weight": 0}]),
        small(surprise=1),
        {k: v for k, v in small().items() if k != "weight"},
    ],
)
def test_a_broken_rubric_is_refused(broken):
    with pytest.raises(BadInput):
        from_paperbench(broken)


def test_weightless_nodes_can_be_taken_out_and_no_score_changes():
    data = small()
    data["sub_tasks"].append(data["sub_tasks"][0] | {"id": "free", "weight": 0})
    rubric = from_paperbench(data, drop_weightless=True)
    assert [x.id for x in rubric.leaves] == ["a", "b"]
    nothing = small(sub_tasks=[small()["sub_tasks"][0] | {"weight": 0}])
    with pytest.raises(BadInput, match="no score"):
        from_paperbench(nothing, drop_weightless=True)


def test_fractional_weights_become_whole_and_keep_their_shares():
    ours = rubric_from(
        {
            "id": "root",
            "requirements": "all",
            "weight": "1/7",
            "sub_tasks": [
                {
                    "id": name,
                    "title": "A title",
                    "requirements": name,
                    "weight": weight,
                    "task_category": "Execution",
                    "finegrained_task_category": "of our own",
                }
                for name, weight in (("a", "1/3"), ("b", 0.25), ("c", 2))
            ],
        }
    )
    data = to_paperbench(ours)
    assert [child["weight"] for child in data["sub_tasks"]] == [4, 3, 24]
    assert data["sub_tasks"][0]["requirements"] == "A title: a"
    assert data["sub_tasks"][0]["finegrained_task_category"] is None
    again = from_paperbench(data)
    assert [x.share for x in again.leaves] == [x.share for x in ours.leaves]
    assert again.leaves[0].share == Fraction(4, 31)
