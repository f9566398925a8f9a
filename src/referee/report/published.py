"""The published medians of gwBenchmarks, to stand beside one's own, with what bars a comparison.

`published.json` holds the facts: for each task and agent the median of the single samples and their
5th and 95th percentiles, whether the row can be compared, and what is to be said about it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from referee.record.load import read_regular
from referee.record.measure import Better, Finite, Scale
from referee.record.model import Frozen
from referee.report.composition import TextTable

_FILE = Path(__file__).with_name("published.json")
_NUMBER = re.compile(r"^\d+-")


class PublishedRow(Frozen):
    """One agent at one task. `median`, `p05` and `p95` are None where none was published. A row
    that is not `comparable` has another unit, another set of samples or a number that its own
    errors contradict; `note` says which."""

    agent: str
    median: Finite | None
    p05: Finite | None
    p95: Finite | None
    comparable: bool
    note: str | None = None


class PublishedTask(Frozen):
    """The rows of one task, best known order of agents; `samples` is how many were asked for."""

    samples: int
    scale: Scale
    better: Better
    note: str | None = None
    rows: tuple[PublishedRow, ...]


class Published(Frozen):
    """All tasks, and where the numbers come from."""

    source: str
    tasks: dict[str, PublishedTask]


@cache
def published() -> Published:
    """The published values, as the package has them."""
    return Published.model_validate_json(read_regular(_FILE))


def published_task(task_id: str, scale: Scale, better: Better) -> PublishedTask | None:
    """The published rows for a task of ours, which is known by its name without its number:
    `004-ringdown` is `ringdown`; None where there are none. Nothing can be compared where the
    measure has another scale or direction."""
    name = _NUMBER.sub("", task_id).replace("-", "_")
    found = published().tasks.get(name)
    if found is None or (found.scale, found.better) == (scale, better):
        return found
    why = f"published in the scale {found.scale}, {found.better} is better"
    rows = [r.model_copy(update={"comparable": False, "note": why}) for r in found.rows]
    return found.model_copy(update={"rows": tuple(rows)})


def published_table(found: Published) -> TextTable:
    """All rows for people, with what bars a comparison."""
    rows = [
        (
            name,
            row.agent,
            "withheld" if row.median is None else f"{row.median:.4g}",
            "yes" if row.comparable else "no",
            row.note or "",
        )
        for name, task in found.tasks.items()
        for row in task.rows
    ]
    heads = ("task!", "agent!", "median>", "comparable", "note")
    return TextTable(f"Medians of single samples, published ({found.source})", heads, tuple(rows))
