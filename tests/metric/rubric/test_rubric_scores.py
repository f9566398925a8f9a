"""Scores of leaves and tasks: exact, bounded, the same in any order."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.metric.rubric.embodied import capped
from referee.metric.rubric.grade import grade
from referee.metric.rubric.leaf import (
    Finding,
    Unusable,
    Withheld,
    binary,
    five_level,
    metric,
    score_leaf,
)
from referee.metric.rubric.numeric import coded_finding, hybrid_check
from referee.metric.rubric.publish import PublishedLeaf, publication_problems
from referee.metric.rubric.schema import Metric
from referee.metric.rubric.tree import rubric_from
from referee.record.fault import Infrastructure

DOWN = Withheld("judge_unavailable")


def leaf(name, weight=1, category="Validation", **more):
    return {
        "id": name,
        "requirements": name,
        "weight": weight,
        "task_category": category,
        **more,
    }


def rubric(*nodes, **more):
    return rubric_from(
        {"id": "root", "requirements": "all", "weight": 1, "sub_tasks": list(nodes), **more}
    )


def graded(tree, *, groups=None, **values):
    findings = {
        name: value if isinstance(value, Finding) else Finding(value)
        for name, value in values.items()
    }
    return grade(tree, findings, groups)


THIRDS = rubric(
    leaf("m", "1/3", "Modeling"), leaf("e", "1/3", "Execution"), leaf("v", "1/3", "Validation")
)


def test_three_thirds_are_one():
    assert graded(THIRDS, m=1, e=1, v=1).score == 1
    assert graded(THIRDS, m=1, e=0, v=1).score == F(2, 3)


def test_complete_is_strictly_above_nine_tenths():
    tree = rubric(leaf("a", 9), leaf("b", 1))
    exactly = graded(tree, a=1, b=0)
    assert (exactly.score, exactly.complete) == (F(9, 10), False)
    tree = rubric(leaf("a", 9_000_001), leaf("b", 999_999))
    assert graded(tree, a=1, b=0).complete is True
    ten = rubric(*(leaf(f"x{i}", 0.1) for i in range(10)))
    nine = graded(ten, **{f"x{i}": int(i < 9) for i in range(10)})
    assert nine.complete is False, "ten floats of 0.1 would be added with an error"


@pytest.mark.parametrize("value", [True, False, 0.5, "1", None, math.nan, 2, -1, [1], 1 + 1e-12])
def test_binary_is_exactly_zero_or_one(value):
    with pytest.raises(Unusable):
        binary(value)
    score = score_leaf(THIRDS.by_id["m"].node, Finding(value))
    assert score.withheld, "a judge's unusable answer is no zero"
    assert (score.low, score.high) == (0, 1)
    assert score.reason is not None
    assert score.reason.startswith("judge_error")


@pytest.mark.parametrize(
    ("value", "quarters"),
    [(0, 0), (1, 4), (1.0, 4), (7, 4), (-3, 0), (0.3, 1), (0.125, 0), (0.1251, 1), (0.9, 4)],
)
def test_five_levels_clip_and_snap(value, quarters):
    assert five_level(value) == F(quarters, 4)


@pytest.mark.parametrize("value", ["0.5", None, math.nan, math.inf, True, "score: 1"])
def test_a_grade_that_cannot_be_read_is_a_judge_error_and_no_zero(value):
    tree = rubric(leaf("a", scoring={"kind": "five_level"}))
    assert graded(tree, a=value).withheld == ("a",)


@pytest.mark.parametrize(
    ("floor", "target", "direction", "value", "score"),
    [
        # success rate, path length and orientation of a published navigation task
        (0, 47.7, "higher", 47.7, 1),
        (0, 38.1, "higher", 19.05, F(1, 2)),
        (0, 57.9, "higher", 100, 1),
        (10.03, 5.62, "lower", 10.03, 0),
        (10.03, 5.62, "lower", 5.62, 1),
        (10.03, 5.62, "lower", 12, 0),
        (10, 5, "lower", 7.5, F(1, 2)),
    ],
)
def test_metric_scores_rise_from_floor_to_target(floor, target, direction, value, score):
    how = Metric.model_validate(
        {
            "kind": "metric",
            "floor": floor,
            "target": target,
            "direction": direction,
            "source": "Table 2",
        }
    )
    assert metric(how, value) == score


def test_a_measured_number_that_is_not_finite_is_zero():
    how = {"kind": "metric", "floor": 0, "target": 1, "direction": "higher", "source": "s"}
    tree = rubric(leaf("a", scoring={**how, "path": "/sr"}))
    node = tree.by_id["a"].node
    for value in (math.nan, math.inf, "1", True):
        assert graded(tree, a=value).score == 0
    assert grade(tree, {"a": coded_finding(node, {"sr": 0.5})}).score == F(1, 2)
    assert grade(tree, {"a": coded_finding(node, {"other": 0.5})}).score == 0
    assert grade(tree, {"a": coded_finding(node, DOWN)}).score is None


UNITS = {
    "scoring": {"kind": "units", "units": ["u", "v", "w"]},
    "numeric_checks": [
        {"path": f"/{u}", "operator": "leq", "upper": 0.1, "unit": u} for u in "uvw"
    ],
}


def test_units_are_averaged_and_blocked_ones_leave_bounds():
    tree = rubric(leaf("a", **UNITS))
    assert graded(tree, a={"u": 1, "v": 0, "w": 1}).score == F(2, 3)
    partly = graded(tree, a={"u": 1, "v": 0, "w": DOWN})
    assert (partly.score, partly.low, partly.high) == (None, F(1, 3), F(2, 3))
    assert graded(tree, a={"u": 1, "v": 0}).withheld == ("a",)
    assert graded(tree, a={"u": 1, "v": 1, "w": 1, "x": 1}).withheld == ("a",)
    assert graded(tree, a={"u": 1, "v": 0.5, "w": 1}).withheld == ("a",)


def test_code_decides_each_unit_by_its_own_conditions():
    tree = rubric(leaf("a", **UNITS))
    node = tree.by_id["a"].node
    assert coded_finding(node, {"u": 0.05, "v": [0.1, 0.2]}).value == {"u": 1, "v": 0, "w": 0}
    assert grade(tree, {"a": coded_finding(node, None)}).score == 0


def test_what_could_not_be_looked_at_leaves_only_its_own_unit_open():
    tree = rubric(leaf("a", **UNITS))
    node = tree.by_id["a"].node
    found = coded_finding(node, {"u": 0.05, "v": DOWN, "w": 7})
    assert found.value == {"u": 1, "v": DOWN, "w": 0}
    result = grade(tree, {"a": found})
    assert (result.low, result.high) == (F(1, 3), F(2, 3))
    deep = rubric(
        leaf(
            "a",
            scoring={"kind": "binary", "by": "code"},
            numeric_checks=[
                {"path": "/w30/e/0", "operator": "finite"},
                {"path": "/w50/e", "operator": "finite"},
            ],
        )
    )
    node = deep.by_id["a"].node
    for returned, score in (
        ({"w30": DOWN, "w50": {"e": 1.0}}, None),
        ({"w30": DOWN, "w50": None}, 0),
        ({"w30": {"e": [1.0]}, "w50": {"e": 1.0}}, 1),
        (DOWN, None),
    ):
        assert grade(deep, {"a": coded_finding(node, returned)}).score == score


HYBRID = {
    "check": {"mode": "fail_only", "manual": "the text says why"},
    "numeric_checks": [{"path": "/x", "operator": "finite"}],
}


def test_a_fail_only_check_can_only_take_away():
    tree = rubric(leaf("a", **HYBRID))
    node = tree.by_id["a"].node
    assert hybrid_check(node, {"x": 1.0}) is True
    assert hybrid_check(node, {"x": math.nan}) is False
    assert hybrid_check(node, None) is False
    assert hybrid_check(node, {"x": DOWN}) == hybrid_check(node, DOWN) == DOWN
    for judged in (0, 1):
        assert graded(tree, a=Finding(judged, check=True)).score == judged
        assert graded(tree, a=Finding(judged, check=False)).score == 0
    assert graded(tree, a=Finding(DOWN, check=False)).score == 0, "no judge is asked"
    assert graded(tree, a=Finding(1, check=DOWN)).score is None
    assert graded(tree, a=Finding(0, check=DOWN)).score == 0, "0 whatever the check says"
    with pytest.raises(ValueError, match="go together"):
        graded(tree, a=1)


CHAIN = rubric(leaf("a"), leaf("b", requires=["a"]), leaf("c", requires=["b"]), leaf("d"))


def test_a_requirement_that_failed_is_zero_and_one_that_is_open_is_open():
    failed = graded(CHAIN, a=0, b=1, c=1, d=1)
    assert [failed.leaves[x].score for x in "abcd"] == [0, 0, 0, 1]
    assert failed.leaves["b"].method == "evidence_gate"
    down = graded(CHAIN, a=DOWN, b=1, c=1, d=1)
    assert down.withheld == ("a", "b", "c")
    assert (down.low, down.high) == (F(1, 4), 1)
    known = graded(CHAIN, a=DOWN, b=0, c=1, d=1)
    assert known.withheld == ("a",), "b is 0 either way, and c with it"


def test_a_group_that_is_not_met_blocks_only_what_needs_it():
    tree = rubric(
        leaf("a", requires=["bands"]),
        leaf("b", requires=["geometry"]),
        leaf("c"),
        groups=[{"id": "bands", "requires": ["geometry"]}, {"id": "geometry"}],
    )
    values = {"a": 1, "b": 1, "c": 1}
    assert graded(tree, groups={"geometry": True, "bands": True}, **values).score == 1
    assert graded(tree, groups={"geometry": True, "bands": False}, **values).low == F(2, 3)
    assert graded(tree, groups={"geometry": False, "bands": True}, **values).score == F(1, 3)
    down = graded(tree, groups={"geometry": DOWN, "bands": True}, **values)
    assert down.withheld == ("a", "b")
    with pytest.raises(Infrastructure, match="leaf_ids"):
        graded(tree, groups={"geometry": True}, **values)


def test_a_gate_asks_for_a_review_and_changes_no_other_score():
    tree = rubric(leaf("g", gate=True), leaf("a"))
    failed = graded(tree, g=0, a=1)
    assert (failed.gate_pass, failed.evidence_review_required) == (False, True)
    assert failed.leaves["a"].score == 1
    assert graded(tree, g=1, a=0).gate_pass is True
    assert graded(tree, g=DOWN, a=0).gate_pass is None
    assert graded(THIRDS, m=0, e=0, v=0).gate_pass is None


def test_parts_are_earned_over_possible():
    result = graded(THIRDS, m=1, e=DOWN, v=0)
    assert result.by_category["Modeling"].score == 1
    assert result.by_category["Execution"].score is None
    assert result.by_category["Execution"].high == F(1, 3)
    assert result.by_category["Validation"].score == 0
    assert list(result.by_section) == ["m", "e", "v"]
    only = graded(rubric(leaf("v")), v=1)
    assert only.by_category["Modeling"].score is None


@pytest.mark.parametrize("given_", [{"m": 1, "e": 1}, {"m": 1, "e": 1, "v": 1, "x": 1}])
def test_the_leaf_ids_are_locked(given_):
    with pytest.raises(Infrastructure, match="leaf_ids"):
        graded(THIRDS, **given_)


# --- properties -------------------------------------------------------------------------------

POSSIBLE = st.sampled_from([0, 1])


@st.composite
def cases(draw):
    """A rubric of judged leaves with requirements, every leaf's true score, and the withheld."""
    count = draw(st.integers(1, 6))
    names = [f"x{i}" for i in range(count)]
    nodes = [
        leaf(
            name,
            f"{draw(st.integers(1, 50))}/{draw(st.integers(1, 9))}",
            draw(st.sampled_from(["Modeling", "Execution", "Validation"])),
            requires=draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else [],
        )
        for i, name in enumerate(names)
    ]
    truth = {name: draw(POSSIBLE) for name in names}
    hidden = draw(st.sets(st.sampled_from(names)))
    return nodes, truth, hidden


