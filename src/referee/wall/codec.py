"""The closed binary codec of the wall, and the frames it travels in.

This one file lies on both sides: in the trusted process, and in the candidate's sandbox, where the
Python may be 3.8 and NumPy old or missing. So it uses the standard library alone and looks NumPy
up when a value needs it.

What may cross, and what it comes back as:

- `None`, `bool`, `int` (up to 64 KiB of digits), `float` (NaN, infinities and -0.0 kept),
  `complex`, `str` (no lone surrogates), `bytes`, `list`, `tuple` as themselves;
- `dict` whose keys are `str`, `bytes`, `int` of 64 bits, `float` but not NaN, `bool`, `None`;
- `datetime`, `date`, `timedelta`; an aware `datetime` comes back with a fixed UTC offset;
- NumPy arrays and scalars of bool, integer, float (16, 32, 64 bits), complex (64, 128 bits),
  `datetime64`, `timedelta64`, fixed `S` and `U` dtypes. The dtype keeps its byte order and unit,
  the array comes back writable and in C order. NumPy text scalars come back as `str` and `bytes`.

A subclass of one of these crosses as the base value that it holds; methods that it overrides are
not asked. Everything else is refused: object, structured, void and long double arrays, masked
arrays (the mask would be lost), pandas objects, sets, functions.

A decoder trusts nothing: each length is checked against the bytes that are left before anything is
allocated. Decoding never runs code of the other side, and the memory that it takes is bounded by
twice the length of the message plus about 200 bytes for each of `Bounds.max_items` values.
"""

# ruff: noqa: SIM105, UP006, UP007, UP035, UP045

from __future__ import annotations

import datetime
import math
import mmap
import re
import struct
import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

FORMAT = b"RW1\0"
FRAME = struct.Struct("<4sQ")
FRAME_MAGIC = b"RWF1"
MAX_INT_BYTES = 64 << 10
MAX_DIMENSIONS = 32
ALIGNMENT = 16
OWN_MAPPING = 1 << 20
"""A message of at least this many bytes gets pages of its own, which nobody has to clear first."""
OWN_CHUNK = 64 << 10
"""Data of at least this many bytes is sent from where it lies, without a copy."""

_U8 = struct.Struct("<B")
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_I64 = struct.Struct("<q")
_F64 = struct.Struct("<d")
_C128 = struct.Struct("<dd")
_DATE = struct.Struct("<HBB")
_DATETIME = struct.Struct("<HBBBBBIBBq")
_TIMEDELTA = struct.Struct("<iii")
_MICROSECOND = datetime.timedelta(microseconds=1)

_PLAIN_DTYPE = re.compile(
    r"(?:\|(?:b1|[iu]1|S[1-9][0-9]{0,8})"
    r"|[<>](?:[iu][248]|f[248]|c8|c16|U[1-9][0-9]{0,8}"
    r"|[mM]8(?:\[(?:[1-9][0-9]{0,8})?(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?))\Z"
)

Chunk = Union[bytes, bytearray, memoryview]
Message = Union[bytearray, mmap.mmap]
"""A received message, in memory that is writable and nobody else's."""


class CodecError(Exception):
    """A value that may not cross the wall, or bytes that are not a value."""


class Bounds(NamedTuple):
    """What one message may hold: `max_bytes` in all, `max_items` values (an array is one), and
    containers nested `max_depth` deep."""

    max_bytes: int = 256 << 20
    max_items: int = 2_000_000
    max_depth: int = 64


DEFAULT_BOUNDS = Bounds()


def encode(value: Any, bounds: Bounds = DEFAULT_BOUNDS) -> bytes:
    """The bytes of `value`.

    Raises:
        CodecError: the value, or something inside it, may not cross, or a bound is passed.
    """
    return b"".join(encode_chunks(value, bounds))


