"""The options that select tasks of a suite, the same for every command that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli.options import gathers

Chosen = Any
"""`referee.task.selection.Criteria`, which is imported only once a command runs."""

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "tasks": (
        Annotated[str | None, typer.Option("--tasks", help="Ids and ranges: 079,108-113.")],
        None,
    ),
    "domains": (
        Annotated[
            list[str] | None,
            typer.Option("--domain", help="A domain, or how it begins; repeatable."),
        ],
        None,
    ),
    "paradigms": (
        Annotated[
            list[str] | None,
            typer.Option("--paradigm", help="issue, expert or engineering; repeatable."),
        ],
        None,
    ),
    "languages": (
        Annotated[
            list[str] | None,
            typer.Option("--language", help="A language to repair in; repeatable."),
        ],
        None,
    ),
    "ablation": (
        Annotated[
            bool,
            typer.Option("--ablation", help="Only tasks with auxiliary science to leave out."),
        ],
        False,
    ),
    "restricted": (
        Annotated[
            bool,
            typer.Option(
                "--allow-restricted-licenses", help="Also tasks under a restricted licence."
            ),
        ],
        False,
    ),
    "file": (
        Annotated[
            Path | None, typer.Option("--selection", help="A file of `referee suite select`.")
        ],
        None,
    ),
}


def _criteria(**said: Any) -> Chosen:
    from referee.task.selection import Criteria

    for name in ("domains", "paradigms", "languages"):
        said[name] = tuple(said[name] or ())
    return Criteria(**said)


selects = gathers("chosen", _OPTIONS, _criteria)
"""Gives a command the options that select tasks; what they say arrives as its `chosen`."""
