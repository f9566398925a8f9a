"""From hostile bytes to values: every length is checked before anything is allocated."""

# ruff: noqa: UP006, UP035

from __future__ import annotations

import datetime
import struct
from typing import Any, Callable, Dict, Tuple

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
    PLAIN_DTYPE,
    TIMEDELTA,
    U8,
    U32,
    U64,
    Bounds,
    CodecError,
    Message,
    check_extent,
)


class Decoder:
    """Reads one message; `take` gives one value."""

    def __init__(self, buffer: Message, bounds: Bounds) -> None:
        self.buffer = buffer
        self.view = memoryview(buffer)
        self.bounds = bounds
        self.at = 0
        self.items = 0
        self.dtypes: Dict[bytes, Any] = {}

    def whole(self) -> Any:
        if self.raw(len(FORMAT)) != FORMAT:
            raise CodecError("not a message of this codec")
        value = self.take(0)
        if self.at != len(self.view):
            raise CodecError(f"{len(self.view) - self.at} bytes after the value")
        return value

    def claim(self, count: int) -> int:
        """Move past `count` bytes and say where they start."""
        start = self.at
        if count > len(self.view) - start:
            raise CodecError(f"{count} bytes announced, {len(self.view) - start} left")
        self.at = start + count
        return start

    def raw(self, count: int) -> bytes:
        start = self.claim(count)
        return bytes(self.view[start : start + count])

    def unpack(self, form: struct.Struct) -> Tuple[Any, ...]:
        return form.unpack_from(self.view, self.claim(form.size))

    def take(self, depth: int) -> Any:
        self.items += 1
        if self.items > self.bounds.max_items:
            raise CodecError(f"more than {self.bounds.max_items} values in one message")
        tag = self.view[self.claim(1)]
        read = _READERS.get(tag)
        if read is None:
            raise CodecError(f"unknown tag {tag}")
        return read(self, depth)

    def take_int(self, depth: int) -> Any:
        return self.unpack(I64)[0]

    def take_big_int(self, depth: int) -> Any:
        size = self.unpack(U32)[0]
        if size > MAX_INT_BYTES:
            raise CodecError(f"int of {size} bytes, at most {MAX_INT_BYTES} may cross")
        return int.from_bytes(self.raw(size), "little", signed=True)

    def take_float(self, depth: int) -> Any:
        return self.unpack(F64)[0]

    def take_complex(self, depth: int) -> Any:
        return complex(*self.unpack(C128))

    def take_str(self, depth: int) -> Any:
        data = self.raw(self.unpack(U32)[0])
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise CodecError("text that is not UTF-8") from None

    def take_bytes(self, depth: int) -> Any:
        return self.raw(self.unpack(U32)[0])

    def open(self, depth: int, least: int) -> int:
        """The item count of a container whose items take at least `least` bytes each."""
        if depth >= self.bounds.max_depth:
            raise CodecError(f"containers nested more than {self.bounds.max_depth} deep")
        count: int = self.unpack(U32)[0]
        if count * least > len(self.view) - self.at:
            raise CodecError(f"{count} items announced, {len(self.view) - self.at} bytes left")
        return count

    def take_list(self, depth: int) -> Any:
        return [self.take(depth + 1) for _ in range(self.open(depth, 1))]

    def take_tuple(self, depth: int) -> Any:
        return tuple([self.take(depth + 1) for _ in range(self.open(depth, 1))])

    def take_dict(self, depth: int) -> Any:
        result: Dict[Any, Any] = {}
        for _ in range(self.open(depth, 2)):
            if self.at < len(self.view) and self.view[self.at] not in _KEY_TAGS:
                raise CodecError("dict key of a type that may not be one")
            key = self.take(depth + 1)
            if key != key:
                raise CodecError("dict key is NaN")
            if key in result:
                raise CodecError("dict key twice")
            result[key] = self.take(depth + 1)
        return result

    def take_date(self, depth: int) -> Any:
        return _built(datetime.date, *self.unpack(DATE))

    def take_datetime(self, depth: int) -> Any:
        *fields, fold, aware, offset = self.unpack(DATETIME)
        if fold > 1 or aware > 1:
            raise CodecError("datetime flags out of range")
        zone = _built(_fixed_zone, offset) if aware else None
        return _built(datetime.datetime, *fields, zone, fold=fold)

    def take_timedelta(self, depth: int) -> Any:
        return _built(datetime.timedelta, *self.unpack(TIMEDELTA))

    def dtype(self) -> Any:
        name = self.raw(self.unpack(U8)[0])
        known = self.dtypes.get(name)
        if known is None:
            text = name.decode("latin-1")
            if not PLAIN_DTYPE.match(text):
                raise CodecError("array of a dtype that may not cross")
            known = self.dtypes[name] = _built(_numpy().dtype, text)
        return known

    def take_array(self, depth: int) -> Any:
        dtype = self.dtype()
        dimensions = self.unpack(U8)[0]
        if dimensions > MAX_DIMENSIONS:
            raise CodecError(f"array of {dimensions} dimensions")
        shape = tuple([self.unpack(U64)[0] for _ in range(dimensions)])
        size = check_extent(shape, dtype.itemsize, self.bounds)
        if any(self.raw(-self.at % ALIGNMENT)):
            raise CodecError("padding that is not zero")
        start = self.claim(size)
        numpy = _numpy()
        if not size:
            return _built(numpy.empty, shape, dtype)
        array = _built(numpy.ndarray, shape, dtype, self.buffer, start)
        _check_content(numpy, array)
        return array

    def take_scalar(self, depth: int) -> Any:
        dtype = self.dtype()
        if dtype.kind in "SU":
            raise CodecError("text as a NumPy scalar")
        numpy = _numpy()
        array = numpy.frombuffer(self.raw(dtype.itemsize), dtype=dtype)
        _check_content(numpy, array)
        return array[0]


