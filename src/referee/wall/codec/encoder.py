"""From values to bytes, by exact base types; methods of subclasses are not asked."""

# ruff: noqa: UP006, UP035

from __future__ import annotations

import datetime
import math
import sys
from typing import Any, Callable, Dict, List

from .form import (
    ALIGNMENT,
    C128,
    DATE,
    DATETIME,
    F64,
    FORMAT,
    I64,
    MAX_DIMENSIONS,
    MAX_INT_BYTES,
    MICROSECOND,
    OWN_CHUNK,
    PLAIN_DTYPE,
    TIMEDELTA,
    U8,
    U32,
    U64,
    Bounds,
    Chunk,
    CodecError,
    check_extent,
)


class Encoder:
    """Builds one message; `put` appends one value."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.chunks: List[Chunk] = []
        self.tail = bytearray(FORMAT)
        self.flushed = 0
        self.items = 0

    def finish(self) -> List[Chunk]:
        self.room(0)
        if self.tail:
            self.chunks.append(self.tail)
        return self.chunks

    def room(self, count: int) -> None:
        """Check that `count` more bytes still fit."""
        if self.flushed + len(self.tail) + count > self.bounds.max_bytes:
            raise CodecError(
                f"value takes more than the {self.bounds.max_bytes} bytes that may cross"
            )

    def data(self, data: Chunk) -> None:
        self.room(len(data))
        if len(data) < OWN_CHUNK:
            self.tail += data
            return
        self.chunks += [self.tail, data]
        self.flushed += len(self.tail) + len(data)
        self.tail = bytearray()

    def put(self, value: Any, depth: int) -> None:
        self.items += 1
        if self.items > self.bounds.max_items:
            raise CodecError(f"more than {self.bounds.max_items} values: pass them as an array")
        kind = type(value)
        write = _WRITERS.get(kind)
        if write is None:
            write = _writer_for(kind)
        write(self, value, depth)

    def put_none(self, value: Any, depth: int) -> None:
        self.tail += b"N"

    def put_bool(self, value: Any, depth: int) -> None:
        self.tail += b"T" if value else b"F"

    def put_int(self, value: Any, depth: int) -> None:
        number = int.__int__(value)
        if -(1 << 63) <= number < 1 << 63:
            self.tail += b"i" + I64.pack(number)
            return
        size = number.bit_length() // 8 + 1
        if size > MAX_INT_BYTES:
            raise CodecError(f"int of {size} bytes, at most {MAX_INT_BYTES} may cross")
        self.tail += b"I" + U32.pack(size) + number.to_bytes(size, "little", signed=True)

    def put_float(self, value: Any, depth: int) -> None:
        self.tail += b"f" + F64.pack(value)

    def put_complex(self, value: Any, depth: int) -> None:
        real, imag = complex.real.__get__(value), complex.imag.__get__(value)
        self.tail += b"c" + C128.pack(real, imag)

    def put_str(self, value: Any, depth: int) -> None:
        try:
            data = str.encode(value, "utf-8")
        except UnicodeEncodeError:
            raise CodecError("text with a lone surrogate may not cross") from None
        self.tail += b"s" + U32.pack(self.length(len(data)))
        self.data(data)

    def put_bytes(self, value: Any, depth: int) -> None:
        data = bytes.__getitem__(value, slice(None))
        self.tail += b"b" + U32.pack(self.length(len(data)))
        self.data(data)

    def length(self, count: int) -> int:
        self.room(count)
        if count >= 1 << 32:
            raise CodecError(f"{count} bytes or items in one value")
        return count

    def open(self, tag: bytes, count: int, depth: int) -> None:
        if depth >= self.bounds.max_depth:
            raise CodecError(f"containers nested more than {self.bounds.max_depth} deep")
        self.tail += tag + U32.pack(self.length(count))

    def put_list(self, value: Any, depth: int) -> None:
        self.open(b"l", list.__len__(value), depth)
        for item in list.__iter__(value):
            self.put(item, depth + 1)

    def put_tuple(self, value: Any, depth: int) -> None:
        self.open(b"t", tuple.__len__(value), depth)
        for item in tuple.__iter__(value):
            self.put(item, depth + 1)

    def put_dict(self, value: Any, depth: int) -> None:
        self.open(b"d", dict.__len__(value), depth)
        for key, item in dict.items(value):
            self.put(_plain_key(key), depth + 1)
            self.put(item, depth + 1)

    def put_date(self, value: Any, depth: int) -> None:
        self.tail += b"D" + DATE.pack(value.year, value.month, value.day)

    def put_datetime(self, value: Any, depth: int) -> None:
        offset = value.utcoffset()
        self.tail += b"M" + DATETIME.pack(
            *(value.year, value.month, value.day, value.hour, value.minute, value.second),
            *(value.microsecond, value.fold, offset is not None),
            0 if offset is None else offset // MICROSECOND,
        )

    def put_timedelta(self, value: Any, depth: int) -> None:
        self.tail += b"m" + TIMEDELTA.pack(value.days, value.seconds, value.microseconds)

    def put_array(self, value: Any, depth: int) -> None:
        numpy = sys.modules["numpy"]
        masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
        if masked is not None and issubclass(type(value), masked):
            raise CodecError("masked array: pass data and mask as two plain arrays")
        base = numpy.ndarray.view(value, numpy.ndarray)
        name = _dtype_name(base.dtype)
        if base.ndim > MAX_DIMENSIONS:
            raise CodecError(f"array of {base.ndim} dimensions, at most {MAX_DIMENSIONS} may cross")
        check_extent(base.shape, base.dtype.itemsize, self.bounds)
        self.room(base.nbytes)
        self.tail += b"a" + U8.pack(len(name)) + name + U8.pack(base.ndim)
        self.tail += b"".join(map(U64.pack, base.shape))
        self.tail += bytes(-(self.flushed + len(self.tail)) % ALIGNMENT)
        if not base.flags.c_contiguous:
            base = numpy.array(base, order="C")
        if base.size:
            self.data(memoryview(base.reshape(-1).view(numpy.uint8)))

    def put_scalar(self, value: Any, depth: int) -> None:
        numpy = sys.modules["numpy"]
        if issubclass(type(value), numpy.str_):
            return self.put_str(value, depth)
        if issubclass(type(value), numpy.bytes_):
            return self.put_bytes(value, depth)
        base = numpy.asarray(value)
        name = _dtype_name(base.dtype)
        self.tail += b"n" + U8.pack(len(name)) + name + base.tobytes()


_Writer = Callable[[Encoder, Any, int], None]

_WRITERS: Dict[type, _Writer] = {
    type(None): Encoder.put_none,
    bool: Encoder.put_bool,
    int: Encoder.put_int,
    float: Encoder.put_float,
    complex: Encoder.put_complex,
    str: Encoder.put_str,
    bytes: Encoder.put_bytes,
    list: Encoder.put_list,
    tuple: Encoder.put_tuple,
    dict: Encoder.put_dict,
    datetime.datetime: Encoder.put_datetime,
    datetime.date: Encoder.put_date,
    datetime.timedelta: Encoder.put_timedelta,
}
"""By exact type. Order matters for subclasses: a `datetime` is also a `date`."""


def _writer_for(kind: type) -> _Writer:
    """The writer for a type that is not itself in the closed list.

    `issubclass` with a built-in or NumPy type on the right does not ask the left for anything.
    """
    for base in type.mro(kind):
        module = type.__dict__["__module__"].__get__(base) if base is not object else ""
        if type(module) is str and module.split(".")[0] == "pandas":
            raise CodecError(f"pandas {base.__name__}: convert to numpy in the probe")
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "ndarray"):
        if issubclass(kind, numpy.ndarray):
            return Encoder.put_array
        if issubclass(kind, numpy.generic):
            return Encoder.put_scalar
    for base, write in _WRITERS.items():
        if issubclass(kind, base):
            return write
    raise CodecError(f"{kind.__module__}.{kind.__qualname__} may not cross: return plain data")


def _plain_key(key: Any) -> Any:
    """A dict key as a base value; closed so that a hostile message cannot make hashing slow.

    Keys of text and bytes are hashed with a secret; integers of 64 bits hardly collide; tuples
    collide at will, and are refused.
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(type(key), getattr(numpy, "generic", ())):
        key = key.item()
    kind = type(key)
    for base in (str, bytes):
        if issubclass(kind, base):
            return key
    if key is None or kind is bool:
        return key
    if issubclass(kind, int):
        number = int.__int__(key)
        if -(1 << 63) <= number < 1 << 63:
            return number
        raise CodecError("dict key is an int of more than 64 bits")
    if issubclass(kind, float):
        number = F64.unpack(F64.pack(key))[0]
        if not math.isnan(number):
            return number
        raise CodecError("dict key is NaN")
    raise CodecError(f"dict key is a {kind.__name__}: return a list of pairs")


def _dtype_name(dtype: Any) -> bytes:
    """The wire name of a plain dtype, such as `<f8` or `<M8[25s]`."""
    name = str(dtype.str)
    if dtype.fields is not None or not PLAIN_DTYPE.match(name):
        if dtype.kind == "O":
            hint = "convert to a plain dtype in the probe"
        elif dtype.kind in "fc":
            hint = "long double differs between machines; convert to float64 or complex128"
        else:
            hint = "only plain dtypes may cross"
        raise CodecError(f"array of dtype {dtype}: {hint}")
    return name.encode("ascii")
