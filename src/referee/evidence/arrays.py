"""What every reader gives: named arrays of finite numbers, and text beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from referee.evidence.fault import EvidenceError, EvidenceLimit
from referee.evidence.limits import Limits

Numbers = NDArray[np.float64] | NDArray[np.complex128]
PLAIN = "fiuc"
"""Kinds of NumPy types that are numbers: floats, integers, complex."""


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """A named array before it is read. `shape` is () for a single number."""

    name: str
    kind: Literal["real", "complex", "text", "unusable"]
    shape: tuple[int, ...]


class ArrayFile(Protocol):
    """A file with named arrays. What is wrong with one array is said when that one is read, so
    that it spoils nothing else."""

    def infos(self) -> tuple[ArrayInfo, ...]: ...

    def numbers(self, name: str) -> Numbers: ...

    def texts(self, name: str) -> tuple[str, ...]: ...

    def attribute(self, name: str, key: str) -> str: ...


def finite(
    where: str, values: NDArray[Any], limits: Limits, *, stored: int | None = None
) -> Numbers:
    """An array as read-only float64 or complex128, whatever plain number type it came as. `stored`
    is how many bytes the file has of it.

    Raises:
        EvidenceError: no number, an empty array, or a value that is not finite (also after
            conversion), or a bomb.
        EvidenceLimit: more bytes than an array may have.
    """
    if values.dtype.kind not in PLAIN:
        raise EvidenceError(where, f"values of the type {values.dtype} are not numbers")
    values = np.asarray(values)
    is_complex = values.dtype.kind == "c"
    require_size(where, values.size, 16 if is_complex else 8, limits, stored=stored)
    if values.size == 0:
        raise EvidenceError(where, "the array is empty")
    with np.errstate(over="ignore"):
        numbers: Numbers = (
            values.astype(np.complex128, order="C")
            if is_complex
            else values.astype(np.float64, order="C")
        )
    if not bool(np.all(np.isfinite(numbers))):
        first = int(np.flatnonzero(~np.isfinite(numbers.ravel()))[0])
        raise EvidenceError(where, f"value {first} is not finite")
    numbers.flags.writeable = False
    return numbers


def require_size(
    where: str, count: int, itemsize: int, limits: Limits, *, stored: int | None = None
) -> None:
    """Refuse an array before it is read. `stored` is how many bytes the file has of it.

    Raises:
        EvidenceLimit: `count` values of `itemsize` bytes are more than an array may have.
        EvidenceError: so it is, and next to nothing of it is stored.
    """
    size = count * itemsize
    if size <= limits.array:
        return
    if stored is not None and size > limits.inflation * stored:
        raise EvidenceError(where, f"{stored} stored bytes unpack to {size}")
    raise EvidenceLimit(where, f"the array has {size} bytes, and {limits.array} are read at most")


def require_count(where: str, count: int, limits: Limits) -> None:
    """Refuse a file with too many arrays or columns.

    Raises:
        EvidenceLimit: more than are read.
    """
    if count > limits.arrays:
        raise EvidenceLimit(where, f"has {count} arrays, and {limits.arrays} are read at most")


def kind_of(dtype: np.dtype[Any]) -> Literal["real", "complex", "unusable"]:
    """What an array of a type is for a reader."""
    if dtype.kind not in PLAIN:
        return "unusable"
    return "complex" if dtype.kind == "c" else "real"
