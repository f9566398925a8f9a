"""Records: closed, finite, deterministic, and of one version."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import referee
from referee.record.fault import BadInput, Infrastructure
from referee.record.load import encode_record, load_record, parse_record
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest, trial_seed
from referee.record.text import bounded_text
from referee.record.trial import (
    WITHHELD_REASONS,
    SubmissionFacts,
    Trial,
    TrialIdentity,
    Withheld,
    withheld_from,
)
from referee.record.verdict import CheckResult, GraderFacts, Scores, Verdict

H = "ab" * 32
SCORES = Scores(public=1.0, private=0.5, fail2pass=0.5, pass2pass=1.0, pass1=0)
IDENTITY = TrialIdentity(task_id="113-x", task_digest=H, arm="nop", arm_digest=H, attempt=1, seed=7)


def check(**changes: object) -> CheckResult:
    values: dict[str, object] = {
        "id": "a",
        "kind": "private",
        "outcome": "passed",
        "trust": "wall",
        "baseline_passed": False,
    }
    return CheckResult.model_validate(values | changes)


def verdict(**changes: object) -> Verdict:
    values: dict[str, object] = {
        "task_id": "113-x",
        "task_digest": H,
        "submission_digest": H,
        "base_tree": H,
        "result_tree": H,
        "grader": GraderFacts(version="0.1.0", code_digest=H),
        "checks": (check(),),
        "scores": SCORES,
    }
    return Verdict.model_validate(values | changes)


def plan(**changes: object) -> RunPlan:
    selection = (
        SelectedTask(task_id="113-x", task_digest=H, baseline_digest=H, paradigm="p", domain="d"),
    )
    values: dict[str, object] = {
        "suite": SuiteFacts(name="repair", suite_digest=H),
        "selection": selection,
        "selection_digest": selection_digest(selection),
        "arms": (Arm(name="nop", agent="nop", agent_version="1"),),
        "attempts": 2,
        "grader": GraderFacts(version="0.1.0", code_digest=H),
        "created": "2026-01-01T00:00:00Z",
    }
    return RunPlan.model_validate(values | changes)


@pytest.mark.parametrize("record", [check(), SCORES, verdict(), plan()])
def test_a_record_survives_the_disk(record):
    assert type(record).model_validate_json(encode_record(record)) == record


@pytest.mark.parametrize("bad", ["nan", "inf", "1e9", "-0.1", '"1"', "true", "null"])
def test_scores_are_finite_numbers_between_zero_and_one(bad):
    text = f'{{"public":{bad},"private":1,"fail2pass":1,"pass2pass":1,"pass1":1}}'
    text = text.replace("nan", "NaN").replace("inf", "Infinity")
    with pytest.raises(ValidationError):
        Scores.model_validate_json(text)


@pytest.mark.parametrize("bad", [{"pass1": 2}, {"pass1": 0.5}, {"extra": 1}])
def test_scores_refuse_other_keys_and_values(bad):
    with pytest.raises(ValidationError):
        Scores.model_validate(SCORES.as_json() | bad)


def test_content_digest_ignores_messages_times_and_enforcement_only():
    first = verdict(checks=(check(message="at 0x7f01"),), timing={"grade": 1.0})
    second = verdict(checks=(check(message="at 0x7f02"),), timing={"grade": 2.0})
    assert first.content_digest == second.content_digest
    assert first.digest != second.digest
    assert first.content_digest != verdict(checks=(check(outcome="failed"),)).content_digest
    assert first.content_digest != verdict(checks=(check(reason="assertion"),)).content_digest


def test_a_verdict_has_each_check_once_and_a_refused_one_has_no_passed_check():
    with pytest.raises(ValidationError, match="twice"):
        verdict(checks=(check(), check()))
    with pytest.raises(ValidationError, match="refused"):
        verdict(refusal="forbidden_path")


def test_a_trial_is_either_scored_or_withheld():
    facts = SubmissionFacts(submission_digest=H, bytes=0, files=0)
    Trial(identity=IDENTITY, outcome="scored", submission=facts, verdict_digest=H, scores=SCORES)
    Trial(identity=IDENTITY, outcome="withheld", withheld=Withheld(reason="disk_full"))
    with pytest.raises(ValidationError):
        Trial(identity=IDENTITY, outcome="scored", submission=facts)
    with pytest.raises(ValidationError):
        Trial(identity=IDENTITY, outcome="withheld")
    with pytest.raises(ValidationError):
        Trial(
            identity=IDENTITY,
            outcome="withheld",
            withheld=Withheld(reason="disk_full"),
            scores=SCORES,
        )


def test_withheld_reasons_are_a_closed_list():
    assert withheld_from(Infrastructure("disk_full", "x")).reason == "disk_full"
    unknown = withheld_from(Infrastructure("gremlins", "x\x1b[31m"))
    assert unknown.reason == "other"
    assert unknown.detail == "gremlins: x\\x1b[31m"
    with pytest.raises(ValidationError):
        Withheld.model_validate({"reason": "gremlins"})


def test_the_plan_names_every_trial_once_and_arms_share_seeds():
    arms = tuple(Arm(name=name, agent=name, agent_version="1") for name in ("nop", "oracle"))
    trials = plan(arms=arms).trials()
    assert len({t.key for t in trials}) == len(trials) == 4
    assert len({t.seed for t in trials}) == 2
    assert trial_seed(0, H, 1) == trials[0].seed
    assert trials[0].folder == "trials/113-x/nop/1"


def test_a_plan_is_the_same_run_on_another_host_at_another_time_but_not_with_other_limits():
    later = plan(created="2027-01-01T00:00:00Z", host={"cores": 4})
    assert later.identity_digest == plan().identity_digest
    assert plan(limits={"agent_s": 5}).identity_digest != plan().identity_digest


def test_every_reason_that_is_raised_is_on_the_list():
    calls = [
        node
        for path in Path(referee.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Infrastructure"
    ]
    reasons = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert "sandbox_start" in reasons
    assert reasons <= set(WITHHELD_REASONS)


@pytest.mark.parametrize(
    "bad",
    [
        {"selection_digest": "cd" * 32},
        {"arms": (Arm(name="a", agent="a", agent_version="1"),) * 2},
        {"arms": ()},
        {"attempts": 0},
    ],
)
def test_an_inconsistent_plan_is_refused(bad):
    with pytest.raises(ValidationError):
        plan(**bad)


@pytest.mark.parametrize("name", ["../x", ".hidden", "a/b", "", "a\x00"])
def test_names_that_are_folders_cannot_leave_the_run(name):
    with pytest.raises(ValidationError):
        Arm(name=name, agent="a", agent_version="1")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"record_version":2}', "record version 2"),
        (b'{"record_version":true}', "no record_version"),
        (b"[]", "no record_version"),
        (b"{", "not JSON"),
        (b'{"record_version":1}', "not a valid record"),
    ],
)
def test_a_foreign_record_is_one_sentence(tmp_path, data, words):
    path = tmp_path / "run.json"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=words) as caught:
        load_record(path, RunPlan)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_missing_record_is_one_sentence(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        load_record(tmp_path / "run.json", RunPlan)


def test_an_unknown_key_is_named():
    value = json.loads(encode_record(plan()))
    value["colour"] = 1
    with pytest.raises(BadInput, match="`colour`"):
        parse_record(json.dumps(value).encode(), RunPlan, where="run.json")


@given(st.text(st.characters(), max_size=300), st.integers(20, 200))
def test_bounded_text_is_short_printable_utf8(text, limit):
    out = bounded_text(text, limit)
    assert len(out) <= limit
    out.encode("utf-8")
    assert all(c in "\n\t" or c.isprintable() for c in out)
    if len(text) <= limit and all(c in "\n\t" or c.isprintable() for c in text):
        assert out == text
