"""The first stage: where a task comes from, under which licence, why it is worth asking."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.author.evidence import EvidenceLine, append_evidence, read_evidence
from referee.author.overlap import grams, share
from referee.environment.snapshot import Snapshot, about_release, build_snapshot
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.task.package import TaskPackage, load_task
from referee.task.suite import open_suite

LEAST_WHY = 40
MOST_SHARED = 0.2
"""The largest share of an instruction's n-grams that may stand in another task's instruction."""

_LICENCE_FILE = re.compile(r"(?:LICEN[CS]E|COPYING|NOTICE)[^/]*", re.IGNORECASE)
_LICENCE_LINE = re.compile(r"^(?:License(?:-Expression)?|Classifier: License ::).*$", re.MULTILINE)


@dataclass(frozen=True)
class Neighbour:
    """Another task of the same suite: does it use the same package, and how much of the
    instruction at hand stands in its own?"""

    label: str
    same_package: bool
    shared: float


def screen_task(
    store: Store, task: TaskPackage, why: str | None, say: Callable[[str], None]
) -> EvidenceLine:
    """Record provenance, licence, why the task is not trivial, and its overlap with others.

    `why` may be None where an earlier screening said it.

    Raises:
        BadInput: the reason is missing or short, no licence can be found, or another task of the
            suite has the same id or much of the same instruction.
    """
    why = why or _said_before(task)
    if len(why.split()) < 6 or len(why) < LEAST_WHY:
        raise BadInput(
            "why is this task not trivial?",
            where=task.root,
            hint='say it in a sentence: `referee task screen FOLDER --why "..."`',
        )
    snapshot = build_snapshot(store, task.agent.source, say)
    licences = licence_evidence(snapshot)
    if not licences:
        raise BadInput(
            "the release says nothing about its licence",
            where=task.root / "environment" / "source.toml",
            hint="choose a release with a licence file or licence metadata",
        )
    near = neighbours(task, _suite_tasks(task.root))
    _refuse_double(task, near)
    source = task.agent.source.source
    return append_evidence(
        task,
        "screen",
        {
            "release": {k: v for k, v in source.as_json().items() if v is not None},
            "licence": task.agent.file.referee.licence,
            "licence_evidence": list(licences),
            "domain": task.agent.file.referee.domain,
            "paradigm": task.agent.file.referee.group,
            "why": why,
            "same_package": [n.label for n in near if n.same_package],
            "nearest_instruction": round(max((n.shared for n in near), default=0.0), 4),
        },
    )


def licence_evidence(snapshot: Snapshot) -> tuple[str, ...]:
    """Licence lines of the release's metadata, and licence files of the snapshot."""
    found = []
    for text in about_release(snapshot).values():
        found += [line.strip()[:120] for line in _LICENCE_LINE.findall(text)]
    files = [p for p in snapshot.manifest.files if _LICENCE_FILE.fullmatch(Path(p).name)]
    return tuple(dict.fromkeys(found + files[:5]))


def neighbours(task: TaskPackage, others: Sequence[TaskPackage]) -> tuple[Neighbour, ...]:
    """How near the other tasks of the suite are."""
    mine = grams(task.agent.instruction)
    name = task.agent.source.source.name
    return tuple(
        Neighbour(
            other.label,
            other.agent.source.source.name == name,
            share(mine, grams(other.agent.instruction)),
        )
        for other in others
    )


def _said_before(task: TaskPackage) -> str:
    lines = [line for line in read_evidence(task.root) if line.stage == "screen"]
    return str(lines[-1].facts.get("why", "")) if lines else ""


def _suite_tasks(root: Path) -> tuple[TaskPackage, ...]:
    """The tasks of the suite that the folder stands in, without the one at hand."""
    if not (root.parent / "suite.toml").is_file():
        return ()
    labels = open_suite(root.parent).table.tasks
    return tuple(load_task(root.parent / label) for label in labels if label != root.name)


def _refuse_double(task: TaskPackage, near: Sequence[Neighbour]) -> None:
    for other in near:
        if other.label.split("-", 1)[0] == task.id:
            raise BadInput(
                f"the suite has the id {task.id} already ({other.label})",
                where=task.root / "task.toml",
                hint="choose another id",
            )
        if other.shared > MOST_SHARED:
            raise BadInput(
                f"{other.shared:.0%} of the instruction stands in that of {other.label}",
                where=task.root / "instruction.md",
                hint="ask something else",
            )
