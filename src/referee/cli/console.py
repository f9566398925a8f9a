"""How commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 100


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, sort_keys=False, allow_nan=False, default=str))


def console() -> Console:
    """A console that is as wide as the terminal, and at most `WIDTH` columns."""
    from rich.console import Console

    made = Console(highlight=False)
    if made.is_terminal and made.width <= WIDTH:
        return made
    return Console(width=WIDTH, highlight=False)


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table with one head per column; columns whose head ends in `>` are numbers: set to
    the right and never broken; nor are those whose head ends in `!`."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    made: Table = Table(title=escape(title), title_justify="left", box=box.SIMPLE_HEAD)
    for head in heads:
        if head.endswith(">"):
            made.add_column(escape(head[:-1]), justify="right", no_wrap=True)
        elif head.endswith("!"):
            made.add_column(escape(head[:-1]), no_wrap=True)
        else:
            made.add_column(escape(head), overflow="fold")
    for row in rows:
        made.add_row(*(escape(cell) for cell in row))
    console().print(made)


def size_text(count: int) -> str:
    """Bytes for people, in powers of 1000."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def status(text: str) -> None:
    """A line of progress on standard error."""
    typer.echo(text, err=True)
