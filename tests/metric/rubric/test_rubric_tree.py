"""The tree of a rubric: exact shares, and every fault by its code."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.metric.rubric.exact import exact, written
from referee.metric.rubric.schema import Root
from referee.metric.rubric.tree import problems_of, rubric_from
from referee.record.fault import BadInput


def leaf(name, weight=1, **more):
    more = {"task_category": "Validation", **more}
    return {"id": name, "requirements": f"about {name}", "weight": weight, **more}


def tree(*nodes, **more):
    return {"id": "root", "requirements": "all", "weight": 1, "sub_tasks": list(nodes), **more}


def inner(name, *nodes, weight=1):
    return tree(*nodes) | {"id": name, "weight": weight}


def codes(data):
    return [problem.code for problem in problems_of(Root.model_validate_json(json.dumps(data)))]


def test_shares_are_exact_fractions_of_the_whole():
    rubric = rubric_from(
        tree(
            inner("A", leaf("a1", 1), leaf("a2", 1), leaf("a3", 1), weight=10),
            inner("B", leaf("b1", 0.1), leaf("b2", "1/3"), weight=90),
        )
    )
    shares = {x.id: x.share for x in rubric.leaves}
    assert shares["a1"] == Fraction(1, 30)
    assert shares["b1"] == Fraction(9, 10) * Fraction(3, 13)
    assert shares["b2"] == Fraction(9, 10) * Fraction(10, 13)
    assert sum(shares.values()) == 1
    assert [x.section for x in rubric.leaves] == ["A", "A", "A", "B", "B"]
    assert [n.id for n in rubric.by_id["b1"].ancestors] == ["root", "B"]


def test_a_root_that_is_a_leaf_is_its_own_section():
    rubric = rubric_from(leaf("only"))
    assert [(x.share, x.section) for x in rubric.leaves] == [(1, "only")]


@given(st.recursive(st.integers(1, 99), lambda s: st.lists(s, min_size=1, max_size=4)))
def test_shares_add_up_to_exactly_one(shape):
    def node(part, name):
        if isinstance(part, int):
            return leaf(name, f"1/{part}")
        return inner(name, *(node(p, f"{name}.{i}") for i, p in enumerate(part)), weight=7)

    rubric = rubric_from(node(shape, "r"))
    assert sum((x.share for x in rubric.leaves), Fraction(0)) == 1


@pytest.mark.parametrize("weight", [0, -1, "0", "x", "1/0", True, float("nan"), float("inf"), None])
def test_a_weight_is_finite_and_above_zero(weight):
    with pytest.raises((BadInput, ValueError)):
        rubric_from(tree(leaf("a", weight)))


NUMERIC = {"numeric_checks": [{"path": "/x", "operator": "finite"}]}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (tree(leaf("a"), leaf("a")), "duplicate_id"),
        (tree(leaf("a"), leaf("root")), "duplicate_id"),
        (tree(leaf("a"), groups=[{"id": "a"}]), "duplicate_id"),
        (tree(leaf("a", task_category=None)), "leaf_without_category"),
        (tree(leaf("a"), task_category="Execution"), "inner_with_task_category"),
        (tree(leaf("a"), scoring={"kind": "five_level"}), "inner_with_scoring"),
        (tree(leaf("a"), gate=True), "inner_with_gate"),
        (tree(leaf("a", scoring={"kind": "binary", "by": "code"})), "numeric_without_conditions"),
        (tree(leaf("a", **NUMERIC)), "conditions_unused"),
        (tree(leaf("a", check={"mode": "fail_only", "manual": "m"})), "check_without_conditions"),
        (
            tree(
                leaf(
                    "a",
                    scoring={"kind": "binary", "by": "code"},
                    check={"mode": "fail_only", "manual": "m"},
                    **NUMERIC,
                )
            ),
            "check_decides_nothing",
        ),
        (
            tree(
                leaf(
                    "a",
                    scoring={"kind": "units", "units": ["u", "v"]},
                    numeric_checks=[{"path": "/x", "operator": "finite", "unit": "u"}],
                )
            ),
            "unit_without_condition",
        ),
        (
            tree(
                leaf(
                    "a",
                    scoring={"kind": "units", "units": ["u"]},
                    numeric_checks=[
                        {"path": "/x", "operator": "finite", "unit": "u"},
                        {"path": "/x", "operator": "finite", "unit": "w"},
                    ],
                )
            ),
            "unknown_unit",
        ),
        (tree(leaf("a", requires=["b"])), "unknown_dependency"),
        (tree(leaf("a", requires=["a"])), "cyclic_dependency"),
        (
            tree(leaf("a", requires=["b"]), leaf("b", requires=["c"]), leaf("c", requires=["a"])),
            "cyclic_dependency",
        ),
        (tree(leaf("a"), groups=[{"id": "g", "requires": ["a"]}]), "group_needs_leaf"),
        (tree(leaf("a"), gate_and_cap={"health": ["b"]}), "unknown_health_leaf"),
        (tree(leaf("a", effective_points=99.9)), "effective_points"),
    ],
)
def test_each_fault_has_its_code(data, code):
    assert code in codes(data)
    with pytest.raises(BadInput):
        rubric_from(data)


def test_the_honest_twins_have_no_fault():
    data = tree(
        leaf("a", scoring={"kind": "binary", "by": "code"}, effective_points=25, **NUMERIC),
        leaf("b", requires=["a", "g"], gate=True),
        leaf("c", check={"mode": "fail_only", "manual": "read the report"}, **NUMERIC),
        leaf(
            "d",
            scoring={"kind": "units", "units": ["u"]},
            numeric_checks=[{"path": "/x", "operator": "leq", "upper": 1.0, "unit": "u"}],
        ),
        groups=[{"id": "g"}, {"id": "h", "requires": ["g"]}],
        gate_and_cap={"health": ["b"]},
    )
    assert codes(data) == []
    rubric = rubric_from(data)
    assert rubric.deterministic_share == Fraction(1, 2)
    assert rubric.warnings == ()


def test_unknown_keys_and_degenerate_metrics_are_refused():
    with pytest.raises(BadInput, match="sub_task"):
        rubric_from(tree(leaf("a")) | {"sub_task": []})
    for floor, target, direction in ((1, 1, "higher"), (2, 1, "higher"), (1, 2, "lower")):
        metric = {
            "kind": "metric",
            "floor": floor,
            "target": target,
            "direction": direction,
            "source": "Table 1",
        }
        with pytest.raises(BadInput, match=f"not {direction}"):
            rubric_from(tree(leaf("a", scoring=metric)))


def test_a_group_in_percent_that_is_off_is_said_and_normalised():
    nodes = (leaf("a", 50), leaf("b", 49))
    assert rubric_from(tree(*nodes)).warnings == ()
    rubric = rubric_from(tree(*nodes, weight_semantics="percent"))
    assert rubric.by_id["a"].share == Fraction(50, 99)
    assert len(rubric.warnings) == 1
    assert "99" in rubric.warnings[0]
    whole = tree(leaf("a", "100/3"), leaf("b", "200/3"), weight_semantics="percent")
    assert rubric_from(whole).warnings == ()


@given(st.fractions(max_denominator=10**9))
def test_a_written_number_is_read_as_itself(number):
    assert exact(json.loads(json.dumps(written(number)))) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_shortest_decimal(number):
    assert float(exact(number)) == number
    assert exact(0.1) == Fraction(1, 10)
