"""`referee data build|list`: the data sets of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.console import print_json, print_table, size_text, status
from referee.cli.sizes import read_size

if TYPE_CHECKING:
    from referee.data.build import DataSet
    from referee.environment.store import Store
    from referee.task.package import TaskPackage

app = typer.Typer(
    help="Build and list the data of tasks.", no_args_is_help=True, rich_markup_mode=None
)
Suite = Annotated[str, typer.Argument(help="A suite's name or folder, or a task.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def build(
    suite: Suite,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="A task: 004, ringdown or 004-ringdown; repeatable."),
    ] = None,
    size: Annotated[str, typer.Option("--size", help="small or full.")] = "small",
    published: Annotated[
        Path | None, typer.Option("--from", help="A folder with the published files, to use those.")
    ] = None,
    hidden_seed: Annotated[
        int | None,
        typer.Option("--hidden-seed", help="Seed of the hidden data; drawn if it is not given."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the data of tasks, or read the published files; later runs use what was made last.

    A task whose data cannot be made is told, and the others go on; then the exit code is 2.
    """
    from referee.data.build import build_data, take_published
    from referee.environment.store import open_store
    from referee.record.fault import BadInput
    from referee.trial.select import tasks_with_data

    chosen = read_size("published" if published is not None else size)
    tasks, store = tasks_with_data(suite, task or ()), open_store()
    made: dict[str, tuple[TaskPackage, DataSet]] = {}
    faults: dict[str, BadInput] = {}
    for found in tasks:
        try:
            if published is not None:
                data = take_published(store, found, published, status)
            else:
                data = build_data(store, found, chosen, hidden_seed=hidden_seed, say=status)
            made[found.label] = (found, data)
        except BadInput as fault:
            if len(tasks) == 1:
                raise
            faults[found.label] = fault
    rows = [_row(label, data, data.provenance()) for label, (_task, data) in made.items()]
    _print("Built", rows, as_json=as_json)
    for label, told in faults.items():
        status(f"{label}: {told}")
    if faults:
        raise typer.Exit(2)


@app.command("list")
def list_(suite: Suite, as_json: Json = False) -> None:
    """List the data sets that runs use at present."""
    from referee.environment.store import open_store
    from referee.trial.select import tasks_with_data

    store = open_store()
    rows = [
        _row(task.label, data, data.provenance())
        for task in tasks_with_data(suite, ())
        for data in _present(store, task)
    ]
    _print("Data in use", rows, as_json=as_json)


def _present(store: Store, task: TaskPackage) -> list[DataSet]:
    from referee.data.build import current
    from referee.data.recipe import table_of

    found = [current(store, task, size) for size in table_of(task).sizes]
    return [data for data in found if data is not None]


def _row(label: str, data: DataSet, told: dict[str, Any]) -> dict[str, Any]:
    files = [path for folder in (data.public, data.hidden) for path in folder.iterdir()]
    return {
        "task": label,
        **data.facts.as_json(),
        "bytes": sum(path.stat().st_size for path in files),
        "seconds": sum(part.get("seconds", 0.0) for part in told.values()),
        "packages": told["hidden"].get("packages", {}),
        "files": {name: sha for part in told.values() for name, sha in part["files"].items()},
    }


def _print(title: str, rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    heads = ["task", "data", "size>", "made in>", "public", "hidden"]
    cells = [
        [
            row["task"],
            row["source"] if row["source"] == "published" else f"{row['source']} ({row['size']})",
            size_text(row["bytes"]),
            f"{row['seconds']:.1f} s",
            row["public"][:12],
            row["hidden"][:12],
        ]
        for row in rows
    ]
    print_table(title, heads, cells)
