"""`referee model check|serve`: trying a profile, and a small model of one's own on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import print_json, status

app = typer.Typer(help="Try and serve models.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def check(
    profile: Annotated[str, typer.Argument(help="A profile, as `referee run --model` takes it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask a profile's model one small question, and say what it counted.

    Exit code 1 if it does not answer.
    """
    from referee.agent.gateway.probe import ask_once
    from referee.agent.profile import load_profile

    found = load_profile(profile)
    answer = ask_once(found)
    usage = answer.usage
    if as_json:
        print_json(
            {
                "profile": found.name,
                "model": found.table.model,
                "protocol": found.table.protocol,
                "answers": answer.fault is None,
                "fault": answer.fault,
                "seconds": round(answer.seconds, 3),
                "tokens": None if usage is None else {"input": usage.input, "output": usage.output},
            }
        )
    elif answer.fault is not None:
        typer.echo(f"{found.name}: {found.table.model} does not answer: {answer.fault}")
    else:
        counted = "tokens not counted"
        if usage is not None:
            counted = f"{usage.input} tokens in, {usage.output} out"
        typer.echo(
            f"{found.name}: {found.table.model} answers in {answer.seconds:.2f} s, {counted}"
        )
    if answer.fault is not None:
        raise typer.Exit(1)


@app.command()
def serve(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: a free one.")] = 0,
    profile: Annotated[
        Path | None, typer.Option("--profile", help="Write the profile [models.local] here.")
    ] = None,
) -> None:
    """Serve SmolLM2-135M on loopback until interrupted, and print its profile.

    Needs the extra `local-model`. The weights are fetched once.
    """
    from referee.agent.local_model import fetch_weights, local_model, profile_toml
    from referee.environment.store import open_store
    from referee.record.atomic import write_atomic
    from referee.record.fault import BadInput

    if profile is not None and profile.exists():
        raise BadInput("is there already", where=profile, hint="choose another --profile")
    with local_model(fetch_weights(open_store(), status), port=port) as url:
        text = profile_toml(url)
        if profile is not None:
            write_atomic(profile, text.encode())
        typer.echo(text)
        status(f"serving at {url}; stop with Ctrl-C")
        try:
            _wait()
        except KeyboardInterrupt:
            status("stopped")


def _wait() -> None:
    import threading

    threading.Event().wait()
