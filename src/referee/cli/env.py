"""`referee env list|build|prune`: the store of snapshots and environments."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.cli.console import print_json, print_table, size_text, status

app = typer.Typer(
    help="List, build and prune environments.", no_args_is_help=True, rich_markup_mode=None
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List what the store holds, with sizes on disk."""
    from referee.environment.inventory import list_store
    from referee.environment.store import open_store

    store = open_store()
    rows = list_store(store)
    total = sum(row.bytes for row in rows)
    if as_json:
        print_json(
            {
                "store": str(store.root),
                "bytes": total,
                "things": [
                    {"kind": r.kind, "digest": r.digest, "bytes": r.bytes, "what": r.what}
                    for r in rows
                ],
            }
        )
        return
    print_table(
        f"{store.root}: {size_text(total)}",
        ["kind", "digest", "size>", "what"],
        [[r.kind, r.digest[:12], size_text(r.bytes), r.what] for r in rows],
    )


@app.command()
def build(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder, or a task.")],
    tasks: Annotated[str | None, typer.Option("--tasks", help="Ids, ranges.")] = None,
    as_json: Json = False,
) -> None:
    """Build the snapshots and environments of tasks, so that later runs need no network."""
    from referee.environment.store import open_store
    from referee.trial.select import select_tasks
    from referee.trial.workspace import prepare_task

    store = open_store()
    rows = []
    for task in select_tasks(suite, tasks):
        status(f"{task.label}: preparing")
        prepared = prepare_task(store, task, say=lambda line: status(f"  {line}"))
        rows.append(
            {
                "task": task.label,
                "snapshot": prepared.snapshot.digest,
                "environment": prepared.environment.digest,
            }
        )
    if as_json:
        print_json(rows)
        return
    print_table(
        "Ready",
        ["task", "snapshot", "environment"],
        [[r["task"], r["snapshot"][:12], r["environment"][:12]] for r in rows],
    )


@app.command()
def prune(
    everything: Annotated[
        bool, typer.Option("--all", help="Remove what suites need, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove what no suite needs, and what interrupted processes left behind."""
    from referee.environment.inventory import prune as prune_store
    from referee.environment.store import open_store
    from referee.trial.workspace import needed_digests

    store = open_store()
    freed = prune_store(store, keep=set() if everything else needed_digests(store))
    if as_json:
        print_json({"store": str(store.root), "freed_bytes": freed})
    else:
        typer.echo(f"freed {size_text(freed)} in {store.root}")
