"""How the scores of a run are printed: the table of arms and, for artifact tasks, of measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from referee.cli.console import console, print_json, print_table


def print_scores(run: Path, rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print the rows of `report.table`; in JSON each has its arm's `measures`, if there are any."""
    from referee.report.measures import DATA_REMARK, measure_cells, measure_rows
    from referee.report.measures import as_json as plain
    from referee.report.table import render_table
    from referee.report.usage import usage_cells

    measures = measure_rows(run)
    if as_json:
        for row in rows if measures else ():
            row["measures"] = [plain(found) for found in measures if found.arm == row["arm"]]
        print_json(rows)
        return
    console().print(render_table(rows))
    heads, cells = usage_cells(rows)
    if cells:
        print_table("What arms used of their models, withheld trials included", heads, cells)
    if measures:
        heads, cells = measure_cells(measures)
        print_table("Measures of artifacts; medians over the valid attempts", heads, cells)
        if "data" in heads:
            typer.echo(DATA_REMARK)
