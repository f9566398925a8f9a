"""The host's end of the exec server: requests out, one private answer pipe per request."""

from __future__ import annotations

import array
import contextlib
import marshal
import os
import select
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.environment.identity import Identity
from referee.sandbox.limits import Rlimit

CHANNEL_FD = 3
CHANNEL_VARIABLE = "REFEREE_CHANNEL"


class SandboxDown(Exception):
    """The exec server is gone; nothing more can be run in this sandbox."""


@dataclass(frozen=True)
class Order:
    """A command to start. `kind` is `exec`, `read` or `write` (see `server.py`)."""

    kind: str
    argv: Sequence[str | int]
    cwd: str
    env: Mapping[str, str]


@dataclass
class Pipes:
    """Our ends of a started command's descriptors; `close` may be called more than once."""

    reply: int
    stdin: int
    stdout: int
    stderr: int
    ident: int

    def close(self) -> None:
        """Close what is still open."""
        for name in ("reply", "stdin", "stdout", "stderr"):
            self.close_one(name)

    def close_one(self, name: str) -> None:
        """Close one of the descriptors, by its field's name."""
        fd: int = getattr(self, name)
        if fd >= 0:
            setattr(self, name, -1)
            os.close(fd)


def _plain(word: str | int) -> bytes | int:
    return word if isinstance(word, int) else os.fsencode(word)


def check_order(order: Order) -> None:
    """Refuse what the kernel cannot pass on: no words, zero bytes, names of variables with `=`.

    Raises:
        ValueError: the order is such a one.
    """
    if not order.argv or not order.argv[0]:
        raise ValueError("a command needs at least one word")
    words = [order.cwd, *map(str, order.argv), *order.env, *order.env.values()]
    if any("\0" in word for word in words):
        raise ValueError("a command, folder or variable contains a zero byte")
    if any(not name or "=" in name for name in order.env):
        raise ValueError("a variable's name is empty or contains `=`")


class Session:
    """A connection to one exec server. Methods may be called from any thread."""

    def __init__(self, control: socket.socket, identity: Identity, rlimits: Sequence[Rlimit]):
        self._control = control
        self._control.settimeout(30.0)
        self._identity = identity
        self._lock = threading.Lock()
        self._last = 0
        self._send(("limits", tuple(rlimits)), [])

    def _send(self, request: tuple[object, ...], fds: Sequence[int]) -> None:
        payload = marshal.dumps(request, 2)  # type: ignore[arg-type]
        head = len(payload).to_bytes(4, "little") + len(fds).to_bytes(4, "little")
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        with self._lock:
            try:
                # never more in one piece than fits: the descriptors come with the first byte
                sent = self._control.sendmsg([head + payload], rights)
                if sent < len(head) + len(payload):
                    self._control.sendall((head + payload)[sent:])
            except OSError as error:
                raise SandboxDown(str(error)) from error

    def start(self, order: Order, channel: socket.socket | None = None) -> Pipes:
        """Start a command; its end is one line on `Pipes.reply`.

        Raises:
            SandboxDown: the server is gone.
            ValueError: the order has no words, or a word that no program can be given.
        """
        check_order(order)
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for outward in (True, False, True, True):  # reply, stdin, stdout, stderr
                reader, writer = os.pipe2(os.O_CLOEXEC)
                ours.append(reader if outward else writer)
                theirs.append(writer if outward else reader)
                # so that a program may reopen /dev/stdin, /dev/stdout and /dev/stderr
                if self._identity.dropped and len(ours) > 1:
                    os.fchown(theirs[-1], self._identity.uid, self._identity.gid)
            with self._lock:
                self._last += 1
                ident = self._last
            env = {os.fsencode(k): os.fsencode(v) for k, v in order.env.items()}
            argv = tuple(map(_plain, order.argv))
            request = ("start", ident, order.kind, argv, os.fsencode(order.cwd), env)
            self._send(request, theirs + ([channel.fileno()] if channel else []))
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        for fd in ours:
            os.set_blocking(fd, False)
        return Pipes(ours[0], ours[1], ours[2], ours[3], ident)

    def listen(self, port: int, timeout_s: float = 10.0) -> socket.socket:
        """A listening TCP socket at 127.0.0.1 inside.

        Raises:
            SandboxDown: the server is gone.
            OSError: the port cannot be had.
        """
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send(("listen", port), [theirs.fileno()])
            ours.settimeout(timeout_s)
            word, fds, _flags, _address = socket.recv_fds(ours, 16, 1)
        if word == b"+" and len(fds) == 1:
            return socket.socket(fileno=fds[0])
        for fd in fds:
            os.close(fd)
        if not word:
            raise SandboxDown("the server hung up")
        code = int(word)
        raise OSError(code, os.strerror(code))

    def kill(self, ident: int) -> None:
        """Kill the process group of a command; nothing happens when it has ended."""
        with contextlib.suppress(SandboxDown):
            self._send(("kill", ident), [])

    def kill_all(self, timeout_s: float = 5.0) -> bool:
        """Kill everything but the server and wait until it is dead; False when that failed."""
        reader, writer = os.pipe2(os.O_CLOEXEC)
        try:
            try:
                self._send(("kill_all",), [writer])
            except SandboxDown:
                return True
            finally:
                os.close(writer)
            poll = select.poll()
            poll.register(reader, select.POLLIN)
            return bool(poll.poll(max(0.0, timeout_s) * 1000))
        finally:
            os.close(reader)

    def close(self) -> None:
        """Hang up: the server then ends, and with it everything inside."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()


def wait_until_ready(control: socket.socket, timeout_s: float) -> bool:
    """Wait for the server's first word; False when it hung up or the time is over."""
    deadline = time.monotonic() + timeout_s
    heard = b""
    while not heard.endswith(b"\n"):
        control.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            data = control.recv(64)
        except OSError:
            return False
        if not data:
            return False
        heard += data
    return heard == b"ready\n"
