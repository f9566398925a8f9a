"""The chain of evidence of a task: `evidence.jsonl`, one hash-linked line for each stage.

A line is the canonical JSON of an `EvidenceLine`: `seq` counts from 0, `prev` is the hash of the
line before (64 zeros at first), `hash` is the SHA-256 of all other fields. `parts` are the digests
of what the stage froze; a stage holds as long as these parts of the package stay as they are.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import Field, JsonValue, ValidationError

from referee.author.parts import PARTS_OF_STAGE, Stage, package_parts
from referee.record.atomic import append_durable
from referee.record.canonical import sha256_file, sha256_json
from referee.record.fault import BadInput
from referee.record.load import read_regular
from referee.record.model import Frozen
from referee.task.model import Sha256
from referee.task.package import TaskPackage

EVIDENCE = "evidence.jsonl"
VALIDATION = "validation.json"
STAGES: tuple[Stage, ...] = get_args(Stage)
NO_LINE = "0" * 64
_EVIDENCE_BYTES = 64 << 20


class EvidenceLine(Frozen):
    """One stage that was passed: when (UTC), what it froze, what it found."""

    seq: Annotated[int, Field(ge=0)]
    stage: Stage
    when: str
    parts: dict[str, Sha256]
    facts: dict[str, JsonValue]
    prev: Sha256
    hash: Sha256

    def linked(self) -> dict[str, Any]:
        """What the hash is taken over."""
        value = self.as_json()
        del value["hash"]
        return value


@dataclass(frozen=True)
class StageState:
    """Where a package stands with one stage; `problem` is None if the stage holds."""

    stage: Stage
    problem: str | None


def read_evidence(root: Path) -> tuple[EvidenceLine, ...]:
    """The lines of a package, each checked; none if there is no file.

    Raises:
        BadInput: a line was edited, is missing or stands in another place.
    """
    path = root / EVIDENCE
    try:
        data = read_regular(path, _EVIDENCE_BYTES)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=path) from error
    *rows, tail = data.split(b"\n")
    if tail:
        raise _broken(path, len(rows) + 1, "it does not end in a newline")
    lines: list[EvidenceLine] = []
    for row in rows:
        line = _parse(row, path, len(lines) + 1)
        if line.seq != len(lines) or line.prev != (lines[-1].hash if lines else NO_LINE):
            raise _broken(path, len(lines) + 1, "it does not follow the line before it")
        lines.append(line)
    return tuple(lines)


def _parse(row: bytes, path: Path, number: int) -> EvidenceLine:
    try:
        line = EvidenceLine.model_validate_json(row)
        same = line.canonical() == row and sha256_json(line.linked()) == line.hash
    except (ValidationError, ValueError):
        raise _broken(path, number, "it is not a line of evidence") from None
    if not same:
        raise _broken(path, number, "it was edited: its hash does not hold")
    return line


def _broken(path: Path, number: int, why: str) -> BadInput:
    return BadInput(
        f"the chain of evidence is broken ({why})",
        where=f"{path}:{number}",
        hint="restore the file, or remove it and begin with `referee task screen`",
    )


def append_evidence(
    task: TaskPackage, stage: Stage, facts: Mapping[str, JsonValue]
) -> EvidenceLine:
    """Add the line of a stage that the package has just passed.

    Raises:
        BadInput: the chain is broken.
    """
    lines = read_evidence(task.root)
    parts = package_parts(task)
    value: dict[str, Any] = {
        "seq": len(lines),
        "stage": stage,
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "parts": {name: parts[name] for name in PARTS_OF_STAGE[stage]},
        "facts": dict(facts),
        "prev": lines[-1].hash if lines else NO_LINE,
    }
    line = EvidenceLine.model_validate({**value, "hash": sha256_json(value)})
    append_durable(task.root / EVIDENCE, line.canonical() + b"\n")
    return line


def stages_of(task: TaskPackage) -> tuple[Stage, ...]:
    """The stages of a task, in order: a reproduction has no snapshot of somebody's release to be
    screened, and its only stage is that its known submissions get their scores."""
    if task.agent.file.referee.kind == "reproduction":
        return ("validate",)
    return STAGES


def stage_states(task: TaskPackage) -> tuple[StageState, ...]:
    """How each stage stands, in order. A stage holds if it was passed after the stage before it
    and what it froze has not changed since.

    Raises:
        BadInput: the chain is broken.
    """
    newest = {line.stage: line for line in read_evidence(task.root)}
    parts = package_parts(task)
    states: list[StageState] = []
    before = -1
    for stage in stages_of(task):
        problem = _problem(stage, newest.get(stage), parts, before)
        states.append(StageState(stage, problem))
        before = max(before, newest[stage].seq if stage in newest else before)
    return tuple(states)


def _problem(
    stage: Stage, line: EvidenceLine | None, parts: Mapping[str, str], before: int
) -> str | None:
    if line is None:
        return f"{stage} has not been passed"
    if line.seq < before:
        return f"an earlier stage was passed again after {stage}"
    changed = sorted(name for name, digest in line.parts.items() if parts.get(name) != digest)
    if changed:
        return f"the package has changed since {stage} ({', '.join(changed)})"
    return None


def require_ready(task: TaskPackage, stage: Stage) -> None:
    """Refuse a stage whose earlier stages do not hold.

    Raises:
        BadInput: the first of them that must be passed (again), with the command.
    """
    for state in stage_states(task)[: stages_of(task).index(stage)]:
        if state.problem is not None:
            raise BadInput(
                f"{stage} is out of order: {state.problem}",
                where=task.root,
                hint=f"run `referee task {state.stage} {task.root}`",
            )


def require_validated(task: TaskPackage) -> None:
    """Refuse a package that has not passed every stage at its present content.

    Raises:
        BadInput: the first stage that does not hold, with the command; or a `validation.json` that
            is not the one of the chain.
    """
    for state in stage_states(task):
        if state.problem is not None:
            raise BadInput(
                f"the task is not validated: {state.problem}",
                where=task.root,
                hint=f"run `referee task {state.stage} {task.root}`",
            )
    check_validation_file(task.root)


def _fell_short(path: Path) -> bool:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and value.get("passed") is False


def check_validation_file(root: Path) -> None:
    """A `validation.json` belongs to the newest `validate` line; so no line can be cut off the end.
    One that says that it fell short has no line.

    Raises:
        BadInput: it is another file, is missing, or has no line.
    """
    path = root / VALIDATION
    lines = [line for line in read_evidence(root) if line.stage == "validate"]
    hint = f"run `referee task validate {root}`"
    if not lines:
        if path.exists() and not _fell_short(path):
            raise BadInput("no line of evidence stands for this file", where=path, hint=hint)
        return
    if not path.is_file():
        raise BadInput("the file that the evidence names is missing", where=path, hint=hint)
    if sha256_file(path) != lines[-1].facts.get("validation"):
        raise BadInput("it is not the file that the evidence names", where=path, hint=hint)
