"""Frames on a stream socket: a magic word, a length, and the bytes of one message."""

# ruff: noqa: SIM105, UP035, UP045

from __future__ import annotations

import mmap
import time
from typing import Any, Optional, Sequence

from .form import FRAME, FRAME_MAGIC, OWN_MAPPING, Chunk, CodecError, Message


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
