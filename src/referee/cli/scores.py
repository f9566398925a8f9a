"""How the scores of a run are printed: the table of arms and, for artifact tasks, of measures; for
reproduction tasks, R and what the stages brought."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from referee.cli.console import console, print_json, print_table

if TYPE_CHECKING:
    from referee.report.reproductions import ReproductionRow


def print_scores(run: Path, rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print the rows of `report.table`; in JSON each has its arm's `measures` and `reproductions`,
    if there are any."""
    from referee.report.measures import DATA_REMARK, measure_cells, measure_rows
    from referee.report.measures import as_json as plain
    from referee.report.reproductions import reproduction_rows
    from referee.report.table import render_table
    from referee.report.usage import usage_cells

    measures, reproductions = measure_rows(run), reproduction_rows(run)
    if as_json:
        for row in rows if measures else ():
            row["measures"] = [plain(found) for found in measures if found.arm == row["arm"]]
        for row in rows if reproductions else ():
            own = [made for made in reproductions if made.arm == row["arm"]]
            row["reproductions"] = [made.as_json() for made in own]
        print_json(rows)
        return
    if not reproductions or any(row["pass1"] is not None for row in rows):
        console().print(render_table(rows))
    heads, cells = usage_cells(rows)
    if cells:
        print_table("What arms used of their models, withheld trials included", heads, cells)
    if reproductions:
        _print_reproductions(reproductions)
    if measures:
        heads, cells = measure_cells(measures)
        print_table("Measures of artifacts; medians over the valid attempts", heads, cells)
        if "data" in heads:
            typer.echo(DATA_REMARK)


def _print_reproductions(rows: list[ReproductionRow]) -> None:
    from referee.report.reproductions import arm_cells, judge_remark, landscape_cells, task_cells

    several = len({row.task for row in rows}) > 1, len({row.arm for row in rows}) > 1
    if several[0]:
        print_table("Reproductions: arms over the tasks", *arm_cells(rows))
    print_table("Reproductions: R, and what the stages brought of what they can", *task_cells(rows))
    if all(several):
        print_table("Completion: how far anybody came", *landscape_cells(rows))
    typer.echo(judge_remark(rows))
