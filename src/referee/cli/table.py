"""`referee table`: the scores of a run, arm by arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.scores import print_scores


def table(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    by: Annotated[
        str | None, typer.Option("--by", help="Split the rows by `paradigm` or `domain`.")
    ] = None,
) -> None:
    """Print the scores of every arm of a run, each mean with its coverage."""
    from referee.report.table import table_rows

    print_scores(run, table_rows(run, by=by), as_json=as_json)
