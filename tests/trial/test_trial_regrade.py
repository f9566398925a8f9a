"""Withheld trials are graded again from what was handed in; nobody works twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.author.evidence import require_validated
from referee.cli.main import run_command
from referee.environment.store import open_store
from referee.record.fault import BadInput, Infrastructure
from referee.report.reproductions import reproduction_rows
from referee.report.table import table_rows
from referee.trial import execute
from referee.trial.audit import audit_run
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.index import load_plan
from referee.trial.regrade import tasks_of

Capture = pytest.CaptureFixture[str]


def run(store_root: Path, suite: Path, out: Path, *agents: str, **fields: object) -> Path:
    request = RunRequest(str(suite), agents, out=out, seed=1, **fields)  # type: ignore[arg-type]
    prepared = prepare_contest(
        request, say=lambda _: None, store=open_store(store_root), require=require_validated
    )
    run_contest(prepared, jobs=1, on_event=lambda _: None)
    return out


def test_a_leaf_without_a_judge_is_judged_later_from_the_frozen_evidence(
    store_root: Path,
    store_environment: Path,
    reproduction_suite: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    out = run(store_root, reproduction_suite, tmp_path / "run", "oracle", "nop", judge="none")
    receipt = out / "trials/901-slab/oracle/1/replay/trusted_replay.json"
    before = receipt.read_bytes()
    command = ["regrade", str(out), "--suite", str(reproduction_suite)]
    assert run_command([*command, "--judge", "none"]) == 3
    capsys.readouterr()
    assert run_command([*command, "--json"]) == 0
    (done,) = json.loads(capsys.readouterr().out)
    assert (done["arm"], done["outcome"], done["added"]) == ("oracle", "scored", True)
    assert receipt.read_bytes() == before
    rows = {row.arm: row for row in reproduction_rows(out)}
    assert (rows["oracle"].score, rows["oracle"].withheld) == (1, {})
    report = audit_run(out)
    assert (report.ok, report.complete) == (True, True)
    assert run_command([*command]) == 0
    assert "nothing is withheld" in capsys.readouterr().out
    outputs = receipt.parent / "outputs/outputs/transmission.json"
    outputs.chmod(0o644)
    outputs.write_text("{}")
    assert any("was changed" in finding.what for finding in audit_run(out).findings)


def test_evidence_that_is_not_whole_is_not_judged_but_made_again(
    store_root: Path, store_environment: Path, reproduction_suite: Path, tmp_path: Path
) -> None:
    out = run(store_root, reproduction_suite, tmp_path / "run", "oracle", judge="none")
    console = out / "trials/901-slab/oracle/1/replay/console.log"
    console.chmod(0o644)
    console.write_text("edited")
    command = ["regrade", str(out), "--suite", str(reproduction_suite / "901-slab")]
    assert run_command([*command, "--judge", "scripted"]) == 0
    (made,) = out.glob("trials/901-slab/oracle/1/grade/*/replay/trusted_replay.json")
    (row,) = reproduction_rows(out)
    assert row.score == 1
    findings = [finding.what for finding in audit_run(out).findings]
    assert not any(made.parent.parent.name in what for what in findings)
    assert any("console.log was changed" in what for what in findings)


def test_a_repair_that_the_machine_failed_is_graded_again(
    store_root: Path,
    store_environment: Path,
    tiny_suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def down(*_args: object, **_kwargs: object) -> None:
        raise Infrastructure("sandbox_start", "no sandbox today")

    with monkeypatch.context() as patched:
        patched.setattr(execute, "grade_repair", down)
        out = run(store_root, tiny_suite, tmp_path / "run", "oracle")
    (row,) = table_rows(out)
    assert (row["scored"], row["withheld_by_reason"]) == (0, {"sandbox_start": 1})
    assert run_command(["regrade", str(out), "--suite", str(tiny_suite)]) == 0
    (row,) = table_rows(out)
    assert (row["scored"], row["withheld"], row["pass1"]) == (1, 0, 1.0)
    assert audit_run(out).ok


def test_a_task_that_changed_since_the_run_is_refused(
    store_root: Path, reproduction_suite: Path, tmp_path: Path
) -> None:
    out = run(store_root, reproduction_suite, tmp_path / "run", "nop")
    prompt = reproduction_suite / "901-slab/tests/config/judge_prompt.md"
    prompt.write_text("Judge otherwise.\n")
    with pytest.raises(BadInput, match="not the task of the run"):
        tasks_of(load_plan(out), str(reproduction_suite))
    with pytest.raises(BadInput, match="name the run's suite"):
        tasks_of(load_plan(out), "suites/climate")
