"""The options that select tasks of a suite, the same for every command that has them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

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


def selects(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that select tasks; what they say arrives as its `chosen`."""
    hints = get_type_hints(command, include_extras=True)
    own = [p for name, p in inspect.signature(command).parameters.items() if name != "chosen"]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _OPTIONS.items()
    ]

    @functools.wraps(command)
    def selecting(**given: Any) -> None:
        from referee.task.selection import Criteria

        said = {name: given.pop(name) for name in _OPTIONS}
        for name in ("domains", "paradigms", "languages"):
            said[name] = tuple(said[name] or ())
        command(**given, chosen=Criteria(**said))

    parameters = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own
    ]
    vars(selecting)["__signature__"] = inspect.Signature([*parameters, *options])
    selecting.__annotations__ = {
        **{p.name: hints[p.name] for p in own},
        **{name: kind for name, (kind, _default) in _OPTIONS.items()},
    }
    return selecting
