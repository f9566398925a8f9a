"""Tables of what Pass@1 alone does not say: measures of artifacts, and reproductions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.report.measures import ARTIFACT, DATA_REMARK, measure_cells, measure_rows
from referee.report.published_repair import paper, published_tables
from referee.report.reproductions import (
    REPRODUCTION,
    arm_cells,
    judge_remark,
    landscape_cells,
    reproduction_rows,
    task_cells,
)
from referee.report.site.model import Site


@dataclass(frozen=True)
class SpecialTable:
    """A table of texts; columns whose head ends in `>` are numbers."""

    title: str
    heads: list[str]
    rows: list[list[str]]
    remarks: tuple[str, ...] = ()


def special_tables(site: Site, *, published: bool = False) -> tuple[SpecialTable, ...]:
    """The tables of the kinds of tasks that the runs have, and published ones if they are wanted.

    Raises:
        BadInput: a record cannot be read.
    """
    kinds = {task.paradigm for task in site.tasks}
    made: list[SpecialTable] = []
    for place in site.runs:
        of_run = f", run {place.name}" if len(site.runs) > 1 else ""
        if ARTIFACT in kinds:
            made += _measures(place, of_run)
        if REPRODUCTION in kinds:
            made += _reproductions(place, of_run)
    if published:
        made += _published()
    return tuple(made)


def _published() -> Iterator[SpecialTable]:
    remark = "Published numbers rest on other tasks than these: no rank is shared with them."
    for table in published_tables(paper())[:2]:
        rows = [list(row) for row in table.rows]
        yield SpecialTable(table.title, list(table.heads), rows, (remark,))


def _measures(place: Path, of_run: str) -> Iterator[SpecialTable]:
    if rows := measure_rows(place):
        heads, cells = measure_cells(rows)
        remarks = (DATA_REMARK,) if "data" in heads else ()
        yield SpecialTable(f"Measures of artifacts{of_run}", heads, cells, remarks)


def _reproductions(place: Path, of_run: str) -> Iterator[SpecialTable]:
    if rows := reproduction_rows(place):
        yield SpecialTable(f"Reproductions: arms{of_run}", *arm_cells(rows))
        remark = (judge_remark(rows),)
        yield SpecialTable(f"Reproductions: tasks{of_run}", *task_cells(rows), remark)
        yield SpecialTable(f"Reproductions: how far all came{of_run}", *landscape_cells(rows))