@settings(max_examples=40)
@given(cases())
def test_scores_are_in_bounds_and_the_bounds_hold_the_truth(case):
    nodes, truth, hidden = case
    tree = rubric(*nodes)
    full = graded(tree, **truth)
    seen = graded(tree, **{n: DOWN if n in hidden else v for n, v in truth.items()})
    assert 0 <= full.score <= 1
    assert 0 <= seen.low <= full.score <= seen.high <= 1
    assert seen.score is None or seen.score == full.score
    assert all(seen.leaves[n].low <= full.leaves[n].score <= seen.leaves[n].high for n in truth)
    assert sum(p.low for p in seen.by_category.values()) == seen.low
    assert sum(p.high for p in seen.by_section.values()) == seen.high


@settings(max_examples=40)
@given(cases(), st.randoms())
def test_the_order_of_leaves_and_findings_changes_nothing(case, random):
    nodes, truth, hidden = case
    values = {n: DOWN if n in hidden else v for n, v in truth.items()}
    first = graded(rubric(*nodes), **values)
    shuffled, items = list(nodes), list(values.items())
    random.shuffle(shuffled)
    random.shuffle(items)
    second = graded(rubric(*shuffled), **dict(items))
    assert (first.low, first.high, first.score) == (second.low, second.high, second.score)
    assert first.leaves == second.leaves
    assert first.by_category == second.by_category


