"""The composition of a suite as tables and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

_SIZES = {
    "input_lines": "input lines",
    "lines_added": "patch lines added",
    "lines_removed": "patch lines removed",
    "private_checks": "private checks",
}


class TaskRow(Protocol):
    """What is shown of one task."""

    @property
    def task(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def paradigm(self) -> str: ...
    @property
    def added(self) -> int: ...
    @property
    def removed(self) -> int: ...
    @property
    def checks(self) -> Mapping[str, int]: ...
    @property
    def score(self) -> float | None: ...
    @property
    def validated(self) -> bool: ...


@dataclass(frozen=True)
class TextTable:
    """A table of texts; columns whose head ends in `>` are numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def composition_tables(value: Mapping[str, Any], facts: Sequence[TaskRow]) -> list[TextTable]:
    """The tables: domains, paradigms and languages, sizes, and one row for each task."""
    total = f"{value['tasks']} tasks, {value['validated']} validated"
    kinds = [
        *((f"paradigm: {name}", count) for name, count in value["paradigms"].items()),
        *((f"language: {name}", count) for name, count in value["languages"].items()),
        *((f"licence: {name}", count) for name, count in value["licences"].items()),
        ("rebuilt from patched source", value["compiled"]),
        ("with and without science", value["ablation"]),
    ]
    sizes = [
        (name, *(f"{value[key][part]:g}" for part in ("min", "mean", "max")))
        for key, name in _SIZES.items()
    ]
    return [
        TextTable(total, ("domain", "tasks>"), _counts(value["domains"].items())),
        TextTable("Kinds", ("kind", "tasks>"), _counts(kinds)),
        TextTable("Sizes", ("per task", "minimum>", "mean>", "maximum>"), tuple(sizes)),
        TextTable(
            "Tasks",
            ("task", "domain", "paradigm", "patch>", "private>", "mutants caught>"),
            tuple(_task_row(row) for row in facts),
        ),
    ]


def _counts(rows: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(count)) for name, count in rows)


def _task_row(row: TaskRow) -> tuple[str, ...]:
    score = "-" if row.score is None else f"{row.score:.1%}"
    return (
        row.task,
        row.domain,
        row.paradigm.split("-")[0],
        f"+{row.added} -{row.removed}",
        str(row.checks.get("private", 0)),
        score if row.validated else "not validated",
    )


def composition_markdown(value: Mapping[str, Any], facts: Sequence[TaskRow]) -> str:
    """The same tables as Markdown."""
    parts = []
    for table in composition_tables(value, facts):
        heads = [head.rstrip(">") for head in table.heads]
        rules = ["---:" if head.endswith(">") else "---" for head in table.heads]
        rows = [heads, rules, *(list(row) for row in table.rows)]
        parts.append("\n".join([f"**{table.title}**", "", *map(_markdown_row, rows)]))
    return "\n\n".join(parts)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
