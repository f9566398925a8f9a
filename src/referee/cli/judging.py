"""The option that says who judges."""

from __future__ import annotations

from typing import Annotated

import typer

Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Who decides leaves that code cannot: scripted, recorded:FILE, a profile, or none.",
    ),
]
