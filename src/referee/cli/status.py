"""`referee status`: where a run stands, while it runs or after."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table

if TYPE_CHECKING:
    from referee.trial.status import RunStatus


def status(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many trials of a run are done, running and pending, and what they cost."""
    from referee.trial.status import run_status

    found = run_status(run)
    if as_json:
        print_json({**dataclasses.asdict(found), "pending": found.pending})
        return
    print_table(f"{run}: {_state(found)}", ["trials", "count>"], _rows(found))
    if found.running:
        print_table(
            "Running",
            ["task", "arm", "attempt>", "seconds>"],
            [[r.task, r.arm, str(r.attempt), f"{r.seconds:.0f}"] for r in found.running],
        )
    if found.model_calls:
        cost = "unknown" if found.cost is None else f"{found.cost:.4f} $"
        typer.echo(
            f"{found.model_calls} model calls, {found.input_tokens} tokens in, "
            f"{found.output_tokens} out, cost {cost}"
        )


def _state(found: RunStatus) -> str:
    if found.sealed:
        return "finished"
    return "at work" if found.at_work else "not at work; the same `referee run` goes on"


def _rows(found: RunStatus) -> list[list[str]]:
    rows = [["planned", found.planned], ["scored", found.scored]]
    rows += [[f"withheld: {reason}", count] for reason, count in sorted(found.withheld.items())]
    rows += [["running", len(found.running)], ["pending", found.pending]]
    rows += [[f"tried again: {reason}", count] for reason, count in sorted(found.retried.items())]
    if found.interrupted:
        rows.append(["interrupted before", found.interrupted])
    return [[str(name), str(count)] for name, count in rows]
