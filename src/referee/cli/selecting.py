"""The options that select tasks of a suite, the same for every command that has them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from referee.task.selection import Criteria

Tasks = Annotated[str | None, typer.Option("--tasks", help="Ids and ranges: 079,108-113.")]
Domains = Annotated[
    list[str] | None, typer.Option("--domain", help="A domain, or how it begins; repeatable.")
]
Paradigms = Annotated[
    list[str] | None, typer.Option("--paradigm", help="issue, expert or engineering; repeatable.")
]
Languages = Annotated[
    list[str] | None, typer.Option("--language", help="A language to repair in; repeatable.")
]
Ablation = Annotated[
    bool, typer.Option("--ablation", help="Only tasks with auxiliary science to leave out.")
]
Restricted = Annotated[
    bool,
    typer.Option("--allow-restricted-licenses", help="Also tasks under a restricted licence."),
]
SelectionOption = Annotated[
    Path | None, typer.Option("--selection", help="A file of `referee suite select`.")
]


def criteria(
    tasks: str | None,
    domains: list[str] | None,
    paradigms: list[str] | None,
    languages: list[str] | None,
    ablation: bool,
    restricted: bool,
    file: Path | None = None,
) -> Criteria:
    """The criteria that these options say."""
    from referee.task.selection import Criteria

    return Criteria(
        tasks=tasks,
        domains=tuple(domains or ()),
        paradigms=tuple(paradigms or ()),
        languages=tuple(languages or ()),
        ablation=ablation,
        restricted=restricted,
        file=file,
    )