def encode_chunks(value: Any, bounds: Bounds = DEFAULT_BOUNDS) -> List[Chunk]:
    """Like `encode`, as pieces whose concatenation is the message; large arrays are not copied, so
    the value must stay as it is until the pieces are sent."""
    encoder = _Encoder(bounds)
    encoder.put(value, 0)
    return encoder.finish()


def decode(data: Union[Chunk, Message], bounds: Bounds = DEFAULT_BOUNDS) -> Any:
    """The value that `data` holds. Arrays share the memory of a `Message`; other input is copied.

    Raises:
        CodecError: the bytes are not exactly one value within the bounds.
    """
    if len(data) > bounds.max_bytes:
        raise CodecError(f"message of {len(data)} bytes, at most {bounds.max_bytes} may cross")
    own = data if isinstance(data, (bytearray, mmap.mmap)) else bytearray(data)
    return _Decoder(own, bounds).whole()


class _Encoder:
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
            self.tail += b"i" + _I64.pack(number)
            return
        size = number.bit_length() // 8 + 1
        if size > MAX_INT_BYTES:
            raise CodecError(f"int of {size} bytes, at most {MAX_INT_BYTES} may cross")
        self.tail += b"I" + _U32.pack(size) + number.to_bytes(size, "little", signed=True)

    def put_float(self, value: Any, depth: int) -> None:
        self.tail += b"f" + _F64.pack(value)

    def put_complex(self, value: Any, depth: int) -> None:
        real, imag = complex.real.__get__(value), complex.imag.__get__(value)
        self.tail += b"c" + _C128.pack(real, imag)

    def put_str(self, value: Any, depth: int) -> None:
        try:
            data = str.encode(value, "utf-8")
        except UnicodeEncodeError:
            raise CodecError("text with a lone surrogate may not cross") from None
        self.tail += b"s" + _U32.pack(self.length(len(data)))
        self.data(data)

    def put_bytes(self, value: Any, depth: int) -> None:
        data = bytes.__getitem__(value, slice(None))
        self.tail += b"b" + _U32.pack(self.length(len(data)))
        self.data(data)

    def length(self, count: int) -> int:
        self.room(count)
        if count >= 1 << 32:
            raise CodecError(f"{count} bytes or items in one value")
        return count

    def open(self, tag: bytes, count: int, depth: int) -> None:
        if depth >= self.bounds.max_depth:
            raise CodecError(f"containers nested more than {self.bounds.max_depth} deep")
        self.tail += tag + _U32.pack(self.length(count))

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
        self.tail += b"D" + _DATE.pack(value.year, value.month, value.day)

    def put_datetime(self, value: Any, depth: int) -> None:
        offset = value.utcoffset()
        self.tail += b"M" + _DATETIME.pack(
            *(value.year, value.month, value.day, value.hour, value.minute, value.second),
            *(value.microsecond, value.fold, offset is not None),
            0 if offset is None else offset // _MICROSECOND,
        )

    def put_timedelta(self, value: Any, depth: int) -> None:
        self.tail += b"m" + _TIMEDELTA.pack(value.days, value.seconds, value.microseconds)

    def put_array(self, value: Any, depth: int) -> None:
        numpy = sys.modules["numpy"]
        masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
        if masked is not None and issubclass(type(value), masked):
            raise CodecError("masked array: pass data and mask as two plain arrays")
        base = numpy.ndarray.view(value, numpy.ndarray)
        name = _dtype_name(base.dtype)
        if base.ndim > MAX_DIMENSIONS:
            raise CodecError(f"array of {base.ndim} dimensions, at most {MAX_DIMENSIONS} may cross")
        _check_extent(base.shape, base.dtype.itemsize, self.bounds)
        self.room(base.nbytes)
        self.tail += b"a" + _U8.pack(len(name)) + name + _U8.pack(base.ndim)
        self.tail += b"".join(map(_U64.pack, base.shape))
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
        self.tail += b"n" + _U8.pack(len(name)) + name + base.tobytes()


