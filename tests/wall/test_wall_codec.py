"""The codec: what crosses comes back equal, and no bytes can do harm."""

from __future__ import annotations

import ast
import datetime as dt
import math
import socket
import struct
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from referee.wall import codec
from referee.wall.codec import (
    Bounds,
    CodecError,
    decode,
    encode,
    encode_chunks,
    receive_frame,
    send_frame,
)
from referee.wall.runtime import worker_runtime

SMALL = Bounds(max_bytes=1 << 20, max_items=10_000)


def same(left: Any, right: Any) -> bool:
    """Equal in type and value, where NaN equals NaN and -0.0 does not equal 0.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray | np.generic):
        return (
            left.dtype == right.dtype
            and left.shape == right.shape
            and left.tobytes() == right.tobytes()
        )
    if isinstance(left, float):
        return struct.pack("<d", left) == struct.pack("<d", right)
    if isinstance(left, complex):
        return same(left.real, right.real) and same(left.imag, right.imag)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()))
    if isinstance(left, dt.datetime):
        return (left, left.utcoffset(), left.fold) == (right, right.utcoffset(), right.fold)
    return bool(left == right)


zones = st.none() | st.builds(
    dt.timezone, st.timedeltas(dt.timedelta(hours=-23), dt.timedelta(hours=23))
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
keys = (
    texts
    | st.binary()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.booleans()
    | st.none()
)
plain_dtypes = (
    hnp.boolean_dtypes()
    | hnp.integer_dtypes(endianness="?")
    | hnp.unsigned_integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64))
    | hnp.complex_number_dtypes(endianness="?", sizes=(64, 128))
    | hnp.datetime64_dtypes(endianness="?")
    | hnp.timedelta64_dtypes(endianness="?")
    | hnp.byte_string_dtypes(min_len=1, max_len=5)
    | hnp.unicode_string_dtypes(endianness="?", min_len=1, max_len=5)
)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    """Arrays of any plain dtype, of any bytes that are valid for it, often not contiguous."""
    dtype = draw(plain_dtypes)
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    if dtype.kind == "U":
        made = draw(
            hnp.arrays(dtype, shape, elements=st.text("aé€🙂", max_size=dtype.itemsize // 4))
        )
    elif dtype.kind == "b":
        made = draw(hnp.arrays(dtype, shape))
    else:
        size = math.prod(shape) * dtype.itemsize
        made = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8)
        made = (made.view(dtype) if size else np.empty(0, dtype)).reshape(shape)
    if draw(st.booleans()):
        made = made.T
    if made.ndim and draw(st.booleans()):
        made = made[::-2]
    return made


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**900), 2**900)
    | st.floats()
    | st.complex_numbers()
    | texts
    | st.binary()
    | st.dates()
    | st.datetimes(timezones=zones)
    | st.timedeltas()
)
values = st.recursive(
    scalars | arrays(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(values)
def test_round_trip(value: Any) -> None:
    assert same(decode(encode(value)), value)


@settings(max_examples=150, deadline=None)
@given(arrays())
def test_array_round_trip(array: np.ndarray) -> None:
    back = decode(encode(array))
    assert same(back, np.asarray(array))
    assert back.flags.writeable
    assert back.flags.c_contiguous
    assert back.flags.aligned
    assert type(back) is np.ndarray


@settings(max_examples=80, deadline=None)
@given(arrays().filter(lambda a: a.size and a.dtype.kind not in "SU"))
def test_numpy_scalars_keep_their_dtype(array: np.ndarray) -> None:
    scalar = array.reshape(-1)[0]
    back = decode(encode(scalar))
    assert type(back) is type(scalar)
    assert back.tobytes() == scalar.tobytes()


@pytest.mark.parametrize("value", [math.nan, -math.nan, -0.0, 0.0, math.inf, -math.inf, 5e-324])
def test_special_floats(value: float) -> None:
    assert same(decode(encode(value)), value)
    array = np.array([value, np.float64(value)])
    assert same(decode(encode(array)), array)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        frozenset(),
        range(3),
        lambda: 0,
        (x for x in ()),
        type,
        bytearray(b"x"),
        memoryview(b"x"),
        NotImplemented,
        {(1, 2): 3},
        {math.nan: 1},
        {2**64: 1},
        "\ud800",
        ["ok", "\udfff"],
        pytest.param(1 << (8 * codec.MAX_INT_BYTES), id="long int"),
        np.array([object()]),
        np.zeros(2, "i4,f8"),
        np.zeros(2, "V4"),
        np.longdouble(1),
        np.zeros(2, np.clongdouble),
        np.ma.array([1.0], mask=[True]),
        np.dtype("f8"),
        dt.time(1),
    ],
)
def test_everything_else_is_refused(value: Any) -> None:
    with pytest.raises(CodecError):
        encode(value)
    with pytest.raises(CodecError):
        encode([{"deep": value}])


def test_numpy_text_scalars_come_back_as_text() -> None:
    assert same(decode(encode([np.str_("é"), np.bytes_(b"x"), np.str_("")])), ["é", b"x", ""])


def test_numpy_scalars_as_keys_come_back_as_plain_keys() -> None:
    assert same(decode(encode({np.int64(3): 1, np.str_("a"): 2})), {3: 1, "a": 2})


class Liar:
    """What a cheating value would override."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]

    def _never(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("a value's own method was called")

    __reduce__ = __reduce_ex__ = __iter__ = __len__ = __float__ = __int__ = __index__ = _never
    __complex__ = __getitem__ = __array__ = __bytes__ = encode = items = view = _never


class LyingFloat(Liar, float): ...


class LyingInt(Liar, int): ...


class LyingComplex(Liar, complex): ...


class LyingStr(Liar, str): ...


class LyingBytes(Liar, bytes): ...


class LyingList(Liar, list): ...


class LyingTuple(Liar, tuple): ...


class LyingDict(Liar, dict): ...


class LyingArray(Liar, np.ndarray): ...


@pytest.mark.parametrize(
    ("lie", "truth"),
    [
        (lambda: LyingFloat(2.5), 2.5),
        (lambda: LyingInt(7), 7),
        (lambda: LyingInt(2**80), 2**80),
        (lambda: LyingComplex(1, 2), 1 + 2j),
        (lambda: LyingStr("x"), "x"),
        (lambda: LyingBytes(b"x"), b"x"),
        (lambda: LyingList([1]), [1]),
        (lambda: LyingTuple([1]), (1,)),
        (lambda: LyingDict({"a": 1}), {"a": 1}),
        (lambda: np.arange(3.0).view(LyingArray), np.arange(3.0)),
        (lambda: np.arange(6.0).reshape(2, 3).T.view(LyingArray), np.arange(6.0).reshape(2, 3).T),
    ],
)
def test_a_lying_subclass_crosses_as_the_value_it_holds(lie: Any, truth: Any) -> None:
    back = decode(encode(lie()))
    assert same(back, truth)
    assert type(back) is type(truth)


def test_pandas_objects_are_refused_with_a_hint() -> None:
    frame = type("DataFrame", (), {"__module__": "pandas.core.frame"})()
    stamp = type("Timestamp", (dt.datetime,), {"__module__": "pandas._libs"})(2020, 1, 1)
    for value in (frame, stamp):
        with pytest.raises(CodecError, match="convert to numpy in the probe"):
            encode(value)


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(CodecError, match="nested"):
        encode(loop)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_bounds_hold_on_both_sides() -> None:
    deep, many, large = nested(9), [None] * 101, b"x" * 2000
    assert same(decode(encode(deep)), deep)
    for value, bounds in [
        (deep, Bounds(max_depth=8)),
        (many, Bounds(max_items=100)),
        (large, Bounds(max_bytes=1000)),
        (np.zeros(1000), Bounds(max_bytes=1000)),
        (np.zeros((0, 1 << 30)), SMALL),
    ]:
        with pytest.raises(CodecError):
            encode(value, bounds)
        with pytest.raises(CodecError):
            decode(encode(value, Bounds(max_bytes=1 << 40)), bounds)


def message(body: bytes) -> bytes:
    return codec.FORMAT + body


def array_message(dtype: bytes, shape: tuple[int, ...], data: bytes) -> bytes:
    head = message(b"a" + bytes([len(dtype)]) + dtype + bytes([len(shape)]))
    head += b"".join(struct.pack("<Q", side) for side in shape)
    return head + bytes(-len(head) % codec.ALIGNMENT) + data


def test_the_array_builder_of_these_tests_is_right() -> None:
    assert same(decode(array_message(b"|u1", (2,), b"\1\2")), np.array([1, 2], np.uint8))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"RW1",
        b"RW2\0N",
        message(b""),
        message(b"?"),
        message(b"NN"),
        message(b"i\0"),
        message(b"s\xff\xff\xff\xff"),
        message(b"b\xff\xff\xff\x7fx"),
        message(b"l\xff\xff\xff\xff"),
        message(b"t\xff\xff\xff\x0fNN"),
        message(b"d\xff\xff\xff\x7fNN"),
        message(b"I\xff\xff\xff\xff"),
        message(b"s\1\0\0\0\xff"),
        message(b"s\3\0\0\0\xed\xa0\x80"),
        message(b"d\2\0\0\0" + b"s\1\0\0\0aN" * 2),
        message(b"d\2\0\0\0TNi\1\0\0\0\0\0\0\0N"),
        message(b"d\1\0\0\0f\0\0\0\0\0\0\xf8\x7fN"),
        message(b"d\1\0\0\0l\0\0\0\0N"),
        message(b"D\0\0\1\1"),
        message(b"M" + struct.pack("<HBBBBBIBBq", 2020, 13, 1, 0, 0, 0, 0, 0, 0, 0)),
        message(b"M" + struct.pack("<HBBBBBIBBq", 2020, 1, 1, 0, 0, 0, 0, 2, 0, 0)),
        message(b"M" + struct.pack("<HBBBBBIBBq", 2020, 1, 1, 0, 0, 0, 0, 0, 1, 1 << 62)),
        message(b"m" + struct.pack("<iii", 2**31 - 1, 0, 0)),
        message(b"l\1\0\0\0" * 2000 + b"N"),
        array_message(b"|O", (1,), bytes(8)),
        array_message(b"|O8", (1,), bytes(8)),
        array_message(b"i4,i4", (1,), bytes(8)),
        array_message(b"|V8", (1,), bytes(8)),
        array_message(b"<f16", (1,), bytes(16)),
        array_message(b"<f8", (2,), bytes(8)),
        array_message(b"<f8", (1 << 63, 2), bytes(8)),
        array_message(b"<f8", (1 << 32, 1 << 32), b""),
        array_message(b"<f8", (0, 1 << 62), b""),
        array_message(b"<f8", (1,) * 33, bytes(8)),
        array_message(b"<U999999999", (0,), b""),
        array_message(b"<U0", (1,), b""),
        array_message(b"<M8[0s]", (1,), bytes(8)),
        array_message(b"<M8[999999999D]", (1,), bytes(7)),
        array_message(b"|b1", (1,), b"\2"),
        array_message(b"<U1", (1,), struct.pack("<I", 0x110000)),
        array_message(b">U1", (1,), struct.pack(">I", 0xD800)),
        message(b"a\3<f8\1" + struct.pack("<Q", 0) + b"\1" * 16),
        message(b"n\2|O" + bytes(8)),
        message(b"n\3|b1\2"),
        message(b"n\3<U1a\0\0\0"),
    ],
)
def test_hostile_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CodecError):
        decode(data, SMALL)


