"""Scores of a repair: exact, bounded, monotone, over a closed world."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.metric.repair import (
    close_world,
    refused_checks,
    repair_scores,
    require_scorable,
)
from referee.record.fault import BadInput, Infrastructure
from referee.record.verdict import CheckResult

OUTCOMES = ("passed", "failed", "errored", "timeout", "resource", "missing")


@dataclass(frozen=True)
class Lock:
    kind: str
    passed: bool
    contract: str | None = None


LOCKS = {
    "u1": Lock("public", False),
    "u2": Lock("public", True),
    "v1": Lock("private", False, "invariance"),
    "v2": Lock("private", False),
    "v3": Lock("private", True),
    "r1": Lock("regression", True),
    "r2": Lock("regression", True),
}


def seen(name, outcome="passed", kind=None, trust=None, **more):
    kind = kind or LOCKS[name].kind
    return CheckResult(
        id=name,
        kind=kind,
        outcome=outcome,
        trust=trust or ("in-process" if kind == "regression" else "wall"),
        baseline_passed=more.pop("baseline_passed", LOCKS[name].passed if name in LOCKS else True),
        **more,
    )


def scores(**outcomes):
    return repair_scores(
        close_world(LOCKS, [seen(name, outcomes.get(name, "passed")) for name in LOCKS])
    )


def test_all_passed_is_one_everywhere():
    assert scores().as_json() == {
        "public": 1.0,
        "private": 1.0,
        "fail2pass": 1.0,
        "pass2pass": 1.0,
        "pass1": 1,
        "pass2pass_empty": False,
    }


def test_each_score_looks_at_its_own_set():
    got = scores(u1="failed", v1="timeout", r1="errored")
    assert (got.public, got.private, got.fail2pass) == (1 / 2, 2 / 3, 1 / 2)
    assert (got.pass2pass, got.pass1) == (2 / 3, 0)


def test_public_checks_do_not_decide_pass1():
    assert scores(u1="failed", u2="failed").pass1 == 1


@pytest.mark.parametrize("outcome", OUTCOMES[1:])
def test_only_passed_is_passed(outcome):
    got = scores(v3=outcome)
    assert (got.pass1, got.pass2pass, got.private) == (0, 2 / 3, 2 / 3)


def test_regression_can_lower_and_never_earn():
    assert scores(r1="failed", r2="failed").fail2pass == 1.0
    nothing = scores(v1="failed", v2="failed", v3="failed")
    assert (nothing.private, nothing.fail2pass, nothing.pass1) == (0.0, 0.0, 0)


def test_an_empty_pass2pass_is_one_and_says_so():
    locks = {"u": Lock("public", False), "v": Lock("private", False)}
    got = repair_scores(refused_checks(locks, "forbidden_path"))
    assert (got.pass2pass, got.pass2pass_empty, got.pass1) == (1.0, True, 0)


@pytest.mark.parametrize(
    ("locks", "words"),
    [
        ({}, "public"),
        ({"v": Lock("private", False)}, "public"),
        ({"u": Lock("public", False), "v": Lock("private", True)}, "nothing to earn"),
        ({"u": Lock("public", False), "r": Lock("regression", True)}, "nothing to earn"),
        (
            {
                "u": Lock("public", False),
                "v": Lock("private", False),
                "r": Lock("regression", False),
            },
            "regression check 'r'",
        ),
    ],
)
def test_a_task_that_cannot_be_scored_is_refused(locks, words):
    with pytest.raises(BadInput, match=words):
        require_scorable(locks)
    with pytest.raises(BadInput, match=words):
        repair_scores(refused_checks(locks, "x"))


def test_what_did_not_come_back_is_missing():
    closed = close_world(LOCKS, [])
    assert {c.id: c.outcome for c in closed} == dict.fromkeys(LOCKS, "missing")
    assert repair_scores(closed).pass1 == 0


@pytest.mark.parametrize(
    "extra",
    [
        seen("other", kind="private"),
        seen("other", kind="public"),
        seen("v1", kind="private"),
        seen("u1", kind="public"),
        seen("r1", kind="private"),
        seen("v1", kind="public"),
    ],
)
def test_an_unlocked_or_doubled_id_of_the_trusted_side_is_a_grader_fault(extra):
    with pytest.raises(Infrastructure) as caught:
        close_world(LOCKS, [seen("v1"), seen("u1"), extra])
    assert caught.value.reason == "grader_ids"


def test_an_in_process_result_cannot_stand_for_a_private_check():
    with pytest.raises(Infrastructure):
        close_world(LOCKS, [seen("v1", trust="in-process")])
    forged = close_world(LOCKS, [seen("v1", kind="regression")])
    assert {c.id: c.outcome for c in forged}["v1"] == "missing"


def test_a_candidate_gains_nothing_by_odd_regression_ids():
    closed = close_world(
        LOCKS,
        [seen("r1", "failed"), seen("r1", "passed"), seen("r9", kind="regression"), seen("r2")],
    )
    got = {c.id: c.outcome for c in closed}
    assert (got["r1"], got["r2"]) == ("errored", "passed")
    assert "r9" not in got


def test_facts_of_the_lock_win_over_what_came_back():
    lying = seen("v1", baseline_passed=True, contract="other", reason="x", message="m")
    closed = {c.id: c for c in close_world(LOCKS, [lying])}["v1"]
    assert (closed.baseline_passed, closed.contract) == (False, "invariance")
    assert (closed.reason, closed.message) == ("x", "m")


locks_strategy = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.builds(Lock, st.sampled_from(["public", "private", "regression"]), st.booleans()),
    max_size=8,
).map(
    lambda locks: (
        {
            name: Lock(lock.kind, True if lock.kind == "regression" else lock.passed)
            for name, lock in locks.items()
        }
        | {"U": Lock("public", False), "V": Lock("private", False)}
    )
)


@given(locks_strategy, st.data())
def test_scores_are_bounded_exact_and_monotone(locks, data):
    outcomes = {name: data.draw(st.sampled_from(OUTCOMES)) for name in locks}

    def closed(table):
        return close_world(
            locks,
            [
                CheckResult(
                    id=n,
                    kind=locks[n].kind,
                    outcome=o,
                    trust="in-process" if locks[n].kind == "regression" else "wall",
                    baseline_passed=True,
                )
                for n, o in table.items()
            ],
        )

    before = repair_scores(closed(outcomes))
    private = [n for n in locks if locks[n].kind == "private"]
    exact = Fraction(sum(outcomes[n] == "passed" for n in private), len(private))
    assert before.private == float(exact)
    lost = data.draw(st.sampled_from(sorted(locks)))
    after = repair_scores(closed(outcomes | {lost: "failed"}))
    names = ("public", "private", "fail2pass", "pass2pass", "pass1")
    assert all(0 <= getattr(before, n) <= 1 for n in names)
    assert all(getattr(after, n) <= getattr(before, n) for n in names)
    assert (before.pass1 == 1) == (before.private == before.pass2pass == 1)
