"""Two arms in pairs: who solved what, the test that fits, and what it says of missing trials."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.metric.counts import TrialCounts
from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.report.arm_difference import arm_differences, pairs_of, require_declared
from referee.report.compare import TRANSITIONS, compare
from referee.report.compare_runs import Compared
from referee.report.compare_text import compare_json, compare_lines
from referee.report.usage import Usage, total


def trial(arm, task, passed, attempt=1, **changes):
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
        "private": (passed, 1),
        "fail2pass": (passed, 1),
        "pass2pass": (0, 0),
    }
    return TrialCounts(**(values | changes))


def withheld(arm, task, attempt=1):
    return trial(
        arm, task, 0, attempt, outcome="withheld", withheld_reason="disk_full", grader_digest=None
    )


def contest(both, only_first, only_second, neither):
    """One attempt at each of as many tasks as the four counts say."""
    outcomes = [(1, 1)] * both + [(1, 0)] * only_first + [(0, 1)] * only_second
    outcomes += [(0, 0)] * neither
    tasks = [f"t{n:03}" for n in range(len(outcomes))]
    trials = [
        trial(arm, task, passed)
        for task, pair in zip(tasks, outcomes, strict=True)
        for arm, passed in zip(("with", "without"), pair, strict=True)
    ]
    return trials, tasks


def compared(comparison, adjusted=None):
    return Compared((), comparison, adjusted, (Usage(trials=1), Usage(trials=1)))


def test_the_papers_ablation_is_told_as_it_is():
    trials, tasks = contest(21, 8, 12, 50)
    found = compare("with", "without", trials, tasks, 1)
    assert found.pvalue == pytest.approx(0.5034, abs=5e-5)
    assert len(found.tasks("only_first")) == 8
    lines = compare_lines(compared(found, 1.0))
    text = "\n".join(lines)
    assert "91 of 91 planned pairs" in text
    assert "both 21, only with 8, only without 12, neither 50" in text
    assert "with solved 29 of 91: 31.9 % (23.2 to 42.0)" in text
    assert "difference -4.4 points, -14.0 to +5.4 (Newcombe method 10)" in text
    assert "-14.5 to +5.6 (Tango score)" in text
    assert "p 0.503 (McNemar, exact; mid-p 0.383)" in text
    assert "p 1 among all comparisons (Holm)" in text
    assert "odds ratio 0.667 (0.236 to 1.77)" in text
    assert "20 discordant tasks: 15 to 5 or more uneven is significant at 0.05" in text
    assert "91 tasks with this discordance find 14.0 points with a power of 0.8" in text
    assert "only with: t021, t022" in text
    made = json.loads(json.dumps(compare_json(compared(found)), allow_nan=False))
    assert made["counts"] == {"both": 21, "only_first": 8, "only_second": 12, "neither": 50}
    assert made["one_attempt"]["test"]["exact"] == "131975/262144"
    assert made["tasks"]["only_second"] == [f"t{n:03}" for n in range(29, 41)]


@given(st.tuples(*[st.integers(0, 6)] * 4).filter(sum), st.randoms())
def test_swapped_arms_and_shuffled_trials_say_the_same(counts, chance):
    trials, tasks = contest(*counts)
    there = compare("with", "without", trials, tasks, 1)
    back = compare("without", "with", chance.sample(trials, len(trials)), tasks, 1)
    assert there.pvalue == back.pvalue
    assert there.tasks("only_first") == back.tasks("only_second")
    assert sum(len(there.tasks(name)) for name in TRANSITIONS) == len(tasks)
    json.dumps(compare_json(compared(there)), allow_nan=False)
    assert compare_lines(compared(there))


def test_a_pair_without_a_score_is_told_and_not_counted_as_lost():
    trials, tasks = contest(1, 2, 0, 1)
    trials = [t for t in trials if t.task_id not in ("t000", "t001")]
    trials += [trial("with", "t000", 1), withheld("without", "t000"), trial("without", "t001", 0)]
    found = compare("with", "without", trials, tasks, 1)
    assert found.unpaired == {"with is pending": 1, "without was withheld: disk_full": 1}
    assert (found.table.n, found.table.planned, found.table.coverage) == (2, 4, 0.5)
    assert (found.table.only_first, found.table.neither) == (1, 1)
    assert found.one_attempt.test.coverage == 0.5
    assert "2 of 4 planned pairs; with is pending: 1" in compare_lines(compared(found))[1]


def test_several_attempts_are_tested_by_task():
    trials, tasks = [], [f"t{n}" for n in range(4)]
    for n, task in enumerate(tasks):
        for attempt in (1, 2):
            trials.append(trial("with", task, 1 if n < 3 else 0, attempt))
            trials.append(trial("without", task, int(n == 0 and attempt == 1), attempt))
    found = compare("with", "without", trials, tasks, 2)
    assert (found.one_attempt, found.rates) == (None, None)
    assert found.tasks("only_first") == ("t0#2", "t1#1", "t1#2", "t2#1", "t2#2")
    assert found.by_task.value == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    assert (found.by_task.n, found.by_task.coverage) == (4, 1.0)
    text = "\n".join(compare_lines(compared(found)))
    assert "difference over 4 tasks: +62.5 points" in text
    assert "of a paired t test over tasks" in text
    json.dumps(compare_json(compared(found)), allow_nan=False)


def test_one_task_of_several_attempts_has_no_test():
    trials = [trial(arm, "t", 1, n) for arm in ("with", "without") for n in (1, 2)]
    found = compare("with", "without", trials, ["t"], 2)
    assert (found.by_task, found.pvalue) == (None, None)
    assert "no test and no interval" in "\n".join(compare_lines(compared(found)))


def test_an_infinite_odds_ratio_is_no_number_in_json():
    trials, tasks = contest(1, 2, 0, 0)
    made = compare_json(compared(compare("with", "without", trials, tasks, 1)))
    assert made["one_attempt"]["odds_ratio"]["value"] is None
    assert "no split of so few is significant" in "\n".join(
        compare_lines(compared(compare("with", "without", trials, tasks, 1)))
    )


def test_what_cannot_be_compared_is_refused():
    trials, tasks = contest(1, 1, 1, 1)
    with pytest.raises(BadInput, match="no scored trial at the same task"):
        compare("with", "nobody", trials, tasks, 1)
    odd = [*trials[:-1], trial("without", tasks[-1], 0, grader_digest="h")]
    with pytest.raises(BadInput, match="the grader differs"):
        compare("with", "without", odd, tasks, 1)


def arm(name="a", **changes):
    return Arm(**({"name": name, "agent": "swe", "agent_version": "1"} | changes))


WITH = arm("a", model="m", settings={"steps": 5}, condition={"science": "with"})
WITHOUT = arm("b", model="m", settings={"steps": 5}, condition={"science": "without"})
OTHER = arm("c", model="n", settings={"steps": 9}, condition={"science": "without"})


def test_differences_are_found_by_factor():
    (only,) = arm_differences(WITH, WITHOUT)
    assert (only.factor, only.first, only.second) == ("science", "with", "without")
    assert [x.factor for x in arm_differences(WITH, OTHER)] == [
        "model",
        "science",
        "settings.steps",
    ]
    assert arm_differences(WITH, WITH) == ()
    named = arm(condition={"agent": "x"})
    assert [x.text for x in arm_differences(named, arm())] == ["condition.agent (x, -)"]


def test_one_factor_may_differ_and_more_must_be_declared():
    assert len(require_declared(WITH, WITHOUT, ())) == 1
    assert len(require_declared(WITH, WITHOUT, ("science",))) == 1
    assert len(require_declared(WITH, OTHER, ("science", "model", "settings"))) == 3
    with pytest.raises(
        BadInput, match=r"more than one factor: model \(m, n\); science \(with, wit"
    ):
        require_declared(WITH, OTHER, ())
    with pytest.raises(BadInput, match=r"also differ in settings.steps \(5, 9\)"):
        require_declared(WITH, OTHER, ("science", "model"))
    with pytest.raises(BadInput, match=r"do not differ in model; they differ in science \("):
        require_declared(WITH, WITHOUT, ("science", "model"))


def test_another_model_has_another_profile_and_is_one_factor():
    small, large = (arm(model=m, settings={"profile": {"model": m}}) for m in ("m", "n"))
    assert [x.factor for x in require_declared(small, large, ())] == ["model", "model.profile"]
    assert len(require_declared(small, large, ("model",))) == 2
    hot = arm(model="m", settings={"profile": {"model": "m", "temperature": 1}})
    assert [x.factor for x in require_declared(small, hot, ())] == ["model.profile"]


def test_a_factor_alone_finds_its_pairs():
    again = arm("d", model="n", settings={"steps": 9}, condition={"science": "with"})
    assert pairs_of([WITH, WITHOUT, OTHER, again], ("science",)) == [
        (WITH, WITHOUT),
        (OTHER, again),
    ]
    with pytest.raises(BadInput, match=r"no two arms differ in agent alone; .*a and b: science"):
        pairs_of([WITH, WITHOUT], ("agent",))
    with pytest.raises(BadInput, match="there are 3 arms, and none was chosen"):
        pairs_of([WITH, WITHOUT, OTHER], ())


def test_usage_adds_up_and_an_unknown_cost_stays_unknown():
    one, other = Usage(1, 2, 0, 300, 40, 0.5, 1.0, 2.0), Usage(1, 1, 1, 7, 1, None, 1.5, 2.5)
    assert total([one, one]) == Usage(2, 4, 0, 600, 80, 1.0, 2.0, 4.0)
    assert total([one, other]) == Usage(2, 3, 1, 307, 41, None, 2.5, 4.5)
    lines = compare_lines(
        Compared((), compare("with", "without", *contest(1, 1, 1, 1), 1), None, (one, other))
    )
    assert "with used 2 model calls, 300 tokens in, 40 out, cost 0.5000 $; 1 s of its agent" in (
        "\n".join(lines)
    )
    assert "without used 1 model calls, at least 7 tokens in" in "\n".join(lines)
