"""Selections: which tasks of a suite are meant, and a file that keeps them by their digests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from referee.record.atomic import write_atomic
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.task.licence import licence_restriction
from referee.task.model import Name, Sha256
from referee.task.package import TaskPackage
from referee.task.strict import read_json
from referee.task.suite import Suite, select_labels

_LANGUAGES = {
    **{".py": "python", ".pyx": "cython", ".pxd": "cython", ".c": "c", ".h": "c"},
    **{".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hpp": "c++"},
    **{".f": "fortran", ".f90": "fortran", ".F90": "fortran"},
    **{".jl": "julia", ".R": "r", ".rs": "rust"},
}


class SelectedPackage(Frozen):
    """One task at one content."""

    task: Name
    task_digest: Sha256


class SelectionFile(Frozen):
    """A list of tasks of a suite at their content. `selection` is the hash of all the rest."""

    record_version: Literal[1] = 1
    suite: Name
    version: str
    tasks: Annotated[tuple[SelectedPackage, ...], Field(min_length=1)]
    selection: Sha256


@dataclass(frozen=True)
class Criteria:
    """What a task must meet to be meant; empty fields ask for nothing. `tasks` are ids and ranges
    such as `079,108-113`; `file` is a selection file."""

    tasks: str | None = None
    domains: tuple[str, ...] = ()
    paradigms: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ablation: bool = False
    restricted: bool = False
    file: Path | None = None

    @property
    def plain(self) -> bool:
        """True if they ask for nothing."""
        return self == Criteria(restricted=self.restricted)


def select(suite: Suite, criteria: Criteria) -> tuple[TaskPackage, ...]:
    """The tasks of a suite that meet the criteria, loaded, in the order of the suite.

    Tasks under a restricted licence are left out unless the criteria allow them; one that was asked
    for by its id or by a selection file is refused.

    Raises:
        BadInput: a criterion names nothing, no task meets them all, a licence forbids a task that
            was asked for, or a selection file does not fit.
    """
    file = None if criteria.file is None else read_selection(criteria.file, suite)
    labels = select_labels(suite, criteria.tasks)
    if file is not None:
        labels = tuple(label for label in labels if label in {row.task for row in file.tasks})
    tasks = suite.load(labels)
    if file is not None:
        _require_same(file, {task.label: task for task in tasks}, criteria.file)
    for name, words, of in _FILTERS:
        tasks = _filtered(tasks, name, getattr(criteria, words), of)
    if criteria.ablation:
        tasks = tuple(task for task in tasks if in_ablation(task))
    named = criteria.tasks is not None or file is not None
    tasks = tuple(task for task in tasks if _allowed(task, criteria.restricted, named))
    if not tasks:
        raise BadInput(f"no task of suite {suite.table.name} meets all that was asked")
    return tasks


def restricted_tasks(tasks: Iterable[TaskPackage]) -> dict[str, str]:
    """Why tasks are under a restricted licence, by label."""
    found = ((t.label, licence_restriction(t.agent.file.referee.licence)) for t in tasks)
    return {label: why for label, why in found if why is not None}


def _allowed(task: TaskPackage, restricted: bool, named: bool) -> bool:
    if restricted:
        return True
    why = licence_restriction(task.agent.file.referee.licence)
    if why is not None and named:
        raise BadInput(
            f"{task.label} is under a restricted licence ({why})",
            where=task.root / "task.toml",
            hint="read it, and give --allow-restricted-licenses if you may use it",
        )
    return why is None


def languages(task: TaskPackage) -> tuple[str, ...]:
    """The languages of the files that may be changed, as `task.toml` lists them."""
    suffixes = (PurePosixPath(glob).suffix for glob in task.agent.file.referee.writable)
    found = (_LANGUAGES[suffix] for suffix in suffixes if suffix in _LANGUAGES)
    return tuple(dict.fromkeys(found))


def languages_at(suite: Suite, digests: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The languages of the suite's tasks by their folder, for those whose package still has the
    digest that is given; one that changed, or is not there any more, is left out."""
    found = {}
    for label in suite.table.tasks:
        if label in digests:
            try:
                (task,) = suite.load([label])
            except BadInput:
                continue  # a package that changed since is no reason against a report
            if task.digest == digests[label]:
                found[label] = languages(task)
    return found


