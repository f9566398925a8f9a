"""The closed binary codec of the wall, and the frames it travels in.

These files lie on both sides: in the trusted process, and in the candidate's sandbox, where the
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

# ruff: noqa: UP006, UP007, UP035

from __future__ import annotations

import mmap
from typing import Any, List, Union

from .decoder import Decoder
from .encoder import Encoder
from .form import (
    ALIGNMENT,
    DEFAULT_BOUNDS,
    FORMAT,
    FRAME,
    FRAME_MAGIC,
    MAX_INT_BYTES,
    Bounds,
    Chunk,
    CodecError,
    Message,
)
from .frames import receive_frame, send_frame

__all__ = [
    "ALIGNMENT",
    "FORMAT",
    "FRAME",
    "FRAME_MAGIC",
    "MAX_INT_BYTES",
    "Bounds",
    "Chunk",
    "CodecError",
    "Message",
    "decode",
    "encode",
    "encode_chunks",
    "receive_frame",
    "send_frame",
]


def encode(value: Any, bounds: Bounds = DEFAULT_BOUNDS) -> bytes:
    """The bytes of `value`.

    Raises:
        CodecError: the value, or something inside it, may not cross, or a bound is passed.
    """
    return b"".join(encode_chunks(value, bounds))


def encode_chunks(value: Any, bounds: Bounds = DEFAULT_BOUNDS) -> List[Chunk]:
    """Like `encode`, as pieces whose concatenation is the message; large arrays are not copied, so
    the value must stay as it is until the pieces are sent."""
    encoder = Encoder(bounds)
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
    return Decoder(own, bounds).whole()
