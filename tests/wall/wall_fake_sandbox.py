"""A sandbox that isolates nothing: plain local processes in a folder, for tests of the wall."""

from __future__ import annotations

import dataclasses
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.protocol import WORKSPACE, Completed, Enforcement
from referee.sandbox.session import SandboxDown
from referee.wall import worker

WORKER = worker.__file__
MEMORY = 2 << 30


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _completed(argv: Sequence[str], code: int, out: bytes, err: bytes, wall: float) -> Completed:
    return Completed(
        tuple(argv),
        "exit" if code >= 0 else "signal",
        code if code >= 0 else None,
        -code if code < 0 else None,
        out,
        err,
        False,
        wall,
        0.0,
        0,
    )


class FakeProcess:
    def __init__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self.argv = argv
        self.channel, theirs = socket.socketpair()
        self.output = tempfile.TemporaryFile()  # noqa: SIM115
        self.popen = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env={**env, "REFEREE_CHANNEL": str(theirs.fileno())},
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.output,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            preexec_fn=_limit_memory,
        )
        theirs.close()

    def wait(self, timeout_s: float | None = None) -> Completed:
        """As the real one: killed, and `ended` is `timeout`, when it takes longer."""
        overdue = False
        try:
            self.popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            overdue = True
            self.kill()
        code = self.popen.wait()
        self.output.seek(0)
        done = _completed(self.argv, code, self.output.read(), b"", 0.0)
        return dataclasses.replace(done, ended="timeout", exit_code=None) if overdue else done

    def kill(self) -> None:
        if self.popen.poll() is None:
            os.killpg(self.popen.pid, signal.SIGKILL)


class FakeSandbox:
    """`broken` makes its start fail, as a machine without user namespaces would."""

    def __init__(
        self, workspace: Path, env: Mapping[str, str] | None = None, *, broken: bool = False
    ) -> None:
        self.workspace = workspace
        self.env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(workspace), **(env or {})}
        self.broken = broken
        self.down = False
        self.processes: list[FakeProcess] = []
        self.started = self.stopped = 0

    @property
    def enforcement(self) -> tuple[Enforcement, ...]:
        return (Enforcement("memory", "rlimit", str(MEMORY)),)

    def start(self) -> None:
        if self.broken:
            raise Infrastructure("sandbox_start", "this one never starts")
        self.started += 1

    def _path(self, path: str) -> Path:
        return Path(path.replace(WORKSPACE, str(self.workspace), 1))

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout_s: float | None = None,
        output_bytes: int | None = None,
    ) -> Completed:
        if self.down:
            return Completed(tuple(argv), "died", None, None, b"", b"", False, 0.0, 0.0, 0)
        begun = time.monotonic()
        try:
            done = subprocess.run(
                list(argv),
                cwd=self._path(cwd),
                env={**self.env, **(env or {})},
                input=stdin,
                capture_output=True,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired:
            return Completed(tuple(argv), "timeout", None, None, b"", b"", False, 0.0, 0.0, 0)
        wall = time.monotonic() - begun
        return _completed(argv, done.returncode, done.stdout, done.stderr, wall)

    def spawn(
        self, argv: Sequence[str], *, cwd: str = WORKSPACE, env: Mapping[str, str] | None = None
    ) -> FakeProcess:
        if self.down:
            raise SandboxDown("ended")
        process = FakeProcess(argv, self._path(cwd), {**self.env, **(env or {})})
        self.processes.append(process)
        return process

    def read(self, path: str, *, max_bytes: int) -> bytes:
        return self._path(path).read_bytes()[:max_bytes]

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        self._path(path).write_bytes(data)

    def kill_all(self) -> None:
        for process in self.processes:
            process.kill()

    def stop(self) -> None:
        self.stopped += 1
        self.kill_all()


def opener(request):  # type: ignore[no-untyped-def]
    """For `CheckRequest.opener`: the overlay's upper folder is the whole workspace."""
    return FakeSandbox(request.sandbox.overlay.upper, request.sandbox.env)


PYTHON = sys.executable


def broken_opener(request):  # type: ignore[no-untyped-def]
    """A machine on which no sandbox starts."""
    return FakeSandbox(request.sandbox.overlay.upper, broken=True)


def refusing_opener(request):  # type: ignore[no-untyped-def]
    """A machine that cannot do what is asked."""
    raise BadInput("no limit can be set", where="here", hint="use another machine")
