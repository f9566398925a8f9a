"""`referee index`: a run's checks as one Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import print_json


def index(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write index.parquet anew from the records: one row per check."""
    from referee.trial.index import build_index, index_head

    path = build_index(run)
    if as_json:
        print_json({"index": str(path), "head": index_head(run)})
    else:
        typer.echo(f"wrote {path}")
