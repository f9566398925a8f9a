"""Suites: named, versioned lists of tasks, found by path or by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.task.model import Name
from referee.task.package import TaskPackage, load_task
from referee.task.strict import read_toml


class SuiteTable(Frozen):
    """`[suite]` of a `suite.toml`; `tasks` are folder names, in the order of the suite. `judge` is
    what decides leaves that code cannot unless a run says otherwise (see `--judge`)."""

    name: Name
    version: str
    title: str
    tasks: tuple[Name, ...] = Field(min_length=1)
    judge: str | None = None


class SuiteFile(Frozen):
    """The whole of `suite.toml`."""

    suite: SuiteTable


@dataclass(frozen=True)
class Suite:
    """A suite on disk; tasks are loaded when asked for."""

    root: Path
    table: SuiteTable

    def load(self, labels: Sequence[str] | None = None) -> tuple[TaskPackage, ...]:
        """The tasks of the suite, or those named by folder."""
        wanted = self.table.tasks if labels is None else labels
        return tuple(load_task(self.root / label) for label in wanted)


def suite_roots() -> tuple[Path, ...]:
    """Folders that hold suites: beside the user, in a clone, and inside the installed package."""
    package = Path(__file__).resolve().parents[1]
    candidates = (Path.cwd() / "suites", package / "_suites", package.parents[1] / "suites")
    return tuple(dict.fromkeys(c for c in candidates if c.is_dir()))


def find_suites() -> tuple[Suite, ...]:
    """Every suite that can be named without a path; the first of a name wins."""
    found: dict[str, Suite] = {}
    for root in suite_roots():
        for file in sorted(root.glob("*/suite.toml")):
            suite = open_suite(file.parent)
            found.setdefault(suite.table.name, suite)
    return tuple(found.values())


def open_suite(root: Path) -> Suite:
    """The suite in a folder.

    Raises:
        BadInput: no or a bad `suite.toml`, a task folder that is missing or named twice.
    """
    file = root / "suite.toml"
    table = read_toml(file, SuiteFile).suite
    if len(set(table.tasks)) != len(table.tasks):
        raise BadInput("suite.tasks names a task twice", where=file)
    for label in table.tasks:
        if not (root / label / "task.toml").is_file():
            raise BadInput(f"suite.tasks names {label}, which has no task.toml", where=file)
    return Suite(root.absolute(), table)


def resolve_suite(text: str) -> Suite:
    """A suite by path or by name.

    Raises:
        BadInput: there is none.
    """
    if (Path(text) / "suite.toml").is_file():
        return open_suite(Path(text))
    suites = {suite.table.name: suite for suite in find_suites()}
    if text in suites:
        return suites[text]
    near = difflib.get_close_matches(text, list(suites), n=1)
    known = f"did you mean {near[0]}?" if near else f"known suites: {', '.join(suites) or 'none'}"
    raise BadInput(f"there is no suite {text!r}", hint=f"give a folder with a suite.toml; {known}")


def resolve_task(text: str) -> TaskPackage:
    """A task by path, by `suite/id`, by folder name, or by an id that only one suite has.

    Raises:
        BadInput: none or several fit.
    """
    if (Path(text) / "task.toml").is_file():
        return load_task(Path(text))
    if Path(text).is_dir():
        raise BadInput("the folder holds no task.toml", where=text)
    suite_name, _, task_name = text.rpartition("/")
    suites = [s for s in find_suites() if suite_name in ("", s.table.name)]
    fits = [(s, label) for s in suites for label in s.table.tasks if _named(label, task_name)]
    if len(fits) == 1:
        return load_task(fits[0][0].root / fits[0][1])
    labels = [f"{s.table.name}/{label}" for s in find_suites() for label in s.table.tasks]
    if fits:
        several = ", ".join(f"{s.table.name}/{label}" for s, label in fits)
        raise BadInput(f"{text!r} names several tasks", hint=f"choose one of {several}")
    near = difflib.get_close_matches(text, labels, n=1, cutoff=0.3)
    raise BadInput(
        f"there is no task {text!r}",
        hint=f"did you mean {near[0]}?" if near else "give the folder of a task",
    )


def _named(label: str, name: str) -> bool:
    return name in (label, label.split("-", 1)[0])


def select_labels(suite: Suite, text: str | None) -> tuple[str, ...]:
    """Folder names for `--tasks`: ids, folder names and ranges such as `079,108-113`.

    Raises:
        BadInput: a part names nothing.
    """
    if text is None:
        return suite.table.tasks
    chosen: list[str] = []
    for part in (p.strip() for p in text.split(",")):
        labels = _part(suite.table.tasks, part)
        if not labels:
            raise BadInput(
                f"--tasks: {part!r} names no task of suite {suite.table.name}",
                hint=f"it has {', '.join(t.split('-', 1)[0] for t in suite.table.tasks)}",
            )
        chosen.extend(label for label in labels if label not in chosen)
    return tuple(label for label in suite.table.tasks if label in chosen)


def _part(labels: Sequence[str], part: str) -> list[str]:
    if named := [label for label in labels if _named(label, part)]:
        return named
    if not (span := re.fullmatch(r"(\d+)-(\d+)", part)):
        return []
    low, high = int(span[1]), int(span[2])
    ids = {label: label.split("-", 1)[0] for label in labels}
    return [label for label, id_ in ids.items() if id_.isdigit() and low <= int(id_) <= high]
