"""`referee regrade`: what was withheld is graded again, from the same submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table, status
from referee.cli.judging import Judge

if TYPE_CHECKING:
    from referee.trial.regrade import Regraded


def regrade(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    suite: Annotated[
        str | None, typer.Option("--suite", help="The run's suite or task; default: by its name.")
    ] = None,
    judge: Judge = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every recorded trial, not only withheld ones.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Grade recorded submissions again, and put the new verdicts beside the earlier ones.

    No agent is asked again. A reproduction whose frozen evidence is whole is judged from that
    evidence. Exit code 3 if a trial is still withheld.
    """
    from referee.environment.store import open_store
    from referee.trial.index import load_plan
    from referee.trial.regrade import chosen_trials, tasks_of
    from referee.trial.regrade import regrade as again
    from referee.trial.run_folder import open_run

    def told(done: Regraded) -> None:
        who = done.identity
        status(f"{who.task_id} {who.arm} #{who.attempt}: {_says(done)}")

    plan = load_plan(run)
    with open_run(run, plan) as folder:
        chosen = chosen_trials(folder, everything=everything)
        tasks = tasks_of(plan, suite) if chosen else {}
        done = again(folder, open_store(), tasks, chosen, judge=judge, say=status, on_done=told)
    rows = [
        {
            "task": one.identity.task_id,
            "arm": one.identity.arm,
            "attempt": one.identity.attempt,
            "outcome": one.outcome,
            "added": one.added,
            "reason": one.reason,
            "detail": one.detail,
        }
        for one in done
    ]
    if as_json:
        print_json(rows)
    elif rows:
        heads = ["task!", "arm", "attempt>", "now", "why"]
        cells = [
            [str(row[key] or "") for key in ("task", "arm", "attempt", "outcome", "reason")]
            for row in rows
        ]
        print_table("Graded again", heads, cells)
    else:
        typer.echo("nothing is withheld: there is nothing to grade again")
    if any(one.outcome == "withheld" for one in done):
        raise typer.Exit(3)


def _says(done: Regraded) -> str:
    if done.outcome == "scored":
        return "scored" if done.added else "the same verdict as before"
    return f"still withheld ({done.reason}: {done.detail})"
