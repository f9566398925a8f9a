"""The released medians of gwBenchmarks, from their CSV file: every row is kept with its flags."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

from referee.record.fault import BadInput
from referee.record.load import read_regular
from referee.report.composition import TextTable

ABSENT = "absent"
_NEEDED = ("agent", "task", "median", "p05", "p95", "canonical_n", "source", "flags")


@dataclass(frozen=True)
class Median:
    """One agent at one task. Without a value (the source is `absent`) it counts as withheld, and is
    no zero; `flags` says what is odd about it, as it was published."""

    agent: str
    task: str
    median: float | None
    p05: float | None
    p95: float | None
    samples: int
    flags: str

    @property
    def withheld(self) -> bool:
        """Whether no value was published."""
        return self.median is None


def read_medians(path: Path) -> tuple[Median, ...]:
    """The rows of the file, in its order.

    Raises:
        BadInput: it cannot be read, a column is missing, a number is none, a row stands twice, or
            a row is absent and has a value or the other way round.
    """
    try:
        text = read_regular(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot be read ({type(error).__name__})", where=path) from error
    reader = csv.DictReader(io.StringIO(text))
    if lacking := [name for name in _NEEDED if name not in (reader.fieldnames or ())]:
        raise BadInput(f"has no column {', '.join(lacking)}", where=path)
    rows, seen = [], set()
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        made = _median(row, where)
        if (made.agent, made.task) in seen:
            raise BadInput(f"{made.agent} at {made.task} stands twice", where=where)
        seen.add((made.agent, made.task))
        rows.append(made)
    return tuple(rows)


def _median(row: dict[str, str], where: str) -> Median:
    median, p05, p95 = (_number(row[name], name, where) for name in ("median", "p05", "p95"))
    if (row["source"] == ABSENT) != (median is None):
        raise BadInput("a row is `absent` exactly if it has no median", where=where)
    samples = _number(row["canonical_n"], "canonical_n", where)
    if samples is None or samples != int(samples) or samples < 1:
        raise BadInput("canonical_n is not a number of samples", where=where)
    return Median(row["agent"], row["task"], median, p05, p95, int(samples), row["flags"])


def _number(text: str, name: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{name} is {text!r}, and no finite number", where=where)
    return value


def median_table(rows: tuple[Median, ...]) -> TextTable:
    """All rows for people; one without a value is `withheld`."""
    return TextTable(
        "Medians of single samples, published (gwBenchmarks, arXiv 2605.11269)",
        ("task!", "agent!", "median>", "5 %>", "95 %>", "samples>", "flags"),
        tuple(
            (
                row.task,
                row.agent,
                "withheld" if row.withheld else _shown(row.median),
                _shown(row.p05),
                _shown(row.p95),
                str(row.samples),
                row.flags,
            )
            for row in rows
        ),
    )


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
