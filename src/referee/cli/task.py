"""`referee task show|check|baseline`: one task package; `author.py` has the other commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import author
from referee.cli.console import print_json, print_table, status

if TYPE_CHECKING:
    from referee.task.package import TaskPackage

app = typer.Typer(
    help="Show, check and lock one task.", no_args_is_help=True, rich_markup_mode=None
)
for _command in (
    *(author.new, author.screen, author.freeze, author.abstract),
    *(author.validate, author.leaks),
):
    app.command()(_command)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Task = Annotated[str, typer.Argument(help="A task: its folder, or suite/id.")]


@app.command()
def show(task: Task, as_json: Json = False) -> None:
    """Show what a task asks and how it is decided (without hidden material)."""
    from referee.task.suite import resolve_task

    loaded = resolve_task(task)
    facts = loaded.agent.file.referee
    source = loaded.agent.source.source
    baseline = loaded.evaluator.baseline
    kinds = ["public", "private", "regression"]
    checks = {} if baseline is None else baseline.checks
    counts = {kind: sum(c.kind == kind for c in checks.values()) for kind in kinds}
    value = {
        "task": loaded.label,
        "digest": loaded.digest,
        "kind": facts.kind,
        "domain": facts.domain,
        "paradigm": facts.group,
        "package": f"{source.name} {source.version}",
        "python": loaded.agent.source.python.version,
        "licence": facts.licence,
        "writable": list(facts.writable),
        "conditions": {key: list(values) for key, values in facts.conditions.items()},
        "checks": counts,
        "path": str(loaded.root),
    }
    if as_json:
        print_json({**value, "instruction": loaded.agent.instruction})
        return
    rows = [[key, _text(shown)] for key, shown in value.items()]
    print_table(loaded.label, ["", ""], rows)
    typer.echo(loaded.agent.instruction)


@app.command()
def check(task: Task, as_json: Json = False) -> None:
    """Check a package without running anything; one sentence for the first fault.

    Exit code 2 if there is one, 1 if the package is sound but its baseline is not of its content.
    Of a reproduction task every fault that its audit finds is listed.
    """
    from referee.author.evidence import check_validation_file, read_evidence, stage_states
    from referee.record.fault import BadInput
    from referee.task.suite import resolve_task

    loaded = resolve_task(task)
    if loaded.agent.file.referee.kind == "reproduction":
        _check_reproduction(loaded, as_json)
        return
    stages = [line.stage for line in read_evidence(loaded.root)]
    check_validation_file(loaded.root)
    states = {state.stage: state.problem for state in stage_states(loaded)} if stages else {}
    try:
        loaded.checked_baseline()
        problem = None
    except BadInput as error:
        problem = str(error)
    if as_json:
        print_json(
            {
                "task": loaded.label,
                "digest": loaded.digest,
                "scorable": problem is None,
                "evidence": stages,
                "stages": states,
            }
        )
    else:
        typer.echo(f"{loaded.label}: the package is sound (digest {loaded.digest[:12]})")
        typer.echo(problem or "its baseline is of this content: it can be scored")
        if stages:
            typer.echo(f"its chain of evidence holds ({', '.join(stages)})")
        for stage_problem in filter(None, states.values()):
            typer.echo(f"to be done: {stage_problem}")
    if problem is not None:
        raise typer.Exit(1)


def _check_reproduction(loaded: TaskPackage, as_json: bool) -> None:
    from referee.author.evidence import check_validation_file, read_evidence, stage_states
    from referee.task.reproduction.audit import audit_package
    from referee.task.reproduction.load import load_reproduction

    faults = audit_package(load_reproduction(loaded))
    stages = [line.stage for line in read_evidence(loaded.root)]
    check_validation_file(loaded.root)
    todo = [state.problem for state in stage_states(loaded) if state.problem is not None]
    if as_json:
        rows = [{"code": f.code, "where": f.where, "what": f.what} for f in faults]
        facts = {"task": loaded.label, "digest": loaded.digest, "faults": rows}
        print_json({**facts, "evidence": stages, "to_do": todo})
    elif faults:
        for fault in faults:
            typer.echo(f"{fault.code}: {fault.where}: {fault.what}", err=True)
    else:
        typer.echo(f"{loaded.label}: the package is sound (digest {loaded.digest[:12]})")
        typer.echo(f"to be done: {todo[0]}" if todo else "its chain of evidence holds (validate)")
    if faults:
        raise typer.Exit(2)


@app.command()
def baseline(
    task: Annotated[Path, typer.Argument(help="The folder of a task.")], as_json: Json = False
) -> None:
    """Lock the checks: grade the untouched snapshot twice and write tests/baseline.json."""
    from referee.environment.store import open_store
    from referee.task.package import load_task
    from referee.trial.baseline import lock_baseline
    from referee.trial.workspace import bench_for

    loaded = load_task(task)
    loaded.require_checks()
    bench = bench_for(open_store(), loaded, say=status)
    locked = lock_baseline(bench, loaded)
    rows = [
        [name, c.contract or "", "passed" if c.passed else "failed"]
        for name, c in locked.checks.items()
        if c.kind != "regression"
    ]
    if as_json:
        print_json(locked.as_json())
        return
    print_table(
        f"{loaded.label}: on the untouched snapshot", ["check", "contract", "outcome"], rows
    )
    others = sum(c.kind == "regression" for c in locked.checks.values())
    typer.echo(f"{others} regression checks locked")


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)
