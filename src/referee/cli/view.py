"""`referee view`: the pages of `referee report`, live while a run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def view(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more runs.")],
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="A port; 0 takes a free one.")
    ] = 0,
    title: Annotated[str | None, typer.Option("--title", help="What stands above it.")] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw figures (extra `report`).")
    ] = True,
    internal: Annotated[
        bool, typer.Option("--internal", help="Also show what only evaluators may see.")
    ] = False,
) -> None:
    """Serve a site of runs to browsers on this machine until it is interrupted."""
    import socket

    import uvicorn

    from referee.record.fault import BadInput
    from referee.report.site.serve import LiveSite, live_app

    live = LiveSite(runs, title, internal, figures)
    live.file("index.html")  # a run that cannot be read is said here, and not in a browser
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            raise BadInput(
                f"port {port} cannot be had ({error.strerror})", hint="choose another --port"
            ) from error
        typer.echo(f"http://127.0.0.1:{listener.getsockname()[1]}/ (Ctrl-C ends it)")
        config = uvicorn.Config(live_app(live), log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listener])
