"""The rows of `report.table` as heads and cells: all facts for CSV, readable ones for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from referee.report.formats import FORMATS
from referee.report.table import SPLITS
from referee.report.usage import Usage
from referee.stats.aggregate import SCORES

Row = dict[str, Any]

_TITLES = {
    "public": "Public",
    "private": "Private",
    "fail2pass": "Fail2Pass",
    "pass2pass": "Pass2Pass",
    "pass1": "Pass@1",
}


def formatted(rows: Sequence[Row], how: str) -> str:
    """The rows as `csv` (every fact, full precision), `markdown` or `latex` (per cent, with the
    interval beside each mean and coverage as counts).

    Raises:
        ValueError: another format.
    """
    if how not in FORMATS:
        raise ValueError(f"a table can be written as {', '.join(FORMATS)}, and not as {how!r}")
    heads, cells = fact_cells(rows) if how == "csv" else paper_cells(rows)
    return FORMATS[how](heads, cells)


def fact_cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """One column for each fact; numbers as Python writes them, nothing where there is none."""
    heads = ["arm", *_split(rows), "condition", "planned", "scored", "withheld", "pending"]
    heads += ["tasks_planned", "tasks_scored"]
    cells = [[_plain(row[head]) for head in heads] for row in rows]
    for name in SCORES:
        heads += [name, f"{name}_low", f"{name}_high", f"{name}_method"]
        for row, line in zip(rows, cells, strict=True):
            found = row["confidence"][name] or {"low": None, "high": None, "method": None}
            line += [_plain(x) for x in (row[name], found["low"], found["high"], found["method"])]
    heads += ["pass1_of_planned", "comparability"]
    used = [field.name for field in fields(Usage)] if rows and "usage" in rows[0] else []
    heads += [f"usage_{name}" for name in used]
    published = any("published" in row for row in rows)
    heads += ["published"] if published else []
    for row, line in zip(rows, cells, strict=True):
        line += [_plain(row["pass1_of_planned"]), _plain(row["comparability"])]
        line += [_plain(row["usage"][name] if "usage" in row else None) for name in used]
        line += [row.get("published", "")] if published else []
    return heads, cells


def paper_cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Means in per cent with their interval: `47.9 (39.1-56.8)`; `-` where nothing was scored."""
    conditions = len({row["condition"] for row in rows}) > 1
    extra = [*_split(rows), *(["condition"] if conditions else [])]
    heads = ["arm", *extra, "scored>", "withheld>", *(f"{_TITLES[name]}>" for name in SCORES)]
    cells = [
        [
            row["arm"],
            *(row[name] for name in extra),
            f"{row['scored']}/{row['planned']}",
            "-" if row["withheld"] is None else str(row["withheld"]),
            *(_per_cent(row, name) for name in SCORES),
        ]
        for row in rows
    ]
    return heads, cells


def _split(rows: Sequence[Row]) -> list[str]:
    return [name for name in SPLITS if rows and name in rows[0]]


def _per_cent(row: Row, name: str) -> str:
    if row[name] is None:
        return "-"
    mean, found = f"{100 * row[name]:.1f}", row["confidence"][name]
    if found is None:
        return f"{mean} (no estimate)"
    return f"{mean} ({100 * found['low']:.1f}-{100 * found['high']:.1f})"


def _plain(value: object) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
