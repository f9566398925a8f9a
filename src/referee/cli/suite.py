"""`referee suite list|show`: what there is to run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from referee.cli.console import print_json, print_table

app = typer.Typer(help="List suites and their tasks.", no_args_is_help=True, rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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
def show(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")], as_json: Json = False
) -> None:
    """Show one suite."""
    from referee.task.suite import resolve_suite

    found = resolve_suite(suite)
    if as_json:
        print_json({**_facts(found), "tasks": _tasks((found,))})
        return
    _print(found)


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
                    "paradigm": facts.paradigm,
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
