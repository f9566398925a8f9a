"""A strict reader of NPY files: arrays of plain numbers, bounded, nothing that could run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

_MAGIC = b"\x93NUMPY"
_KINDS = "biufc"
_LONGEST_HEADER = 4096


def read_npy(data: bytes) -> np.ndarray[Any, Any]:
    """The array in the bytes of an NPY file of version 1 or 2, in native byte order and C order.

    Only booleans, integers, floats and complex numbers are read; the bytes must be exactly as many
    as the header says, so that nothing hides behind them.

    Raises:
        ValueError: anything else; the message says what.
    """
    import numpy as np

    shape, dtype, fortran, start = _header(data)
    count = 1
    for extent in shape:
        count *= extent
    if start + count * dtype.itemsize != len(data):
        raise ValueError(f"{len(data) - start} bytes of values, {count * dtype.itemsize} declared")
    flat = np.frombuffer(data, dtype=dtype, count=count, offset=start)
    array = flat.reshape(shape, order="F" if fortran else "C")
    return np.ascontiguousarray(array.astype(dtype.newbyteorder("="), copy=True)).reshape(shape)


def _header(data: bytes) -> tuple[tuple[int, ...], np.dtype[Any], bool, int]:
    import numpy as np

    if data[:6] != _MAGIC or len(data) < 12 or data[6] not in (1, 2):
        raise ValueError("not an NPY file of version 1 or 2")
    width = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8 : 8 + width], "little")
    start = 8 + width + length
    if length > _LONGEST_HEADER or start > len(data):
        raise ValueError("the header is too long")
    try:
        said = ast.literal_eval(data[8 + width : start].decode("ascii"))
        shape, fortran = said["shape"], said["fortran_order"]
        text = said["descr"]
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError("the header is no NPY header") from error
    if not isinstance(text, str) or len(text) > 8 or not isinstance(fortran, bool):
        raise ValueError("the header declares no plain numbers")
    try:
        dtype = np.dtype(text)
    except TypeError as error:
        raise ValueError(f"the type {text!r} is unknown") from error
    if dtype.kind not in _KINDS or dtype.hasobject:
        raise ValueError(f"arrays of {text!r} are not read")
    if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError("the header declares no shape")
    return shape, dtype, fortran, start
