"""`referee doctor`: what this machine can and cannot enforce."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.cli.console import print_json, print_table


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say what this machine can and cannot enforce, and how to get the rest.

    Exit code 1 if trials cannot run here.
    """
    from referee.trial.doctor import examine

    findings = examine()
    ready = all(f.status != "missing" for f in findings)
    if as_json:
        rows = [
            {"what": f.what, "status": f.status, "found": f.found, "advice": f.advice}
            for f in findings
        ]
        print_json({"ready": ready, "findings": rows})
    else:
        print_table(
            "What this machine can enforce",
            ["what", "status", "found"],
            [[f.what, f.status, f.found] for f in findings],
        )
        for f in findings:
            if f.advice:
                typer.echo(f"{f.what}: {f.advice}")
        typer.echo("Trials can run here." if ready else "Trials cannot run here yet.")
    if not ready:
        raise typer.Exit(1)
