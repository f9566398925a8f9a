"""`referee run`: agents at tasks, with a live display; the table and the records at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import status
from referee.cli.interrupt import RunInterrupted
from referee.cli.judging import Judge
from referee.cli.limiting import Limits, limits
from referee.cli.scores import print_scores
from referee.cli.selecting import Chosen, selects
from referee.cli.sizes import Data, read_size


@selects
@limits
def run(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder, or a task.")],
    agent: Annotated[
        list[str],
        typer.Option("--agent", help="A name of `referee agent list`; may be repeated."),
    ],
    chosen: Chosen,
    limit: Limits,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A model profile, or smollm2-135m; may be repeated."),
    ] = None,
    unvalidated: Annotated[
        bool,
        typer.Option("--allow-unvalidated", help="Also tasks that have not passed validation."),
    ] = False,
    attempts: Annotated[int, typer.Option("--attempts", help="Attempts of each trial.")] = 1,
    condition: Annotated[
        list[str] | None,
        typer.Option("--condition", help="Paired arms, such as science=with,without."),
    ] = None,
    retries: Annotated[
        int,
        typer.Option("--retries", min=0, help="Further tries of a trial that the machine failed."),
    ] = 0,
    jobs: Annotated[int, typer.Option("--jobs", help="Trials at a time, at most.")] = 1,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of all random inputs.")] = None,
    data: Data = "small",
    judge: Judge = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the run; an unfinished one goes on.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Run agents on the tasks of a suite, and print the table.

    Exit code 3 if a trial was withheld, 2 if a task could not be prepared or the budget of the run
    was used up: such trials stay pending, and the same command goes on with them.
    """
    from referee.agent.local_model import fetch_weights, with_local_model
    from referee.author.evidence import require_validated
    from referee.cli.progress import show_progress
    from referee.environment.store import open_store
    from referee.record.fault import BadInput
    from referee.report.table import table_rows
    from referee.trial.conditions import read_conditions
    from referee.trial.contest import RunRequest, prepare_contest, run_contest

    if jobs < 1:
        raise BadInput(f"--jobs {jobs} is not a positive number")
    with with_local_model(model or (), lambda: fetch_weights(open_store(), status)) as models:
        request = RunRequest(
            suite=suite,
            agents=tuple(agent),
            criteria=chosen,
            attempts=attempts,
            conditions=read_conditions(condition or ()),
            seed=seed,
            out=out,
            unvalidated=unvalidated,
            models=models,
            trial_budget=limit.trial,
            run_budget=limit.run,
            retries=retries,
            size=read_size(data),
            judge=judge,
        )
        contest = prepare_contest(request, say=status, require=require_validated)
        try:
            with show_progress(len(contest.plan.trials())) as on_event:
                run_contest(contest, jobs=jobs, on_event=on_event)
        except KeyboardInterrupt:
            raise RunInterrupted(contest.out) from None
    rows = table_rows(contest.out)
    print_scores(contest.out, rows, as_json=as_json)
    status(f"records: {contest.out}")
    for label, fault in contest.unprepared.items():
        status(f"{label} was not run: {fault}")
    over = contest.contest.models.run.spent()
    pending = sum(row["pending"] for row in rows)
    if over is not None and pending:
        status(f"{pending} trials are pending: {over}; repeat the command with a larger budget")
    if any(row["withheld"] for row in rows):
        raise typer.Exit(3)
    if over is not None and pending:
        raise typer.Exit(2)
    if contest.unprepared:
        raise typer.Exit(2)
