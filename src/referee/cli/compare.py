"""`referee compare`: two arms, task by task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import print_json


def compare(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more runs.")],
    arm: Annotated[
        list[str] | None,
        typer.Option("--arm", help="An arm of the comparison; give it twice."),
    ] = None,
    factor: Annotated[
        list[str] | None,
        typer.Option(
            "--factor",
            help="In what arms may differ: `agent`, `model`, `settings`, or a condition such as "
            "`science`; may be repeated. Without --arm, every such pair is compared.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two arms at the tasks that both were tried at: who solved what, and is it chance?"""
    from referee.report.compare_runs import compare_runs
    from referee.report.compare_text import compare_json, compare_lines

    found = compare_runs(runs, arm or (), tuple(dict.fromkeys(factor or ())))
    if as_json:
        print_json([compare_json(one) for one in found])
        return
    typer.echo("\n\n".join("\n".join(compare_lines(one)) for one in found))
