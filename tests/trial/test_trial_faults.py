"""Faults of the machine and of referee itself withhold a trial; they never score it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.environment.store import open_store
from referee.record.fault import BadInput, Infrastructure
from referee.report.table import table_rows
from referee.trial import execute
from referee.trial.audit import audit_run
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.execute import TrialEvent
from referee.trial.status import run_status


def run(store_root: Path, suite: Path, out: Path, retries: int = 0) -> list[TrialEvent]:
    """Two nop trials; returns what was reported."""
    events: list[TrialEvent] = []
    request = RunRequest(str(suite), ("nop",), attempts=2, seed=1, out=out, retries=retries)
    prepared = prepare_contest(request, say=lambda _line: None, store=open_store(store_root))
    run_contest(prepared, jobs=1, on_event=events.append)
    return events


def once(fault: Exception) -> Callable[..., object]:
    """A grader that raises `fault` the first time."""
    real, calls = execute.grade_repair, []

    def grade(*arguments: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            raise fault
        return real(*arguments, **options)  # type: ignore[arg-type]

    return grade


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Infrastructure("grader_crash", "pytest went away"), "grader_crash"),
        (Infrastructure("never_heard_of", "odd"), "other"),
        (ZeroDivisionError("in our own code"), "internal_error"),
    ],
)
def test_a_fault_withholds_its_trial_and_no_other(
    store_root: Path,
    tiny_suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    reason: str,
) -> None:
    monkeypatch.setattr(execute, "grade_repair", once(fault))
    events = run(store_root, tiny_suite, tmp_path / "run")
    assert [e.outcome for e in events if e.outcome] == ["withheld", "scored"]
    trial = json.loads((tmp_path / "run/trials/001-tiny/nop/1/trial.json").read_text())
    assert trial["withheld"]["reason"] == reason
    assert trial["scores"] is None
    row = table_rows(tmp_path / "run")[0]
    assert (row["planned"], row["scored"], row["withheld"]) == (2, 1, 1)
    assert row["withheld_by_reason"] == {reason: 1}


def test_what_the_machine_failed_is_tried_again_and_kept(
    store_root: Path, tiny_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    monkeypatch.setattr(execute, "grade_repair", once(Infrastructure("grader_crash", "gone")))
    events = run(store_root, tiny_suite, out, retries=2)
    assert [e.outcome for e in events if e.outcome] == ["retried", "scored", "scored"]
    (kept,) = out.glob("interrupted/*/*/*")
    aside = json.loads((kept / "trial.json").read_text())
    assert (aside["outcome"], aside["withheld"]["reason"]) == ("withheld", "grader_crash")
    found = run_status(out)
    assert (found.scored, found.withheld, found.retried) == (2, {}, {"grader_crash": 1})
    assert found.interrupted == 0
    assert audit_run(out).ok
    (kept / "trial.json").write_text("{}")
    assert not audit_run(out).ok


def test_a_machine_that_stays_broken_withholds_after_the_last_try(
    store_root: Path, tiny_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object, **_options: object) -> object:
        raise fault

    monkeypatch.setattr(execute, "grade_repair", broken)
    fault: Exception = Infrastructure("grader_crash", "gone")
    events = run(store_root, tiny_suite, tmp_path / "one", retries=1)
    assert [e.outcome for e in events if e.outcome] == ["retried", "withheld"] * 2
    fault = ZeroDivisionError("ours: another try would meet it again")
    events = run(store_root, tiny_suite, tmp_path / "two", retries=1)
    assert [e.outcome for e in events if e.outcome] == ["withheld"] * 2


def test_what_a_user_can_mend_stops_the_run_and_it_goes_on(
    store_root: Path, tiny_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(execute, "grade_repair", once(BadInput("no such limit here")))
        with pytest.raises(BadInput, match="no such limit"):
            run(store_root, tiny_suite, tmp_path / "run")
    run(store_root, tiny_suite, tmp_path / "run")
    row = table_rows(tmp_path / "run")[0]
    assert (row["planned"], row["scored"], row["withheld"]) == (2, 2, 0)