@settings(max_examples=40)
@given(cases())
def test_a_leaf_that_is_turned_from_0_to_1_never_lowers_a_score(case):
    nodes, truth, _ = case
    tree = rubric(*nodes)
    for name in truth:
        assert (
            graded(tree, **(truth | {name: 1})).score >= graded(tree, **(truth | {name: 0})).score
        )


# --- gate and cap -----------------------------------------------------------------------------

EMBODIED = rubric(
    leaf("code", 50, "Modeling"),
    leaf("coverage", 20),
    leaf("science", 30),
    gate_and_cap={"health": ["coverage"]},
)


@pytest.mark.parametrize(
    ("coverage", "seen", "gate"),
    [
        (0.80, 10, 0),
        (0.95, 10, 1),
        (1.0, 10, 1),
        (0.875, 10, F(1, 2)),
        (1, 4, F(2, 5)),
    ],
)
def test_the_coverage_gate(coverage, seen, gate):
    raw = graded(EMBODIED, code=1, coverage=1, science=1)
    result = capped(EMBODIED, raw, coverage=coverage, seen=seen, planned=10)
    assert (result.gate, result.score) == (gate, gate)


def test_the_science_cap():
    none = graded(EMBODIED, code=1, coverage=1, science=0)
    assert none.score == F(7, 10)
    assert capped(EMBODIED, none, coverage=1, seen=1, planned=1).score == F(1, 4)
    no_science = rubric(leaf("code", 1, "Modeling"), gate_and_cap={})
    raw = graded(no_science, code=1)
    assert capped(no_science, raw, coverage=1, seen=1, planned=1).score == F(1, 4)
    down = graded(EMBODIED, code=1, coverage=1, science=DOWN)
    result = capped(EMBODIED, down, coverage=1, seen=1, planned=1)
    assert (result.score, result.low, result.high) == (None, F(1, 4), 1)
    assert result.complete is None


