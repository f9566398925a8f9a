"""The trusted side of the wall: asks a sandbox for values and believes nothing that it says."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.protocol import (
    ENVIRONMENT,
    WORKSPACE,
    Completed,
    Enforcement,
    Process,
    Sandbox,
)
from referee.sandbox.session import SandboxDown
from referee.wall.api import (
    CandidateDied,
    CandidateError,
    CandidateFailure,
    CandidateResource,
    CandidateTimeout,
    CommandResult,
)
from referee.wall.codec import Bounds, encode_chunks
from referee.wall.line import Line, Lost
from referee.wall.runtime import WALL_INSIDE

_FAULTS = (Infrastructure, SandboxDown, OSError, EOFError)
"""What a sandbox raises when it, or the machine under it, fails."""

_END_GRACE_S = 0.2
"""A moment for a worker that is ending by itself, so that its own end is reported."""

Moment = Literal["start", "wait", "idle"]
"""What the wall is doing: starting a sandbox, waiting for candidate code, or neither."""


class WallSession:
    """Calls into one sandbox, which is started at the first call.

    `open_sandbox` makes a sandbox that is not started. A worker that times out or dies is killed
    with everything else in the sandbox, and a new one starts at the next call. When a sandbox goes
    down after candidate code ran in it, `open_bare` makes one with nothing of the candidate's in
    it: if that starts, the machine is well and the candidate is to blame. Times in seconds.
    """

    def __init__(
        self,
        open_sandbox: Callable[[], Sandbox],
        *,
        open_bare: Callable[[], Sandbox] | None = None,
        python: str = f"{ENVIRONMENT}/bin/python",
        preload: Sequence[str] = (),
        call_timeout_s: float = 60.0,
        start_timeout_s: float = 120.0,
        max_bytes: int = 256 << 20,
        worker: str = f"{WALL_INSIDE}/worker.py",
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        watch: Callable[[Moment], None] = lambda _moment: None,
    ) -> None:
        self.call_timeout_s = call_timeout_s
        self.start_timeout_s = start_timeout_s
        self.bounds = Bounds(max_bytes=max_bytes)
        self.enforcement: tuple[Enforcement, ...] = ()
        self.worker_output = b""
        self._open_sandbox = open_sandbox
        self._open_bare = open_bare or open_sandbox
        self._argv = [python, "-B", worker, str(max_bytes), *preload]
        self._cwd = cwd
        self._env = dict(env or {})
        self._watch = watch
        self._sandbox: Sandbox | None = None
        self._process: Process | None = None
        self._line: Line | None = None
        self._touched = False
        self.refused: BadInput | None = None

    def call(
        self,
        source: str,
        name: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> Any:
        """Run the function `name` of the probe `source` in the sandbox; its value.

        Raises:
            CandidateFailure: one of its subclasses: candidate code gave no value.
            CodecError: an argument may not cross, which is a mistake in the check.
            Infrastructure: no sandbox can be had.
        """
        request = encode_chunks((source, name, list(args), dict(kwargs or {})), self.bounds)
        line = self._ready_line()
        limit = self.call_timeout_s if timeout_s is None else timeout_s
        self._watch("wait")
        try:
            return line.ask(request, time.monotonic() + limit)
        except TimeoutError:
            self._discard_worker()
            raise CandidateTimeout(f"call of {name} did not end in {limit:g} s") from None
        except Lost:
            raise self._worker_lost() from None
        finally:
            self._watch("idle")

    def command(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        inputs: Mapping[str, bytes] | None = None,
        files: Sequence[str] = (),
    ) -> CommandResult:
        """Run a program of the candidate in the sandbox. `inputs` are written before it starts and
        `files` are read after it ended, both relative to `cwd`. Any exit code is a result.

        Raises:
            CandidateFailure: it did not end by itself within its limits, or a file is missing.
            Infrastructure: no sandbox can be had.
        """
        place = cwd or self._cwd
        limit = self.call_timeout_s if timeout_s is None else timeout_s
        sandbox = self._ready_sandbox()
        self._touched = True
        self._watch("wait")
        try:
            for name, data in (inputs or {}).items():
                sandbox.write(_inside(place, name), data)
            done = sandbox.run(
                argv, cwd=place, env={**self._env, **(env or {})}, stdin=stdin, timeout_s=limit
            )
            self._tidy(done)
            exit_code = _exit_code(done, limit)
            found = {name: self._read(sandbox, _inside(place, name)) for name in files}
        except _FAULTS as error:
            self._blame(error)
            raise CandidateDied(f"the sandbox went down under the command: {error}") from error
        finally:
            self._watch("idle")
        return CommandResult(exit_code, done.stdout, done.stderr, found)

    def close(self) -> None:
        """Stop the sandbox and everything in it."""
        self._discard_worker()
        self._drop_sandbox()

    def _read(self, sandbox: Sandbox, path: str) -> bytes:
        try:
            return sandbox.read(path, max_bytes=self.bounds.max_bytes)
        except ConnectionError:
            raise
        except (OSError, ValueError) as error:
            raise CandidateError(type(error).__name__, f"{path}: {error}") from error

    def _ready_sandbox(self) -> Sandbox:
        if self._sandbox is None:
            self._watch("start")
            try:
                sandbox = self._open_sandbox()
                sandbox.start()
            except Exception as error:
                self._blame(error)
                raise CandidateDied(f"the sandbox does not start again: {error}") from error
            finally:
                self._watch("idle")
            self._sandbox = sandbox
            self.enforcement = sandbox.enforcement
        return self._sandbox

    def _blame(self, error: Exception) -> None:
        """Return if the candidate is to blame for a sandbox that failed: its code ran there, and a
        sandbox without it does start.

        Raises:
            BadInput: what was asked for cannot be enforced here.
            Infrastructure: the machine is to blame.
        """
        self._discard_worker()
        self._drop_sandbox()
        if self._touched:
            with contextlib.suppress(*_FAULTS):
                bare = self._open_bare()
                try:
                    bare.start()
                    return
                finally:
                    bare.stop()
        if isinstance(error, BadInput):
            self.refused = error
        if isinstance(error, (BadInput, Infrastructure)):
            raise error
        raise Infrastructure("sandbox_lost", f"{type(error).__name__}: {error}") from error

    def _ready_line(self) -> Line:
        if self._line is not None:
            return self._line
        process = self._spawn()
        self._process = process
        line = Line(process.channel, self.bounds)
        self._touched = True
        self._watch("wait")
        try:
            line.await_ready(time.monotonic() + self.start_timeout_s)
        except TimeoutError:
            self._discard_worker()
            raise CandidateTimeout(
                f"importing the candidate did not end in {self.start_timeout_s:g} s"
            ) from None
        except Lost:
            raise self._worker_lost() from None
        finally:
            self._watch("idle")
        self._line = line
        return line

    def _spawn(self) -> Process:
        """Start a worker, in a new sandbox if the present one is down."""
        if self._sandbox is not None:
            with contextlib.suppress(*_FAULTS):
                return self._sandbox.spawn(self._argv, cwd=self._cwd, env=self._env)
            self._drop_sandbox()
        sandbox = self._ready_sandbox()
        try:
            return sandbox.spawn(self._argv, cwd=self._cwd, env=self._env)
        except _FAULTS as error:
            self._blame(error)
            raise CandidateDied(f"no worker starts in the sandbox: {error}") from error

    def _worker_lost(self) -> CandidateFailure:
        """Why the worker is gone, as far as the sandbox can say; a new one starts next time."""
        begun = time.monotonic()
        done = self._discard_worker()
        ended = "died" if done is None else done.ended
        if ended in ("memory", "disk"):
            return CandidateResource(f"the worker went over its {ended} limit")
        if ended == "timeout" and time.monotonic() - begun < _END_GRACE_S:
            return CandidateTimeout("the sandbox reached its time limit")
        return CandidateDied("the worker ended before it answered")

    def _tidy(self, done: Completed) -> None:
        """After a command that did not end by itself, start afresh."""
        if done.ended in ("timeout", "memory"):
            self._discard_worker()
        elif done.ended in ("died", "disk"):
            self._discard_worker()
            self._drop_sandbox()

    def _discard_worker(self) -> Completed | None:
        """End the worker and everything else in the sandbox; how the worker ended, if known."""
        process, self._process, self._line = self._process, None, None
        done = None
        if process is not None:
            with contextlib.suppress(*_FAULTS):
                process.channel.close()
            with contextlib.suppress(*_FAULTS):
                done = process.wait(timeout_s=_END_GRACE_S)
        if self._sandbox is not None and self._touched:
            try:
                self._sandbox.kill_all()
            except _FAULTS:
                self._drop_sandbox()
        if done is not None:
            self.worker_output = (self.worker_output + done.stdout + done.stderr)[-65536:]
        return done

    def _drop_sandbox(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        self._process = self._line = None
        if sandbox is not None:
            with contextlib.suppress(*_FAULTS):
                sandbox.stop()


def _inside(place: str, name: str) -> str:
    return name if name.startswith("/") else f"{place.rstrip('/')}/{name}"


def _exit_code(done: Completed, limit: float) -> int:
    """The exit code of a program that ended by itself.

    Raises:
        CandidateFailure: it did not, or its output was cut off.
    """
    program = done.argv[0] if done.argv else "program"
    if done.ended == "timeout":
        raise CandidateTimeout(f"{program} did not end in {limit:g} s")
    if done.ended in ("memory", "disk"):
        raise CandidateResource(f"{program} went over its {done.ended} limit")
    if done.ended == "signal":
        raise CandidateDied(f"{program} was ended by signal {done.signal}")
    if done.ended != "exit" or done.exit_code is None:
        raise CandidateDied(f"{program} went down with its sandbox")
    if done.truncated:
        raise CandidateResource(f"{program} went over its output limit")
    return done.exit_code
