"""One command from start to end: feed it, drain it, time it, and say how it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from referee.sandbox.protocol import Completed, Ended
from referee.sandbox.session import Pipes

CHUNK = 1 << 18
LINGER_S = 0.02
"""How long output is awaited after the command has ended and another process holds its pipe."""
KILL_GRACE_S = 5.0


class Capture:
    """What one stream said: the first `limit` bytes are kept, the rest is counted and dropped."""

    def __init__(self, limit: int):
        self._limit = limit
        self._parts: list[bytes] = []
        self._kept = 0
        self.dropped = 0

    def take(self, data: bytes) -> None:
        """Add what was read."""
        room = self._limit - self._kept
        part = data[:room]
        if part:
            self._parts.append(part)
            self._kept += len(part)
        self.dropped += len(data) - len(part)

    @property
    def value(self) -> bytes:
        """The bytes kept."""
        return b"".join(self._parts)


@dataclass(frozen=True)
class Hooks:
    """What the supervisor asks of the sandbox."""

    on_timeout: Callable[[], None]
    """Kill what has to be killed; the command's end is then awaited for a few seconds."""
    give_up: Callable[[], None]
    """Tear the sandbox down, because it did not obey."""
    breach: Callable[[], Ended | None]
    """A limit that was broken in the meantime, or None."""
    oom_kills: Callable[[], int]


class Supervision:
    """Supervises one started command in the calling thread.

    `deadline` is a time of the monotonic clock; `oom_kills` is the sandbox's count before the
    start. Commands that run at the same time share that count: each that fails says `memory`.
    """

    def __init__(
        self,
        argv: tuple[str, ...],
        pipes: Pipes,
        hooks: Hooks,
        *,
        stdin: bytes,
        output_bytes: int,
        deadline: float,
        oom_kills: int,
    ):
        self._argv, self._pipes, self._hooks = argv, pipes, hooks
        self._stdin = memoryview(stdin)
        self._begun = time.monotonic()
        self._deadline = deadline
        self._captures = {"stdout": Capture(output_bytes), "stderr": Capture(output_bytes)}
        self._answer = b""
        self._timed_out = False
        self._oom_before = oom_kills
        self._poll = select.poll()

    def run(self) -> Completed:
        """Return when the command has ended, however long others hold its pipes."""
        try:
            self._watch_all()
            while self._pipes.reply >= 0:
                self._step()
            wall = time.monotonic() - self._begun
            self._drain()
            return self._completed(wall)
        finally:
            self._pipes.close()

    def _watch_all(self) -> None:
        self._names: dict[int, str] = {}
        for name in ("reply", "stdout", "stderr"):
            self._watch(name, select.POLLIN)
        if self._stdin:
            self._watch("stdin", select.POLLOUT)
        else:
            self._pipes.close_one("stdin")

    def _watch(self, name: str, events: int) -> None:
        fd = getattr(self._pipes, name)
        self._names[fd] = name
        self._poll.register(fd, events)

    def _drop(self, name: str) -> None:
        fd = getattr(self._pipes, name)
        if fd >= 0:
            self._poll.unregister(fd)
            del self._names[fd]
            self._pipes.close_one(name)

    def _step(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            self._over_time()
            return
        for fd, _ in self._poll.poll(min(left, 3600.0) * 1000):
            name = self._names.get(fd)
            if name == "stdin":
                self._feed()
            elif name is not None:
                self._read(name)

    def _over_time(self) -> None:
        self._deadline = time.monotonic() + KILL_GRACE_S
        if self._timed_out:
            self._hooks.give_up()
            return
        self._timed_out = True
        self._hooks.on_timeout()

    def _feed(self) -> None:
        try:
            written = os.write(self._pipes.stdin, self._stdin[:CHUNK])
        except BlockingIOError:
            return
        except OSError:  # it closed its input, which it may
            self._drop("stdin")
            return
        self._stdin = self._stdin[written:]
        if not self._stdin:
            self._drop("stdin")

    def _read(self, name: str) -> int:
        """Read once; the number of bytes, -1 when there are none just now."""
        try:
            data = os.read(getattr(self._pipes, name), CHUNK)
        except BlockingIOError:
            return -1
        if not data:
            self._drop(name)
        elif name == "reply":
            self._answer += data
            self._drop(name)
        else:
            self._captures[name].take(data)
        return len(data)

    def _drain(self) -> None:
        """Take what the command left in its pipes, and give others a moment to close them."""
        end = time.monotonic() + LINGER_S
        self._drop("stdin")
        while self._names and (left := end - time.monotonic()) > 0:
            for fd, _ in self._poll.poll(left * 1000):
                if fd in self._names:
                    self._read(self._names[fd])
        for name in list(self._names.values()):  # a flood by others: only what is there already
            with contextlib.suppress(OSError):
                self._read(name)

    def _completed(self, wall_s: float) -> Completed:
        fields = self._answer.split()
        out, err = self._captures["stdout"], self._captures["stderr"]
        status = user = system = 0.0
        peak = 0
        if fields[:1] == [b"full"]:  # earlier commands of this sandbox left no room for another
            err.take(b"referee: the process limit is reached\n")
            status = 126 << 8
        elif len(fields) == 4:
            status, user, system, peak = (
                int(fields[0]),
                float(fields[1]),
                float(fields[2]),
                int(fields[3]) * 1024,
            )
        ended, code, number = self._how(int(status), answered=bool(fields))
        return Completed(
            argv=self._argv,
            ended=ended,
            exit_code=code,
            signal=number,
            stdout=out.value,
            stderr=err.value,
            truncated=bool(out.dropped or err.dropped),
            wall_s=wall_s,
            cpu_s=user + system,
            max_rss_bytes=peak,
        )

    def _how(self, status: int, *, answered: bool) -> tuple[Ended, int | None, int | None]:
        """Ended, exit code, signal; a broken limit explains an end better than its signal does."""
        killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        clean = answered and killed is None and os.WEXITSTATUS(status) == 0
        breach = self._hooks.breach()
        if breach is not None:
            return breach, None, killed
        if self._timed_out:
            return "timeout", None, killed
        if not clean and self._hooks.oom_kills() > self._oom_before:
            return "memory", None, killed
        if not answered:
            return "died", None, None
        if killed == signal.SIGXCPU:
            return "timeout", None, killed
        if killed is not None:
            return "signal", None, killed
        return "exit", os.WEXITSTATUS(status), None
