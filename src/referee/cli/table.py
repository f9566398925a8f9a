"""`referee table`: the scores of a run, arm by arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import status
from referee.cli.formatting import require_format
from referee.cli.scores import print_scores


def table(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    by: Annotated[
        str | None, typer.Option("--by", help="Split the rows by `paradigm` or `domain`.")
    ] = None,
    how: Annotated[
        str | None,
        typer.Option("--format", help="Print the scores as `csv`, `markdown` or `latex`."),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", help="Folder for figures of reproductions, as SVG and PNG."),
    ] = None,
    published: Annotated[
        bool,
        typer.Option("--published", help="Also the rows that arXiv 2608.19799 reports, so marked."),
    ] = False,
) -> None:
    """Print the scores of every arm of a run, each mean with its coverage and interval."""
    from referee.report.score_cells import formatted
    from referee.report.table import table_rows

    require_format(how, as_json=as_json)
    rows = table_rows(run, by=by)
    if published:
        from referee.report.published_repair import paper, published_rows

        rows += published_rows(paper(), by)
    if how is None:
        print_scores(run, rows, as_json=as_json)
    else:
        typer.echo(formatted(rows, how), nl=False)
    if figures is not None:
        _draw(run, figures)


def _draw(run: Path, folder: Path) -> None:
    from referee.record.fault import BadInput
    from referee.report.reproduction_figures import write_reproduction_figures
    from referee.report.reproductions import reproduction_rows

    files = write_reproduction_figures(reproduction_rows(run), folder)
    if not files:
        hint = "`referee samples RUN --figures` draws artifacts"
        raise BadInput("--figures: the run has no reproduction tasks", where=run, hint=hint)
    for file in files:
        status(f"wrote {file}")