def test_a_gate_needs_its_policy_and_numbers_in_range():
    raw = graded(EMBODIED, code=1, coverage=1, science=1)
    for coverage, seen, planned in ((math.nan, 1, 1), (1.2, 1, 1), (1, 1, 0), (1, -1, 1)):
        with pytest.raises(ValueError):
            capped(EMBODIED, raw, coverage=coverage, seen=seen, planned=planned)
    with pytest.raises(ValueError, match="no gate_and_cap"):
        capped(THIRDS, graded(THIRDS, m=1, e=1, v=1), coverage=1, seen=1, planned=1)


# --- publication ------------------------------------------------------------------------------

HONEST = [PublishedLeaf(n, 1 / 3, s) for n, s in (("m", 1.0), ("e", 0.0), ("v", 1.0))]


def test_an_honest_record_may_be_published():
    assert publication_problems(THIRDS, HONEST, 2 / 3) == ()


@pytest.mark.parametrize(
    ("leaves", "total", "word"),
    [
        (HONEST[:2], 1 / 3, "missing"),
        ([*HONEST, HONEST[0]], 2 / 3, "2 times"),
        ([*HONEST, PublishedLeaf("x", 0.1, 1.0)], 2 / 3, "no leaf"),
        ([PublishedLeaf("m", 1 / 3, True), *HONEST[1:]], 2 / 3, "not a number"),
        ([PublishedLeaf("m", 1 / 3, math.nan), *HONEST[1:]], 2 / 3, "not a number"),
        ([PublishedLeaf("m", 1 / 3, 1.5), *HONEST[1:]], 2 / 3, "not a number"),
        ([PublishedLeaf("m", 1 / 3, None), *HONEST[1:]], 2 / 3, "withheld"),
        ([PublishedLeaf("m", 0.34, 1.0), *HONEST[1:]], 2 / 3, "share"),
        ([PublishedLeaf("m", math.nan, 1.0), *HONEST[1:]], 2 / 3, "share"),
        (HONEST, 2 / 3 + 1e-5, "total"),
        (HONEST, math.nan, "total"),
        (HONEST, None, "total"),
    ],
)
def test_a_record_that_does_not_hold_together_is_not_published(leaves, total, word):
    problems = publication_problems(THIRDS, leaves, total)
    assert problems
    assert any(word in problem for problem in problems)
