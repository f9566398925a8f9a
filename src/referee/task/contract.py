"""The contract of an artifact as data: how it is asked, and what form its answers have."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from referee.record.model import Frozen

Named = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
Said = Annotated[str, StringConstraints(min_length=1, max_length=300)]
DType = Literal["float64", "float32", "complex128", "complex64", "int64", "int32", "bool"]
Extent = Annotated[int, Field(ge=0)] | Named
"""Of one axis: a number, or a name that stands for one number in all arrays of a call."""

_ENTRY = r"^(?:[A-Za-z_]\w*/)*[A-Za-z_]\w*\.py:[A-Za-z_]\w*$"
_PATH = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*")


class ArrayForm(Frozen):
    """An array that crosses the wall: its name, type, the extent of each axis (none for a single
    number) and units (`1` for pure numbers). Values are finite unless `finite` is false."""

    name: Named
    dtype: DType
    shape: tuple[Extent, ...] = ()
    units: Said
    finite: bool = True

    @property
    def text(self) -> str:
        """For people: "`h22` (n,) of complex128, in 1"."""
        return f"`{self.name}` {form_text(self.dtype, self.shape)}, in {self.units}"


class FileForm(Frozen):
    """A file that is handed in as data: its path in the workspace, and what array it holds."""

    path: Annotated[str, StringConstraints(max_length=200)]
    format: Literal["npy"] = "npy"
    dtype: DType
    shape: tuple[Extent, ...]
    units: Said
    finite: bool = True
    max_mb: Annotated[int, Field(gt=0, le=256)] = 16

    @model_validator(mode="after")
    def _stays_inside(self) -> FileForm:
        if not _PATH.fullmatch(self.path):
            raise ValueError(f"{self.path!r} is no plain path inside the workspace")
        return self

    @property
    def text(self) -> str:
        """For people."""
        return (
            f"`{self.path}` ({self.format}): {form_text(self.dtype, self.shape)}, in {self.units}"
        )


class ContractTable(Frozen):
    """`[referee.artifact.contract]`: `entry` is the function that is asked, `predict.py:predict`,
    with `inputs` by position and `outputs` as its answer (a tuple where there are several); `files`
    are data that are read; `constraints` say in words what else holds."""

    entry: Annotated[str, StringConstraints(pattern=_ENTRY)] | None = None
    inputs: tuple[ArrayForm, ...] = ()
    outputs: tuple[ArrayForm, ...] = ()
    files: tuple[FileForm, ...] = ()
    constraints: tuple[Said, ...] = ()

    @model_validator(mode="after")
    def _something_is_asked(self) -> ContractTable:
        if (self.entry is None) != (not self.outputs):
            raise ValueError("an entry and its outputs go together")
        if self.entry is None and (self.inputs or not self.files):
            raise ValueError("a contract names an entry with outputs, or files")
        for forms in (self.inputs, self.outputs):
            if len({form.name for form in forms}) != len(forms):
                raise ValueError("a name stands twice in a contract")
        return self

    @property
    def module(self) -> str:
        """The dotted name of the module that holds the entry."""
        path = PurePosixPath((self.entry or "").partition(":")[0])
        return ".".join(path.with_suffix("").parts)

    @property
    def function(self) -> str:
        """The name of the function that is asked."""
        return (self.entry or "").partition(":")[2]

    def text(self) -> str:
        """The contract in words, for who has to keep it."""
        lines = []
        if self.entry is not None:
            names = ", ".join(form.name for form in self.inputs)
            lines += [f"- `{self.function}({names})` in `{self.entry.partition(':')[0]}` is asked."]
            lines += [f"  - input {form.text}" for form in self.inputs]
            lines += [f"  - output {form.text}" for form in self.outputs]
        lines += [f"- file {form.text}" for form in self.files]
        lines += [f"- {said}" for said in self.constraints]
        return "\n".join(lines)


def form_text(dtype: str, shape: tuple[int | str, ...]) -> str:
    """`(n, 4) of float64`, or `one float64`."""
    if not shape:
        return f"one {dtype}"
    inside = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    return f"({inside}) of {dtype}"