_Writer = Callable[[_Encoder, Any, int], None]

_WRITERS: Dict[type, _Writer] = {
    type(None): _Encoder.put_none,
    bool: _Encoder.put_bool,
    int: _Encoder.put_int,
    float: _Encoder.put_float,
    complex: _Encoder.put_complex,
    str: _Encoder.put_str,
    bytes: _Encoder.put_bytes,
    list: _Encoder.put_list,
    tuple: _Encoder.put_tuple,
    dict: _Encoder.put_dict,
    datetime.datetime: _Encoder.put_datetime,
    datetime.date: _Encoder.put_date,
    datetime.timedelta: _Encoder.put_timedelta,
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
            return _Encoder.put_array
        if issubclass(kind, numpy.generic):
            return _Encoder.put_scalar
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
        number = _F64.unpack(_F64.pack(key))[0]
        if not math.isnan(number):
            return number
        raise CodecError("dict key is NaN")
    raise CodecError(f"dict key is a {kind.__name__}: return a list of pairs")


def _dtype_name(dtype: Any) -> bytes:
    """The wire name of a plain dtype, such as `<f8` or `<M8[25s]`."""
    name = str(dtype.str)
    if dtype.fields is not None or not _PLAIN_DTYPE.match(name):
        if dtype.kind == "O":
            hint = "convert to a plain dtype in the probe"
        elif dtype.kind in "fc":
            hint = "long double differs between machines; convert to float64 or complex128"
        else:
            hint = "only plain dtypes may cross"
        raise CodecError(f"array of dtype {dtype}: {hint}")
    return name.encode("ascii")


def _check_extent(shape: Sequence[int], itemsize: int, bounds: Bounds) -> int:
    """Bytes of an array's data. An empty array with a huge other side is refused as well, because
    the next sum over it would allocate that side."""
    extent = itemsize
    for side in shape:
        extent *= max(side, 1)
        if extent > bounds.max_bytes:
            raise CodecError(f"array larger than the {bounds.max_bytes} bytes that may cross")
    return 0 if 0 in shape else extent


class _Decoder:
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
        return self.unpack(_I64)[0]

    def take_big_int(self, depth: int) -> Any:
        size = self.unpack(_U32)[0]
        if size > MAX_INT_BYTES:
            raise CodecError(f"int of {size} bytes, at most {MAX_INT_BYTES} may cross")
        return int.from_bytes(self.raw(size), "little", signed=True)

    def take_float(self, depth: int) -> Any:
        return self.unpack(_F64)[0]

    def take_complex(self, depth: int) -> Any:
        return complex(*self.unpack(_C128))

    def take_str(self, depth: int) -> Any:
        data = self.raw(self.unpack(_U32)[0])
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise CodecError("text that is not UTF-8") from None

    def take_bytes(self, depth: int) -> Any:
        return self.raw(self.unpack(_U32)[0])

    def open(self, depth: int, least: int) -> int:
        """The item count of a container whose items take at least `least` bytes each."""
        if depth >= self.bounds.max_depth:
            raise CodecError(f"containers nested more than {self.bounds.max_depth} deep")
        count: int = self.unpack(_U32)[0]
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
        return _built(datetime.date, *self.unpack(_DATE))

    def take_datetime(self, depth: int) -> Any:
        *fields, fold, aware, offset = self.unpack(_DATETIME)
        if fold > 1 or aware > 1:
            raise CodecError("datetime flags out of range")
        zone = _built(_fixed_zone, offset) if aware else None
        return _built(datetime.datetime, *fields, zone, fold=fold)

    def take_timedelta(self, depth: int) -> Any:
        return _built(datetime.timedelta, *self.unpack(_TIMEDELTA))

    def dtype(self) -> Any:
        name = self.raw(self.unpack(_U8)[0])
        known = self.dtypes.get(name)
        if known is None:
            text = name.decode("latin-1")
            if not _PLAIN_DTYPE.match(text):
                raise CodecError("array of a dtype that may not cross")
            known = self.dtypes[name] = _built(_numpy().dtype, text)
        return known

    def take_array(self, depth: int) -> Any:
        dtype = self.dtype()
        dimensions = self.unpack(_U8)[0]
        if dimensions > MAX_DIMENSIONS:
            raise CodecError(f"array of {dimensions} dimensions")
        shape = tuple([self.unpack(_U64)[0] for _ in range(dimensions)])
        size = _check_extent(shape, dtype.itemsize, self.bounds)
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


_Reader = Callable[[_Decoder, int], Any]

_READERS: Dict[int, _Reader] = {
    ord("N"): lambda decoder, depth: None,
    ord("T"): lambda decoder, depth: True,
    ord("F"): lambda decoder, depth: False,
    ord("i"): _Decoder.take_int,
    ord("I"): _Decoder.take_big_int,
    ord("f"): _Decoder.take_float,
    ord("c"): _Decoder.take_complex,
    ord("s"): _Decoder.take_str,
    ord("b"): _Decoder.take_bytes,
    ord("l"): _Decoder.take_list,
    ord("t"): _Decoder.take_tuple,
    ord("d"): _Decoder.take_dict,
    ord("D"): _Decoder.take_date,
    ord("M"): _Decoder.take_datetime,
    ord("m"): _Decoder.take_timedelta,
    ord("a"): _Decoder.take_array,
    ord("n"): _Decoder.take_scalar,
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


def send_frame(sock: Any, chunks: Sequence[Chunk], deadline: Optional[float] = None) -> None:
    """Send one frame that holds `chunks` end to end. `deadline` is on the clock of
    `time.monotonic`.

    Raises:
        socket.timeout: the other side did not read in time.
        OSError: the other side is gone.
    """
    views = [memoryview(chunk) for chunk in chunks]
    total = sum(len(view) for view in views)
    views.insert(0, memoryview(FRAME.pack(FRAME_MAGIC, total)))
    first = 0
    while first < len(views):
        _set_timeout(sock, deadline)
        sent = sock.sendmsg(views[first : first + 64])
        while first < len(views) and sent >= len(views[first]):
            sent -= len(views[first])
            first += 1
        if sent:
            views[first] = views[first][sent:]


def receive_frame(sock: Any, max_bytes: int, deadline: Optional[float] = None) -> Message:
    """Receive one frame's content.

    Raises:
        CodecError: what comes is not a frame, or it is longer than `max_bytes`.
        EOFError: the other side closed before the frame was complete.
        socket.timeout: the deadline passed.
    """
    magic, length = FRAME.unpack(_receive_exactly(sock, FRAME.size, deadline))
    if magic != FRAME_MAGIC:
        raise CodecError("not a frame")
    if length > max_bytes:
        raise CodecError(f"frame of {length} bytes, at most {max_bytes} may cross")
    return _receive_exactly(sock, length, deadline)


def _receive_exactly(sock: Any, count: int, deadline: Optional[float]) -> Message:
    buffer = _memory(count)
    got = 0
    with memoryview(buffer) as view:
        while got < count:
            _set_timeout(sock, deadline)
            more = sock.recv_into(view[got:])
            if not more:
                raise EOFError(f"closed after {got} of {count} bytes")
            got += more
    return buffer


def _memory(count: int) -> Message:
    if count < OWN_MAPPING:
        return bytearray(count)
    pages = mmap.mmap(-1, count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            pages.madvise(mmap.MADV_HUGEPAGE)
        except OSError:
            pass
    return pages


def _set_timeout(sock: Any, deadline: Optional[float]) -> None:
    """Each read and write gets the time that is left; a timeout of zero would mean "never wait"."""
    sock.settimeout(None if deadline is None else max(deadline - time.monotonic(), 1e-4))
