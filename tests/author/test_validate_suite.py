"""Validation of several tasks in one command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.author import validate_suite
from referee.author.parts import package_parts
from referee.author.validate import OnRow, Settings
from referee.author.validate_suite import Outcome, validate_tasks
from referee.author.validation import CaseRow, MutationScore, Problem, Validation
from referee.environment.store import open_store
from referee.grade.facts import grader_facts
from referee.record.fault import BadInput, Infrastructure
from referee.record.verdict import GraderFacts
from referee.task.package import load_task

GOOD = Validation(
    canary=None,
    task="001-tiny",
    mode="full",
    passed=True,
    parts={},
    grader=GraderFacts(version="1", code_digest="0" * 64),
    seed=1,
    repeats=3,
    mutation=MutationScore(candidates=2, graded=2, caught=2, equivalent=0, score=1.0, adjusted=1.0),
    contracts=(),
    checks=(),
    problems=(),
    notes=(),
    rows=(),
    seconds=1.0,
    jobs=1,
)
WITHHELD = CaseRow(
    id="nop/1", kind="nop", what="", seed=1, submission="0" * 64, withheld="sandbox_died"
)
SHORT = GOOD.model_copy(
    update={"passed": False, "problems": (Problem(row="nop/1", what="x", command="y"),)}
)


@contextlib.contextmanager
def silent() -> Iterator[OnRow]:
    yield lambda _row, _done, _planned: None


def outcomes_of(
    monkeypatch: pytest.MonkeyPatch,
    store_root: Path,
    root: Path,
    *results: object,
    tasks: int | None = None,
    record: Path | None = None,
) -> tuple[Outcome, ...]:
    waiting = iter(results)

    def validate(*_arguments: object, **_options: object) -> Validation:
        result = next(waiting)
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, Validation)
        return result

    monkeypatch.setattr(validate_suite, "validate_task", validate)
    return validate_tasks(
        open_store(store_root),
        [load_task(root)] * (len(results) if tasks is None else tasks),
        Settings(seed=1),
        say=lambda _line: None,
        showing=silent,
        record=record,
    )


def test_a_task_that_cannot_be_validated_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, store_root: Path, locked_tiny_task: Path
) -> None:
    bad, machine = BadInput("no such file"), Infrastructure("sandbox_start", "no namespaces")
    found = outcomes_of(monkeypatch, store_root, locked_tiny_task, bad, GOOD, machine, SHORT)
    assert [o.passed for o in found] == [False, True, False, False]
    assert [o.machine for o in found] == [False, False, True, False]
    assert found[0].fault is bad
    withheld = SHORT.model_copy(update={"rows": (WITHHELD,)})
    (row,) = outcomes_of(monkeypatch, store_root, locked_tiny_task, withheld)
    assert row.machine


def test_a_full_disk_stops_everything(
    monkeypatch: pytest.MonkeyPatch, store_root: Path, locked_tiny_task: Path
) -> None:
    full = Infrastructure("disk_full", "no space left")
    with pytest.raises(Infrastructure, match="disk_full"):
        outcomes_of(monkeypatch, store_root, locked_tiny_task, full, GOOD)


def test_a_recorded_validation_is_not_made_again(
    monkeypatch: pytest.MonkeyPatch, store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    parts = package_parts(load_task(locked_tiny_task))
    now = {"grader": grader_facts(), "parts": parts, "task": locked_tiny_task.name}
    sound, short = GOOD.model_copy(update=now), SHORT.model_copy(update=now)
    record = tmp_path / "record.jsonl"

    def again(*results: object) -> tuple[Outcome, ...]:
        arguments = (monkeypatch, store_root, locked_tiny_task)
        return outcomes_of(*arguments, *results, tasks=1, record=record)

    assert not again(short)[0].passed
    assert again(sound) == again() == (Outcome(locked_tiny_task.name, sound),)
    whole = record.read_bytes()
    record.write_bytes(whole + whole[:40])  # torn by an interruption
    assert again()[0].passed
    assert record.read_bytes() == whole
    for other in (
        {"grader": GOOD.grader},
        {"parts": {**parts, "task": "0" * 64}},
        {"repeats": 10},
        {"mode": "quick"},
    ):
        record.write_bytes(sound.model_copy(update=other).model_dump_json().encode() + b"\n")
        assert not again(short)[0].passed
    record.write_bytes(b"no validation\n")
    with pytest.raises(BadInput, match="line 1 is no validation"):
        again(sound)