def decode_within_bounds(data: bytes) -> None:
    """Decode hostile bytes: a value or `CodecError`, and memory in proportion to the message."""
    tracemalloc.start()
    try:
        decode(data, SMALL)
    except CodecError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak <= 200_000 + 300 * len(data)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    decode_within_bounds(data)
    decode_within_bounds(message(data))


@settings(max_examples=200, deadline=None)
@given(values, st.data())
def test_mutated_messages(value: Any, data: st.DataObject) -> None:
    good = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(good) - 1))
        good[at] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF, *b"NTFiIfcsbltdDMman"]))
    cut = data.draw(st.integers(0, len(good)))
    decode_within_bounds(bytes(good))
    decode_within_bounds(bytes(good[:cut]))


@settings(max_examples=30, deadline=None)
@given(values)
def test_frames_carry_messages(value: Any) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_frame(ours, encode_chunks(value), None)
        assert same(decode(receive_frame(theirs, 1 << 20)), value)


def test_large_frames_arrive_whole_and_writable() -> None:
    array = np.random.default_rng(0).random(1_000_003)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=send_frame, args=(ours, encode_chunks(["x", array, 1])))
        sender.start()
        _, back, _ = decode(receive_frame(theirs, 1 << 30))
        sender.join()
    assert same(back, array)
    back[0] = 1.0


@pytest.mark.parametrize("header", [b"XXXX" + bytes(8), codec.FRAME_MAGIC + b"\xff" * 8])
def test_bad_frame_headers_are_refused_before_anything_is_allocated(header: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(header)
        with pytest.raises(CodecError):
            receive_frame(theirs, 1 << 30)


def test_frame_reads_keep_their_deadline() -> None:
    import time

    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(codec.FRAME.pack(codec.FRAME_MAGIC, 100) + b"part")
        with pytest.raises(TimeoutError):
            receive_frame(theirs, 1000, time.monotonic() + 0.05)
        ours.close()
        with pytest.raises(EOFError):
            receive_frame(theirs, 1000, time.monotonic() + 5)


@pytest.mark.parametrize("name", worker_runtime())
def test_what_runs_inside_is_python_3_8_and_standard_library(name: str) -> None:
    tree = ast.parse(worker_runtime()[name][0].decode(), feature_version=(3, 8))
    names = {
        name.partition(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    import sys

    assert names <= sys.stdlib_module_names