def is_compiled(task: TaskPackage) -> bool:
    """True if the project is rebuilt from patched source."""
    return bool(task.agent.file.referee.build.commands)


def in_ablation(task: TaskPackage) -> bool:
    """True if the task can be run with and without its auxiliary science."""
    levels = task.agent.file.referee.conditions.get("science", ())
    return task.agent.has_science and {"with", "without"} <= set(levels)


_FILTERS: tuple[tuple[str, str, Callable[[TaskPackage], Sequence[str]]], ...] = (
    ("--domain", "domains", lambda task: (task.agent.file.referee.domain,)),
    ("--paradigm", "paradigms", lambda task: (task.agent.file.referee.group,)),
    ("--language", "languages", languages),
)


def _filtered(
    tasks: tuple[TaskPackage, ...],
    option: str,
    wanted: Collection[str],
    of: Callable[[TaskPackage], Sequence[str]],
) -> tuple[TaskPackage, ...]:
    """Tasks one of whose values begins with one of the words, whatever their case."""
    if not wanted:
        return tasks
    known = sorted({value for task in tasks for value in of(task)})
    for word in wanted:
        if not any(_begins(value, word) for value in known):
            raise BadInput(
                f"{option} {word!r} fits no task",
                hint=f"choose from {', '.join(known) or 'nothing: no task is left'}",
            )
    return tuple(t for t in tasks if any(_begins(v, word) for v in of(t) for word in wanted))


def _begins(value: str, word: str) -> bool:
    # "c" is a language, and not the beginning of "c++"
    exact = value in _LANGUAGES.values() or word in _LANGUAGES.values()
    low, short = value.casefold(), word.casefold()
    return low == short if exact else bool(short) and low.startswith(short)


def make_selection(suite: Suite, tasks: Sequence[TaskPackage]) -> SelectionFile:
    """The selection of these tasks at their present content."""
    rows = tuple(SelectedPackage(task=t.label, task_digest=t.digest) for t in tasks)
    facts = {"suite": suite.table.name, "version": suite.table.version, "tasks": rows}
    return SelectionFile.model_validate({**facts, "selection": _hash(rows)})


def write_selection(path: Path, selection: SelectionFile) -> None:
    """Write a selection file."""
    write_atomic(path, selection.model_dump_json(indent=1).encode() + b"\n")


def read_selection(path: Path, suite: Suite) -> SelectionFile:
    """A selection file of a suite.

    Raises:
        BadInput: it cannot be read, was edited, or is of another suite.
    """
    found = read_json(path, SelectionFile)
    if found.selection != _hash(found.tasks):
        raise BadInput(
            "the list of tasks was edited: its hash does not hold",
            where=path,
            hint="write it again with `referee suite select`",
        )
    if found.suite != suite.table.name:
        raise BadInput(f"it is of suite {found.suite}, not {suite.table.name}", where=path)
    missing = [row.task for row in found.tasks if row.task not in suite.table.tasks]
    if missing:
        raise BadInput(f"the suite has no task {missing[0]}", where=path)
    return found


def _hash(rows: Sequence[SelectedPackage]) -> str:
    return sha256_json([[row.task, row.task_digest] for row in rows])


def _require_same(file: SelectionFile, tasks: dict[str, TaskPackage], where: Path | None) -> None:
    for row in file.tasks:
        if row.task in tasks and tasks[row.task].digest != row.task_digest:
            raise BadInput(
                f"{row.task} is not what it was when the selection was written",
                where=where,
                hint="write it again with `referee suite select`, or get that version of the suite",
            )
