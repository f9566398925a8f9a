"""`referee agent list|provision`: which agents there are, and installing one before a run."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.cli.console import print_json, print_table, status

app = typer.Typer(help="List and install agents.", no_args_is_help=True, rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the agents, with their versions and whether they are installed."""
    from referee.environment.store import open_store
    from referee.trial.agents import known_agents

    rows = [row.as_json() for row in known_agents(open_store())]
    if as_json:
        print_json(rows)
        return
    print_table(
        "Agents",
        ["agent", "version", "speaks", "installed", "what"],
        [
            [
                row["name"],
                row["version"],
                ", ".join(row["protocols"]) or "-",
                {True: "yes", False: "no", None: "-"}[row["provisioned"]],
                row["what"],
            ]
            for row in rows
        ],
    )


@app.command()
def provision(
    names: Annotated[list[str], typer.Argument(help="Agents of `referee agent list`.")],
    as_json: Json = False,
) -> None:
    """Install agents at their pinned versions, so that later runs need no network."""
    from referee.agent.provision import SOURCES, provision
    from referee.environment.store import open_store
    from referee.record.fault import BadInput

    for name in names:
        if name not in SOURCES:
            raise BadInput(
                f"{name!r} is not an agent that is installed",
                hint=f"these are: {', '.join(SOURCES)}",
            )
    store = open_store()
    layers = [provision(store, name, status) for name in names]
    told = [{"name": made.name, "version": made.version, "layer": made.digest} for made in layers]
    if as_json:
        print_json(told)
        return
    for row in told:
        typer.echo(f"{row['name']} {row['version']}: installed (layer {row['layer'][:12]})")
