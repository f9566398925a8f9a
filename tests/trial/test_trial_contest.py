"""What a run asks of its tasks before the first trial, and what it does without one of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.author.evidence import require_validated
from referee.environment.store import open_store
from referee.record.fault import BadInput
from referee.report.table import render_table, table_rows
from referee.task.package import load_task
from referee.trial.contest import PreparedRun, RunRequest, prepare_contest, run_contest

Prepare = Callable[..., PreparedRun]


@pytest.fixture
def prepare(store_root: Path, tiny_suite: Path, tmp_path: Path) -> Prepare:
    """Prepares a nop run of the tiny suite."""

    def make(**fields: object) -> PreparedRun:
        request = RunRequest(str(tiny_suite), ("nop",), out=tmp_path / "run", seed=1, **fields)  # type: ignore[arg-type]
        store = open_store(store_root)
        return prepare_contest(
            request, say=lambda _line: None, store=store, require=require_validated
        )

    return make


def relock(root: Path) -> None:
    """Let the baseline cite the task's present content."""
    file = root / "tests/baseline.json"
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "task_digest": load_task(root).digest}))


def add_unpreparable(suite: Path) -> None:
    """A second task, which needs a package that Debian has never had."""
    other = suite / "002-other"
    shutil.copytree(suite / "001-tiny", other)
    source = other / "environment/source.toml"
    source.write_text('debian = ["no-such-package-of-debian"]\n' + source.read_text())
    relock(other)
    file = suite / "suite.toml"
    file.write_text(file.read_text().replace('"001-tiny"', '"001-tiny", "002-other"'))


def test_a_task_without_evidence_is_refused_with_the_command(
    prepare: Prepare, tiny_suite: Path
) -> None:
    (tiny_suite / "001-tiny/evidence.jsonl").unlink()
    (tiny_suite / "001-tiny/validation.json").unlink()
    with pytest.raises(BadInput, match=r"not validated.*referee task screen.*--allow-unvalidated"):
        prepare()


def test_a_task_that_changed_since_its_validation_is_refused(
    prepare: Prepare, tiny_suite: Path
) -> None:
    hidden = tiny_suite / "001-tiny/tests/private/test_area.py"
    hidden.write_text(hidden.read_text() + "\n")
    relock(tiny_suite / "001-tiny")
    with pytest.raises(BadInput, match=r"changed since validate.*referee task validate"):
        prepare()
    assert prepare(unvalidated=True).plan.unvalidated == ("001-tiny",)


def test_what_was_not_validated_is_said_under_the_table(
    prepare: Prepare, tiny_suite: Path, tmp_path: Path
) -> None:
    (tiny_suite / "001-tiny/evidence.jsonl").unlink()
    run_contest(prepare(unvalidated=True), jobs=1, on_event=lambda _event: None)
    (row,) = rows = table_rows(tmp_path / "run")
    assert row["unvalidated"] == ["001-tiny"]
    assert str(render_table(rows).caption).splitlines()[-1] == "not validated: 001-tiny"


def test_other_tasks_go_on_without_one_that_cannot_be_prepared(
    prepare: Prepare, tiny_suite: Path, tmp_path: Path
) -> None:
    add_unpreparable(tiny_suite)
    prepared = prepare(unvalidated=True)
    assert list(prepared.unprepared) == ["002-other"]
    assert "no-such-package-of-debian" in str(prepared.unprepared["002-other"])
    run_contest(prepared, jobs=1, on_event=lambda _event: None)
    (row,) = table_rows(tmp_path / "run")
    assert (row["planned"], row["scored"], row["withheld"], row["pending"]) == (2, 1, 0, 1)
    assert '"seal"' not in (tmp_path / "run/ledger.jsonl").read_text()


def test_a_run_without_any_task_that_can_be_prepared_is_refused(
    prepare: Prepare, tiny_suite: Path, tmp_path: Path
) -> None:
    add_unpreparable(tiny_suite)
    file = tiny_suite / "suite.toml"
    file.write_text(file.read_text().replace('"001-tiny", ', ""))
    with pytest.raises(BadInput, match="no-such-package-of-debian"):
        prepare(unvalidated=True)
    assert not (tmp_path / "run").exists()
