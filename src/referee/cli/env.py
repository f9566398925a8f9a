"""`referee env list|build|prune`: the store of snapshots and environments."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.cli.console import print_json, print_table, size_text, status
from referee.cli.selecting import Chosen, selects

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
@selects
def build(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder, or a task.")],
    chosen: Chosen,
    as_json: Json = False,
) -> None:
    """Build the snapshots and environments of tasks, so that later runs need no network.

    A task that cannot be built is told, and the others go on; then the exit code is 2.
    """
    from referee.environment.store import open_store
    from referee.trial.contest import prepare_benches
    from referee.trial.select import select_tasks

    selected = {task.label: task for task in select_tasks(suite, chosen)}
    benches, faults = prepare_benches(open_store(), selected, status)
    rows = [
        {
            "task": label,
            "snapshot": bench.prepared.snapshot.digest,
            "environment": bench.prepared.environment.digest,
        }
        for label, bench in benches.items()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(
            "Ready",
            ["task", "snapshot", "environment"],
            [[r["task"], r["snapshot"][:12], r["environment"][:12]] for r in rows],
        )
    for label, fault in faults.items():
        status(f"{label} is not ready: {fault}")
    if faults:
        raise typer.Exit(2)


@app.command()
@selects
def disk(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder, or a task.")],
    chosen: Chosen,
    as_json: Json = False,
) -> None:
    """Say what the snapshots and environments of tasks take, and how much they share.

    What is not built yet is left out and told.
    """
    from referee.environment.inventory import disk_shares
    from referee.environment.store import open_store
    from referee.trial.select import select_tasks
    from referee.trial.workspace import stored_folders

    store = open_store()
    found = {t.label: stored_folders(store, t) for t in select_tasks(suite, chosen)}
    shares = disk_shares({label: paths for label, paths in found.items() if paths})
    missing = [label for label, paths in found.items() if not paths]
    alone, together = sum(s.alone for s in shares), sum(s.added for s in shares)
    if as_json:
        rows = [{"task": s.name, "alone_bytes": s.alone, "added_bytes": s.added} for s in shares]
        total = {"alone_bytes": alone, "together_bytes": together}
        print_json({**total, "tasks": rows, "not_built": missing})
        return
    print_table(
        "Disk",
        ["task", "alone>", "added>"],
        [[s.name, size_text(s.alone), size_text(s.added)] for s in shares],
    )
    saved = f", {1 - together / alone:.0%} less by sharing" if alone else ""
    typer.echo(f"alone {size_text(alone)}, together {size_text(together)}{saved}")
    if missing:
        typer.echo(f"not built: {', '.join(missing)}")


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
