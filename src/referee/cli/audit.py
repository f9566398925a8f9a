"""`referee audit`: whether a run's records are whole and untouched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import print_json


def audit(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    expect: Annotated[
        str | None, typer.Option("--expect", help="The head hash that was published.")
    ] = None,
) -> None:
    """Find any edited, missing or added byte in a run.

    Exit code 1 if there is one, or if the run is not finished.
    """
    from referee.report.audit_text import audit_json, audit_lines
    from referee.trial.audit import audit_run

    report = audit_run(run)
    other_head = expect is not None and expect != report.head
    if as_json:
        print_json({**audit_json(report), "expected_head": expect, "head_matches": not other_head})
    else:
        for line in audit_lines(report):
            typer.echo(line)
        if other_head:
            typer.echo(f"the head is not the expected {expect}: this is another ledger")
    if not (report.ok and report.complete) or other_head:
        raise typer.Exit(1)
