"""What both directions agree on: bounds, sizes, and how fields are laid out."""

# ruff: noqa: UP007, UP035

from __future__ import annotations

import datetime
import mmap
import re
import struct
from typing import NamedTuple, Sequence, Union

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

U8 = struct.Struct("<B")
U32 = struct.Struct("<I")
U64 = struct.Struct("<Q")
I64 = struct.Struct("<q")
F64 = struct.Struct("<d")
C128 = struct.Struct("<dd")
DATE = struct.Struct("<HBB")
DATETIME = struct.Struct("<HBBBBBIBBq")
TIMEDELTA = struct.Struct("<iii")
MICROSECOND = datetime.timedelta(microseconds=1)

PLAIN_DTYPE = re.compile(
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


def check_extent(shape: Sequence[int], itemsize: int, bounds: Bounds) -> int:
    """Bytes of an array's data. An empty array with a huge other side is refused as well, because
    the next sum over it would allocate that side."""
    extent = itemsize
    for side in shape:
        extent *= max(side, 1)
        if extent > bounds.max_bytes:
            raise CodecError(f"array larger than the {bounds.max_bytes} bytes that may cross")
    return 0 if 0 in shape else extent
