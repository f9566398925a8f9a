"""The host's end of a worker's control channel: one question, one answer, every read on a clock."""

from __future__ import annotations

import select
import signal
import socket
import time
from collections.abc import Sequence
from typing import Any

from referee.record.text import bounded_text
from referee.wall.api import (
    CandidateDied,
    CandidateError,
    CandidateFailure,
    CandidateProtocol,
    CandidateResource,
)
from referee.wall.codec import Bounds, Chunk, CodecError, Message, decode, receive_frame, send_frame
from referee.wall.worker import CALL, CONTROL, ENDED, READY

_END_GRACE_S = 2.0
"""How long we wait to hear why a call's process closed its socket without an answer."""

_SEND_BUFFER = 4 << 20
"""Bytes on the way at once; the system may give less."""

_NAME_CHARS = 200
_RESOURCE_SIGNALS = (signal.SIGKILL, signal.SIGXCPU, signal.SIGXFSZ)


class Lost(Exception):
    """The worker itself is gone, or talks nonsense on its control channel."""


class Line:
    """Asks one worker. After `Lost` or `TimeoutError` it must not be used again."""

    def __init__(self, control: socket.socket, bounds: Bounds) -> None:
        self.control = control
        self.bounds = bounds
        self.calls = 0
        self.pending = b""
        self.ended: tuple[int, int] | None = None

    def await_ready(self, deadline: float) -> None:
        """Wait until the worker has imported its modules.

        Raises:
            TimeoutError: the deadline passed (`time.monotonic`).
            Lost: the worker ended or said something else.
        """
        self._wait(deadline, self.control)
        message = self._read_control()
        while message is None:
            self._wait(deadline, self.control)
            message = self._read_control()
        if message[0] != READY:
            raise Lost

    def ask(self, request: Sequence[Chunk], deadline: float) -> Any:
        """The value that the probe in `request` returns.

        Raises:
            CandidateFailure: it returned none; the worker can still be asked.
            TimeoutError: the deadline passed.
            Lost: the worker is gone.
        """
        self.calls += 1
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with ours:
            for end in (ours, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            with theirs:
                self._send_call(theirs, deadline)
            try:
                send_frame(ours, request, deadline)
                self._await_answer(ours, deadline)
                frame = receive_frame(ours, self.bounds.max_bytes, deadline)
            except (EOFError, ConnectionError):
                raise self._why_silent(deadline) from None
            except CodecError as error:
                raise CandidateProtocol(str(error)) from None
        return _value_of(frame, self.bounds)

    def _send_call(self, theirs: socket.socket, deadline: float) -> None:
        self.control.settimeout(max(deadline - time.monotonic(), 1e-4))
        try:
            socket.send_fds(self.control, [CONTROL.pack(CALL, self.calls, 0)], [theirs.fileno()])
        except TimeoutError:
            raise
        except OSError:
            raise Lost from None

    def _await_answer(self, ours: socket.socket, deadline: float) -> None:
        """Wait until the answer starts to come, or the call's process is gone.

        A process that the call left behind may hold its socket open, so the end of the socket is
        not what tells us that no answer will come; the worker is.
        """
        while True:
            ready = self._wait(deadline, ours, self.control)
            if ours in ready:
                return
            self._read_control()
            status = self._end_of_call()
            if status is not None:
                if not select.select([ours], [], [], 0)[0]:
                    raise _silence(status)
                return

    def _why_silent(self, deadline: float) -> CandidateFailure:
        """The socket closed without a whole answer: how the call's process ended."""
        limit = min(deadline, time.monotonic() + _END_GRACE_S)
        try:
            while (status := self._end_of_call()) is None:
                self._wait(limit, self.control)
                self._read_control()
            return _silence(status)
        except TimeoutError:
            return CandidateDied("the call closed its channel before it answered")

    def _end_of_call(self) -> int | None:
        """The wait status of the present call's process, if the worker has told it."""
        if self.ended is None or self.ended[0] != self.calls:
            return None
        return self.ended[1]

    def _wait(self, deadline: float, *sockets: socket.socket) -> list[socket.socket]:
        poll = select.poll()
        for one in sockets:
            poll.register(one, select.POLLIN)
        left = deadline - time.monotonic()
        ready = poll.poll(min(left, 86400.0) * 1000 + 1) if left > 0 else []
        if not ready:
            raise TimeoutError
        numbers = {fd for fd, _event in ready}
        return [one for one in sockets if one.fileno() in numbers]

    def _read_control(self) -> tuple[bytes, int, int] | None:
        """One control message, or None while it is not complete. Descriptors that come with it are
        dropped by the kernel, because plain `recv` has no room for them."""
        try:
            self.control.setblocking(False)
            data = self.control.recv(CONTROL.size - len(self.pending))
        except BlockingIOError:
            return None
        except OSError:
            raise Lost from None
        if not data:
            raise Lost
        self.pending += data
        if len(self.pending) < CONTROL.size:
            return None
        tag, call, status = CONTROL.unpack(self.pending)
        self.pending = b""
        if tag == ENDED:
            self.ended = (call, status)
        return tag, call, status


def _silence(status: int) -> CandidateFailure:
    """The failure for a call that ended with the raw wait status `status` and no answer."""
    number = status & 0x7F
    if number == 0:
        return CandidateDied(f"the call exited with code {status >> 8 & 0xFF} before it answered")
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    if number in _RESOURCE_SIGNALS:
        return CandidateResource(f"the call was ended by {name}, as a limit does")
    return CandidateDied(f"the call was ended by {name}")


def _value_of(frame: Message, bounds: Bounds) -> Any:
    """The value in an answer.

    Raises:
        CandidateFailure: the answer says that there is none, or is no answer.
    """
    try:
        answer = decode(frame, bounds._replace(max_depth=bounds.max_depth + 1))
    except CodecError as error:
        raise CandidateProtocol(str(error)) from None
    match answer:
        case ("value", value):
            return value
        case ("error", str(name), str(text), tuple(bases)):
            words = tuple(bounded_text(base, _NAME_CHARS) for base in bases if type(base) is str)
            raise CandidateError(bounded_text(name, _NAME_CHARS), bounded_text(text), words[:50])
        case ("resource", str(text)):
            raise CandidateResource(bounded_text(text))
        case ("refused", str(text)):
            raise CandidateProtocol(bounded_text(text))
    raise CandidateProtocol("the answer has none of the forms that an answer has")
