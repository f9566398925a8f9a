"""Aggregates: planned denominators, attempts before tasks, coverage always, nothing mixed."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.metric.counts import TrialCounts
from referee.record.fault import BadInput
from referee.stats.aggregate import PlannedCell, aggregate, mean_of_means


def trial(task="t0", arm="a", attempt=1, passed=1, **changes):
    values = {
        "arm": arm,
        "task_id": task,
        "attempt": attempt,
        "outcome": "scored",
        "withheld_reason": None,
        "task_digest": f"digest of {task}",
        "grader_digest": "g",
        "grader_limits": "{}",
        "public": (1, 1),
        "private": (passed, 2),
        "fail2pass": (passed, 2),
        "pass2pass": (0, 0),
    }
    return TrialCounts(**(values | changes))


def withheld(task="t0", arm="a", attempt=1, reason="disk_full"):
    return trial(
        task,
        arm,
        attempt,
        outcome="withheld",
        withheld_reason=reason,
        grader_digest=None,
        grader_limits=None,
        public=(0, 0),
        private=(0, 0),
        fail2pass=(0, 0),
    )


def cells(tasks, attempts=1, arm="a"):
    return [PlannedCell(arm, task, attempts) for task in tasks]


def test_errored_runs_stay_in_the_denominator_and_out_of_the_mean():
    tasks = [f"t{n}" for n in range(8)]
    trials = [trial(t, passed=2) for t in tasks[:2]] + [trial(t, passed=0) for t in tasks[2:6]]
    trials += [withheld(tasks[6]), withheld(tasks[7], reason="sandbox_start")]
    (row,) = aggregate(cells(tasks), trials)
    assert (row.planned, row.scored, row.withheld, row.pending) == (8, 6, 2, 0)
    assert row.withheld_by_reason == {"disk_full": 1, "sandbox_start": 1}
    assert row.means["pass1"] == 2 / 6
    assert row.pass1_of_planned == 2 / 8


def test_attempts_first_then_tasks():
    trials = [trial("t0", passed=2, attempt=n) for n in (1, 2, 3)] + [trial("t1", passed=0)]
    (row,) = aggregate(cells(["t0", "t1"], 3), trials)
    assert row.means["pass1"] == 1 / 2
    assert (row.planned, row.scored, row.pending, row.tasks_scored) == (6, 4, 2, 2)


def test_nothing_scored_is_none_and_not_zero():
    (row,) = aggregate(cells(["t0"]), [withheld()])
    assert set(row.means.values()) == {None}
    assert row.pass1_of_planned == 0.0


def test_an_arm_without_a_trial_still_has_its_row():
    rows = aggregate(cells(["t0"]) + cells(["t0"], arm="b"), [trial()])
    assert [(row.arm, row.scored, row.pending) for row in rows] == [("a", 1, 0), ("b", 0, 1)]


def test_groups_split_the_planned_cells():
    planned = [PlannedCell("a", "t0", 1, "x"), PlannedCell("a", "t1", 1, "y")]
    rows = aggregate(planned, [trial("t0", passed=2), trial("t1", passed=0)])
    assert [(row.group, row.means["pass1"]) for row in rows] == [("x", 1.0), ("y", 0.0)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"task_digest": "other"}, "the task differs"),
        ({"grader_digest": "h"}, "the grader differs"),
        ({"grader_limits": '{"s":1}'}, "the limits differs"),
    ],
)
def test_what_cannot_be_compared_is_not_mixed(change, words):
    with pytest.raises(BadInput, match=f"arms a and b cannot share a table.*{words}"):
        aggregate(cells(["t0"]) + cells(["t0"], arm="b"), [trial(), trial(arm="b", **change)])


def test_two_tasks_graded_by_two_graders_are_not_mixed():
    with pytest.raises(BadInput, match="grader"):
        aggregate(cells(["t0", "t1"]), [trial(), trial("t1", grader_digest="h")])


def test_a_trial_too_many_is_refused():
    with pytest.raises(BadInput, match="2 trials at task t0, and 1 were planned"):
        aggregate(cells(["t0"]), [trial(), trial(attempt=2)])


@given(st.lists(st.lists(st.integers(0, 7), max_size=4), max_size=5), st.randoms())
def test_mean_of_means_is_that_of_fractions_in_any_order(groups, chance: random.Random):
    got = mean_of_means([[n / 7 for n in group] for group in groups])
    kept = [group for group in groups if group]
    if not kept:
        assert got is None
        return
    exact = sum(Fraction(sum(g), 7 * len(g)) for g in kept) / len(kept)
    assert got == pytest.approx(float(exact), rel=1e-14, abs=0)
    shuffled = [chance.sample(group, len(group)) for group in groups]
    chance.shuffle(shuffled)
    assert mean_of_means([[n / 7 for n in group] for group in shuffled]) == got


def test_importing_it_imports_nothing_heavy():
    code = (
        "import sys, referee.stats.aggregate; "
        "print([m for m in ('numpy', 'pydantic', 'duckdb', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_each_mean_has_its_interval_and_what_it_rests_on():
    tasks = [f"t{n}" for n in range(6)]
    trials = [trial(t, passed=n % 3) for n, t in enumerate(tasks[:5])] + [withheld(tasks[5])]
    (row,) = aggregate(cells(tasks), trials)
    found = row.intervals["pass1"]
    assert (found.method, found.value, found.n, found.planned) == ("Wilson score", 1 / 5, 5, 6)
    private = row.intervals["private"]
    assert private.value == row.means["private"] == 0.4
    assert 0.0 <= private.low < 0.4 < private.high <= 1.0
    assert private.method == "Student t over task means"


def test_one_task_has_no_interval():
    (row,) = aggregate(cells(["t0"], 2), [trial(), trial(attempt=2, passed=2)])
    assert row.means["pass1"] == 0.5
    assert set(row.intervals.values()) == {None}
