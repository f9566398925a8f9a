"""What a suite is made of: domains, paradigms, sizes of inputs and repairs, checks, evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.author.evidence import VALIDATION, require_validated
from referee.author.validation import Validation
from referee.author.variant import open_workpiece
from referee.environment.snapshot import build_snapshot
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.submission.patchtext import parse_patch
from referee.task.package import TaskPackage, package_files
from referee.task.selection import in_ablation, is_compiled, languages
from referee.task.strict import read_json

PARADIGMS = {
    "issue": "issue-driven",
    "expert": "expert-exploratory",
    "engineering": "engineering-integration",
}
"""Short names of the paper's three paradigms."""

_MOST_PATCH = 64 << 20


@dataclass(frozen=True)
class Spread:
    """Smallest, mean and largest of some counts."""

    min: int
    mean: float
    max: int

    def as_json(self) -> dict[str, int | float]:
        """Plain data; the mean to one decimal."""
        return {"min": self.min, "mean": round(self.mean, 1), "max": self.max}


@dataclass(frozen=True)
class TaskFacts:
    """The figures of one task. `input_lines` are the lines that an agent is given to read:
    instruction, context and auxiliary science; `added` and `removed` are lines of the reference.
    `score` is the mutation score of its validation, without mutants judged equivalent."""

    task: str
    domain: str
    paradigm: str
    package: str
    languages: tuple[str, ...]
    compiled: bool
    ablation: bool
    licence: str
    validated: bool
    input_lines: int
    files: int
    added: int
    removed: int
    checks: dict[str, int]
    contracts: dict[str, int]
    score: float | None


def spread(counts: Sequence[int]) -> Spread:
    """The spread of one or more counts."""
    return Spread(min(counts), sum(counts) / len(counts), max(counts))


def task_facts(store: Store, task: TaskPackage) -> TaskFacts:
    """The figures of a task; a reference that is files of a release is fetched into the store.

    Raises:
        BadInput: the reference cannot be had, or does not fit.
    """
    table, source = task.agent.file.referee, task.agent.source.source
    files, added, removed = _reference_lines(store, task)
    baseline = task.evaluator.baseline
    checks = [] if baseline is None else list(baseline.checks.values())
    return TaskFacts(
        task=task.label,
        domain=table.domain,
        paradigm=table.group,
        package=f"{source.name} {source.version}",
        languages=languages(task),
        compiled=is_compiled(task),
        ablation=in_ablation(task),
        licence=table.licence,
        validated=is_validated(task),
        input_lines=_input_lines(task),
        files=files,
        added=added,
        removed=removed,
        checks=_counted(c.kind for c in checks),
        contracts=_counted(c.contract or "(none)" for c in checks if c.kind == "private"),
        score=_score(task),
    )


def is_validated(task: TaskPackage) -> bool:
    """True if the task has passed every stage at its present content."""
    try:
        require_validated(task)
    except BadInput:
        return False
    return True


def _score(task: TaskPackage) -> float | None:
    if not (task.root / VALIDATION).is_file() or not is_validated(task):
        return None
    return read_json(task.root / VALIDATION, Validation).mutation.adjusted


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _input_lines(task: TaskPackage) -> int:
    root = task.root
    texts = [task.agent.instruction.encode()]
    for part in ("context", "science"):
        folder = root / "environment" / part
        if folder.is_dir():
            texts += [(folder / path).read_bytes() for path in package_files(folder).files]
    return sum(len(text.splitlines()) for text in texts)


def _reference_lines(store: Store, task: TaskPackage) -> tuple[int, int, int]:
    """Files, added lines and removed lines of the reference."""
    reference = task.evaluator.reference
    if reference.patch is not None:
        patch = (task.evaluator.solution / reference.patch).read_bytes()
    else:
        patch = open_workpiece(
            store, task, build_snapshot(store, task.agent.source)
        ).reference.patch
    changes = parse_patch(patch, max_bytes=_MOST_PATCH).changes
    added = removed = 0
    for change in changes:
        for hunk in change.hunks:
            old, new = Counter(hunk.old), Counter(hunk.new)
            added += (new - old).total()
            removed += (old - new).total()
    return len(changes), added, removed


def composition(facts: Sequence[TaskFacts]) -> dict[str, Any]:
    """The figures of a suite as plain data; `mutation_score` is over validated tasks."""
    scores = [f.score for f in facts if f.score is not None]
    spreads: dict[str, Callable[[TaskFacts], int]] = {
        "input_lines": lambda f: f.input_lines,
        "lines_added": lambda f: f.added,
        "lines_removed": lambda f: f.removed,
        "private_checks": lambda f: f.checks.get("private", 0),
    }
    return {
        "tasks": len(facts),
        "validated": sum(f.validated for f in facts),
        "domains": dict(Counter(f.domain for f in facts).most_common()),
        "paradigms": {
            short: sum(f.paradigm == name for f in facts) for short, name in PARADIGMS.items()
        },
        "languages": dict(Counter(x for f in facts for x in f.languages).most_common()),
        "licences": dict(Counter(f.licence for f in facts).most_common()),
        "compiled": sum(f.compiled for f in facts),
        "ablation": sum(f.ablation for f in facts),
        **{name: spread([of(f) for f in facts]).as_json() for name, of in spreads.items()},
        "contracts": _counted(name for f in facts for name in f.contracts),
        "mutation_score": {
            "min": round(min(scores), 3),
            "mean": round(sum(scores) / len(scores), 3),
        }
        if scores
        else None,
    }
