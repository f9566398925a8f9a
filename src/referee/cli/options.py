"""Groups of options that several parameters of one thing make up, shared by commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

Options = Mapping[str, tuple[Any, Any]]
"""Name of an option to its annotation for typer and its default."""
Command = Callable[..., None]


def gathers(
    parameter: str, options: Options, make: Callable[..., Any]
) -> Callable[[Command], Command]:
    """A decorator that gives a command these options; what `make` makes of them by keyword arrives
    as its one `parameter`."""

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        signature = inspect.signature(command)
        own = [p for name, p in signature.parameters.items() if name != parameter]
        added = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
            )
            for name, (kind, default) in options.items()
        ]

        @functools.wraps(command)
        def gathering(**given: Any) -> None:
            made = make(**{name: given.pop(name) for name in options})
            command(**given, **{parameter: made})

        parameters = [
            p.replace(
                kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints.get(p.name, p.annotation)
            )
            for p in own
        ]
        vars(gathering)["__signature__"] = inspect.Signature([*parameters, *added])
        gathering.__annotations__ = {
            **{p.name: hints[p.name] for p in own if p.name in hints},
            **{name: kind for name, (kind, _default) in options.items()},
        }
        return gathering

    return decorate
