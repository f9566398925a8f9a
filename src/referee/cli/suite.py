"""`referee suite list|show|stats|select|validate`: what there is to run, and how sound it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.author import settings_of, show_rows
from referee.cli.console import print_json, print_table, status
from referee.cli.selecting import Chosen, selects

if TYPE_CHECKING:
    from referee.author.validate_suite import Outcome

app = typer.Typer(
    help="List, measure, select and validate suites.", no_args_is_help=True, rich_markup_mode=None
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Suite = Annotated[str, typer.Argument(help="A suite's name or folder.")]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the suites that can be named, with their tasks."""
    from referee.task.suite import find_suites

    suites = find_suites()
    if as_json:
        print_json({"suites": [_facts(s) for s in suites], "tasks": _tasks(suites)})
        return
    for s in suites:
        _print(s)


@app.command()
def show(suite: Suite, as_json: Json = False) -> None:
    """Show one suite."""
    from referee.task.suite import resolve_suite

    found = resolve_suite(suite)
    if as_json:
        print_json({**_facts(found), "tasks": _tasks((found,))})
        return
    _print(found)


@app.command()
@selects
def stats(
    suite: Suite,
    chosen: Chosen,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Measure a suite: domains, paradigms, lines of inputs and of reference patches, checks."""
    from referee.author.composition import composition, task_facts
    from referee.environment.store import open_store
    from referee.report.composition import composition_markdown, composition_tables
    from referee.trial.select import select_tasks

    store = open_store()
    facts = [task_facts(store, task) for task in select_tasks(suite, chosen)]
    value = composition(facts)
    if as_json:
        print_json({**value, "rows": [vars(row) for row in facts]})
    elif markdown:
        typer.echo(composition_markdown(value, facts))
    else:
        for table in composition_tables(value, facts):
            print_table(table.title, table.heads, table.rows)


@app.command()
@selects
def select(
    suite: Suite,
    out: Annotated[Path, typer.Option("--out", help="The selection file to write.")],
    chosen: Chosen,
    as_json: Json = False,
) -> None:
    """Write which tasks are meant, at their present content, for `--selection`."""
    from referee.task.selection import make_selection, write_selection
    from referee.task.selection import select as select_from
    from referee.task.suite import resolve_suite

    found = resolve_suite(suite)
    made = make_selection(found, select_from(found, chosen))
    write_selection(out, made)
    if as_json:
        print_json(made.as_json())
    else:
        typer.echo(f"{len(made.tasks)} tasks in {out}, selection {made.selection}")


@app.command()
@selects
def validate(
    suite: Suite,
    chosen: Chosen,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Gradings at a time.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Repeats of each check.")] = 3,
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=2**63 - 1)] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One repeat, 8 mutants; does not count.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Grade these kinds of cases alone.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave validation.json and evidence in the packages.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", help="Keep outcomes here; the same command then goes on."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Validate every task of a suite, one after the other; what falls short is told at the end.

    Exit code 0 if every task is sound, 1 if one is not, 2 if one could not be validated, 3 if only
    the machine failed.
    """
    from referee.author.validate_suite import validate_tasks
    from referee.environment.store import open_store
    from referee.trial.select import select_tasks

    settings = settings_of(jobs, repeats, seed, quick, only, keep)
    found = select_tasks(suite, chosen)
    store = open_store()
    outcomes = validate_tasks(store, found, settings, say=status, showing=show_rows, record=record)
    if as_json:
        print_json([_outcome_facts(outcome) for outcome in outcomes])
    else:
        _print_outcomes(outcomes)
    if code := _exit_code(outcomes):
        raise typer.Exit(code)


def _exit_code(outcomes: tuple[Outcome, ...]) -> int:
    wrong = [outcome for outcome in outcomes if not outcome.passed]
    if any(outcome.validation is not None and not outcome.machine for outcome in wrong):
        return 1
    if any(outcome.validation is None and not outcome.machine for outcome in wrong):
        return 2
    return 3 if wrong else 0


def _outcome_facts(outcome: Outcome) -> dict[str, Any]:
    done = outcome.validation
    if done is None:
        return {"task": outcome.task, "passed": False, "fault": str(outcome.fault)}
    return {
        "task": outcome.task,
        "passed": done.passed,
        "mode": done.mode,
        "seconds": done.seconds,
        "cases": len(done.rows),
        "mutation": done.mutation.as_json(),
        "problems": [problem.as_json() for problem in done.problems],
    }


def _print_outcomes(outcomes: tuple[Outcome, ...]) -> None:
    rows, short = [], []
    for outcome in outcomes:
        done = outcome.validation
        if done is None:
            rows.append([outcome.task, "no", "", "", "", ""])
            short.append([outcome.task, "", str(outcome.fault)])
            continue
        score = done.mutation
        shown = "-" if score.adjusted is None else f"{score.adjusted:.3f}"
        caught = f"{score.caught}/{score.graded - score.equivalent}"
        rows.append(
            [
                outcome.task,
                "yes" if done.passed else "no",
                str(len(done.rows)),
                caught if score.graded else "-",
                shown,
                f"{done.seconds:.0f}",
            ]
        )
        short += [[outcome.task, p.row, f"{p.what}\n{p.command}"] for p in done.problems]
    heads = ["task", "sound", "cases>", "mutants caught>", "score>", "seconds>"]
    print_table("Validation", heads, rows)
    if short:
        print_table("Fell short", ["task", "case", "what, and what shows it again"], short)


def _facts(suite: Any) -> dict[str, str]:
    table = suite.table
    return {
        "name": table.name,
        "version": table.version,
        "title": table.title,
        "path": str(suite.root),
    }


def _tasks(suites: Any) -> list[dict[str, Any]]:
    rows = []
    for suite in suites:
        for task in suite.load():
            facts = task.agent.file.referee
            source = task.agent.source.source
            rows.append(
                {
                    "id": facts.id,
                    "suite": suite.table.name,
                    "task": task.label,
                    "kind": facts.kind,
                    "domain": facts.domain,
                    "paradigm": facts.group,
                    "package": f"{source.name} {source.version}",
                    "digest": task.digest,
                    "path": str(task.root),
                }
            )
    return rows


def _print(suite: Any) -> None:
    rows = [
        [t["id"], t["task"], t["domain"], t["paradigm"], t["package"]] for t in _tasks((suite,))
    ]
    title = f"{suite.table.name} {suite.table.version}: {suite.table.title} ({len(rows)} tasks)"
    print_table(title, ["id", "task", "domain", "paradigm", "package"], rows)
