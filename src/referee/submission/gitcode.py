"""The encodings inside a git patch: quoted names, blob ids, base-85 blocks and deltas."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib

_ESCAPES = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}
_PLAIN = {value[0]: code for code, value in _ESCAPES.items()}
_LINE_BYTES = 52
_STORED_BLOCK = 0xFFFF
ABSENT_ID = "0" * 40


class BadCode(ValueError):
    """An encoded part of a patch does not follow its format."""


def blob_id(data: bytes) -> str:
    """The id that git gives to a file with this content (40 hex digits of SHA-1)."""
    head = b"blob %d\0" % len(data)
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


def quote(name: bytes) -> bytes:
    """`name` as it stands in a patch header: in C-style quotes if it has special bytes."""
    if all(32 <= c < 127 and c not in (34, 92) for c in name):
        return name
    out = bytearray(b'"')
    for c in name:
        if c in _ESCAPES:
            out += b"\\" + _ESCAPES[c]
        elif 32 <= c < 127:
            out.append(c)
        else:
            out += b"\\%03o" % c
    return bytes(out + b'"')


def unquote(text: bytes) -> tuple[bytes, bytes]:
    """The name in quotes at the start of `text`, and what follows the closing quote.

    Raises:
        BadCode: the quotes do not close, or an escape is unknown.
    """
    if not text.startswith(b'"'):
        raise BadCode("a quoted name must start with a quote")
    out, i = bytearray(), 1
    while i < len(text):
        c = text[i]
        if c == 34:
            return bytes(out), text[i + 1 :]
        if c != 92:
            out.append(c)
            i += 1
        elif octal := re.match(rb"[0-3][0-7]{2}", text[i + 1 : i + 4]):
            out.append(int(octal.group(), 8))
            i += 4
        elif i + 1 < len(text) and text[i + 1] in _PLAIN:
            out.append(_PLAIN[text[i + 1]])
            i += 2
        else:
            raise BadCode("unknown escape in a quoted name")
    raise BadCode("a quoted name does not end")


def encode_block(data: bytes) -> list[bytes]:
    """Lines of a `literal` block.

    The zlib stream has stored blocks only, so that the bytes do not depend on which compression
    library this machine has.
    """
    stream = bytearray(b"\x78\x01")
    for start in range(0, max(len(data), 1), _STORED_BLOCK):
        block = data[start : start + _STORED_BLOCK]
        final = start + _STORED_BLOCK >= len(data)
        size = len(block)
        stream += (
            bytes([final]) + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little")
        )
        stream += block
    stream += zlib.adler32(data).to_bytes(4, "big")
    return [_encode_line(bytes(stream[i : i + _LINE_BYTES])) for i in range(0, len(stream), 52)]


def _encode_line(part: bytes) -> bytes:
    size = len(part)
    head = ord("A") + size - 1 if size <= 26 else ord("a") + size - 27
    return bytes([head]) + base64.b85encode(part, pad=True)


def decode_block(lines: list[bytes], size: int) -> bytes:
    """The `size` bytes that the base-85 `lines` of a block hold, never more than that in memory.

    Raises:
        BadCode: a line, the zlib stream or the size is wrong.
    """
    packed = b"".join(_decode_line(line) for line in lines)
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise BadCode("the compressed data of a binary block is damaged") from error
    if len(data) != size or stream.unused_data or not _ends(stream):
        raise BadCode("a binary block does not have the size that it states")
    return data


def _ends(stream: zlib._Decompress) -> bool:
    if stream.eof:
        return True
    try:
        return stream.decompress(stream.unconsumed_tail, 1) == b"" and stream.eof
    except zlib.error:
        return False


def _decode_line(line: bytes) -> bytes:
    head = line[:1]
    if b"A" <= head <= b"Z":
        size = head[0] - ord("A") + 1
    elif b"a" <= head <= b"z":
        size = head[0] - ord("a") + 27
    else:
        raise BadCode("a line of a binary block has no length")
    if len(line) - 1 != (size + 3) // 4 * 5:
        raise BadCode("a line of a binary block has the wrong length")
    try:
        return base64.b85decode(line[1:])[:size]
    except ValueError as error:
        raise BadCode("a line of a binary block is not base 85") from error


def apply_delta(base: bytes, delta: bytes, *, max_bytes: int) -> bytes:
    """The content that `delta` makes from `base`.

    Raises:
        BadCode: the delta is damaged, is for another base, or makes more than `max_bytes`.
    """
    base_size, at = _size(delta, 0)
    result_size, at = _size(delta, at)
    if base_size != len(base):
        raise BadCode("a binary delta is for a file of another size")
    if result_size > max_bytes:
        raise BadCode("a binary delta makes too large a file")
    out = bytearray()
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            offset, at = _number(delta, at, code & 0x0F, 4)
            size, at = _number(delta, at, code >> 4 & 0x07, 3)
            size = size or 0x10000
            if offset + size > len(base):
                raise BadCode("a binary delta copies beyond its base")
            out += base[offset : offset + size]
        elif code and at + code <= len(delta):
            out += delta[at : at + code]
            at += code
        else:
            raise BadCode("a binary delta has a bad instruction")
        if len(out) > result_size:
            raise BadCode("a binary delta makes more than it states")
    if len(out) != result_size:
        raise BadCode("a binary delta makes less than it states")
    return bytes(out)


def _size(delta: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(delta) and shift < 63:
        value |= (delta[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not delta[at - 1] & 0x80:
            return value, at
    raise BadCode("a binary delta has a bad size")


def _number(delta: bytes, at: int, present: int, width: int) -> tuple[int, int]:
    value = 0
    for i in range(width):
        if present >> i & 1:
            if at >= len(delta):
                raise BadCode("a binary delta ends inside an instruction")
            value |= delta[at] << (8 * i)
            at += 1
    return value, at
