"""The option that says how much data a task gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

if TYPE_CHECKING:
    from referee.task.model import DataSize

Data = Annotated[
    str, typer.Option("--data", help="Data of tasks that have some: small, full or published.")
]


def read_size(text: str) -> DataSize:
    """A size by its name.

    Raises:
        BadInput: there is no such size.
    """
    from referee.record.fault import BadInput
    from referee.task.model import DataSize

    sizes = get_args(DataSize)
    if text not in sizes:
        raise BadInput(f"there is no size {text!r} of data", hint=f"choose of {', '.join(sizes)}")
    return cast("DataSize", text)
