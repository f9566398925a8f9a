"""`referee import published`: what others reported, in the form of our own tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.console import print_json, print_table
from referee.cli.formatting import require_format

if TYPE_CHECKING:
    from referee.report.composition import TextTable

PAPER, MEDIANS = "swe-bench-science.json", "gwbenchmarks_medians.csv"
app = typer.Typer(
    help="Read results that others published.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def group() -> None:
    """Read results that others published."""


@app.command()
def published(
    folder: Annotated[
        Path | None,
        typer.Argument(help=f"A folder with {PAPER} or {MEDIANS}; else what referee brings."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    how: Annotated[
        str | None, typer.Option("--format", help="Print `csv`, `markdown` or `latex`.")
    ] = None,
) -> None:
    """Print the tables that arXiv 2608.19799 and gwBenchmarks published, marked as published."""
    from referee.report.formats import FORMATS

    require_format(how, as_json=as_json)
    values, tables = _packaged() if folder is None else _read(folder)
    if as_json:
        print_json(values)
        return
    for table in tables:
        if how is None:
            print_table(table.title, table.heads, table.rows)
        else:
            typer.echo(f"{'' if how == 'csv' else table.title + chr(10) * 2}", nl=False)
            typer.echo(FORMATS[how](table.heads, table.rows))


def _packaged() -> tuple[dict[str, Any], list[TextTable]]:
    from referee.report.published import published as medians
    from referee.report.published import published_table
    from referee.report.published_repair import paper, published_rows, published_tables

    found, other = paper(), medians()
    values = {
        "repair": found.as_json(),
        "rows": published_rows(found),
        "artifact": other.as_json(),
    }
    return values, [*published_tables(found), published_table(other)]


def _read(folder: Path) -> tuple[dict[str, Any], list[TextTable]]:
    from referee.record.fault import BadInput
    from referee.report.published_medians import median_table, read_medians
    from referee.report.published_repair import published_rows, published_tables, read_paper

    values: dict[str, Any] = {}
    tables: list[TextTable] = []
    if (folder / PAPER).is_file():
        found = read_paper(folder / PAPER)
        values |= {"repair": found.as_json(), "rows": published_rows(found)}
        tables += published_tables(found)
    if (folder / MEDIANS).is_file():
        rows = read_medians(folder / MEDIANS)
        values["artifact"] = [asdict(row) | {"withheld": row.withheld} for row in rows]
        tables.append(median_table(rows))
    if not tables:
        raise BadInput(f"holds neither {PAPER} nor {MEDIANS}", where=folder)
    return values, tables