_Reader = Callable[[Decoder, int], Any]

_READERS: Dict[int, _Reader] = {
    ord("N"): lambda decoder, depth: None,
    ord("T"): lambda decoder, depth: True,
    ord("F"): lambda decoder, depth: False,
    ord("i"): Decoder.take_int,
    ord("I"): Decoder.take_big_int,
    ord("f"): Decoder.take_float,
    ord("c"): Decoder.take_complex,
    ord("s"): Decoder.take_str,
    ord("b"): Decoder.take_bytes,
    ord("l"): Decoder.take_list,
    ord("t"): Decoder.take_tuple,
    ord("d"): Decoder.take_dict,
    ord("D"): Decoder.take_date,
    ord("M"): Decoder.take_datetime,
    ord("m"): Decoder.take_timedelta,
    ord("a"): Decoder.take_array,
    ord("n"): Decoder.take_scalar,
}
_KEY_TAGS = frozenset(b"NTFifsb")


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise CodecError("an array came, but NumPy is missing on this side") from None
    return numpy


def _built(make: Any, *args: Any, **kwargs: Any) -> Any:
    """What `make` builds from decoded fields; fields that it refuses are a bad message."""
    try:
        return make(*args, **kwargs)
    except (TypeError, ValueError, OverflowError) as error:
        raise CodecError(f"fields out of range: {error}") from None


def _fixed_zone(microseconds: int) -> datetime.timezone:
    return datetime.timezone(datetime.timedelta(microseconds=microseconds))


def _check_content(numpy: Any, array: Any) -> None:
    """Refuse bit patterns that NumPy takes on trust: a bool that is neither 0 nor 1 compares in
    ways that differ between operations, and a code point out of range breaks on first use."""
    if array.dtype.kind == "b":
        if array.reshape(-1).view(numpy.uint8).max() > 1:
            raise CodecError("bool that is neither 0 nor 1")
    elif array.dtype.kind == "U":
        points = array.reshape(-1).view(numpy.dtype(array.dtype.str[0] + "u4"))
        if points.max() > 0x10FFFF or ((points >= 0xD800) & (points < 0xE000)).any():
            raise CodecError("text array with a code point that is no character")
