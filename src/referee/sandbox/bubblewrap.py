"""The default backend: one bubblewrap sandbox with an exec server as its process 1."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store
from referee.record.fault import Infrastructure
from referee.sandbox import root
from referee.sandbox.assembly import filter_for, root_arguments
from referee.sandbox.binary import bwrap_binary
from referee.sandbox.cgroup import Group
from referee.sandbox.command import Hooks, Supervision
from referee.sandbox.launch import Launched, launch, parent_of, start_fault
from referee.sandbox.limits import check_limits, plan_limits
from referee.sandbox.overlay import check_overlay
from referee.sandbox.program import server_command, server_folder
from referee.sandbox.protocol import (
    ENVIRONMENT,
    WORKSPACE,
    Completed,
    Ended,
    Enforcement,
    SandboxSpec,
)
from referee.sandbox.running import Running
from referee.sandbox.session import (
    CHANNEL_FD,
    CHANNEL_VARIABLE,
    Order,
    SandboxDown,
    Session,
    wait_until_ready,
)
from referee.sandbox.watchdog import Breach, Watchdog

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 5.0

BASE_ENV = {
    "PATH": f"{ENVIRONMENT}/bin:/usr/bin:/bin",
    "HOME": root.HOME,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TMPDIR": "/tmp",
}
"""What every command's environment starts from; `SandboxSpec.env`, then the call's, go on top."""


class Bubblewrap:
    """One isolated place for one phase of a trial; implements `Sandbox`.

    Use it as a context manager, or call `start` and `stop`. It can be started once.
    """

    def __init__(self, spec: SandboxSpec, store: Store):
        self.spec, self._store = spec, store
        self._identity = sandbox_identity()
        self._lock = threading.Lock()
        self._enforcement: tuple[Enforcement, ...] = ()
        self._launched: Launched | None = None
        self._session: Session | None = None
        self._group = Group({})
        self._watchdog: Watchdog | None = None
        self._init: int | None = None
        self._broken: Breach | None = None
        self._stopped = False

    @property
    def enforcement(self) -> tuple[Enforcement, ...]:
        """How each limit and policy is enforced; empty before `start`."""
        return self._enforcement

    def __enter__(self) -> Bubblewrap:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # -- life

    def start(self) -> None:
        """Start the sandbox; returns when commands can run.

        Raises:
            BadInput: something asked for is missing or cannot be enforced here.
            Infrastructure: the machine failed (`sandbox_start`).
        """
        if self._launched is not None or self._stopped:
            raise RuntimeError("a sandbox can be started once")
        check_limits(self.spec.limits)
        if self.spec.overlay is not None:
            check_overlay(self.spec.overlay)
        program = bwrap_binary(self._store)
        server = server_folder(self.spec, self._store)
        arguments = root_arguments(self.spec, self._store, server)
        self._group = Group.create(self.spec.limits)
        try:
            self._launch(program.path, arguments)
        except BaseException:
            self.stop()
            raise

    def _launch(self, program: Path, arguments: Sequence[str]) -> None:
        plan = plan_limits(self.spec, self._group, dropped=self._identity.dropped)
        rules = filter_for(refuse_shared_memory=self._group.method("memory") is None)
        ours, theirs = socket.socketpair()
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        try:
            self._launched = launch(
                program,
                arguments,
                server_command(self.spec.interpreter),
                identity=self._identity,
                filter_program=rules,
                stdin=theirs.fileno(),
                stdout=null,
                group=self._group,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(null)
        upper = self.spec.overlay.upper if self.spec.overlay else None
        self._watchdog = Watchdog(upper, self.spec.limits, self._group, self._on_breach)
        self._watchdog.start()
        if not wait_until_ready(ours, START_TIMEOUT_S):
            ours.close()
            ended = self._launched.wait(1.0)
            complaint = self._launched.complaint()
            if not ended and not complaint:
                complaint = f"the exec server did not answer within {START_TIMEOUT_S:.0f} s"
            raise start_fault(complaint)
        self._init = self._launched.init_pid()
        self._watchdog.inside(self._init)
        self._session = Session(ours, self._identity, plan.rlimits)
        self._enforcement = plan.enforcement

    def stop(self) -> None:
        """End the sandbox: when this returns, nothing that ran inside is alive. Idempotent."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            if self._watchdog is not None:
                self._watchdog.stop()
            if self._session is not None:
                self._session.close()
            if self._launched is not None:
                if self._session is None or not self._launched.wait(STOP_TIMEOUT_S):
                    self._tear_down()
                    self._launched.wait(STOP_TIMEOUT_S)
                self._launched.close()
            self._group.remove()

    def _tear_down(self) -> None:
        """Kill process 1 and bwrap from outside; the kernel takes the rest with them."""
        launched = self._launched
        if launched is None or launched.monitor.returncode is not None:
            return
        # its parent is our own child, so the number cannot have passed on to another process
        if self._init is not None and parent_of(self._init) == launched.monitor.pid:
            with contextlib.suppress(OSError):
                os.kill(self._init, signal.SIGKILL)
                if launched.wait(STOP_TIMEOUT_S):
                    return
        launched.monitor.kill()

    def kill_all(self) -> None:
        """Kill everything that runs inside; the sandbox stays usable."""
        session = self._session
        if session is not None and not self._stopped and not session.kill_all():
            self._tear_down()

    def _on_breach(self, breach: Breach) -> None:
        self._broken = self._broken or breach
        self.kill_all()

    # -- commands

    def _hooks(self) -> Hooks:
        return Hooks(
            on_timeout=self.kill_all,
            give_up=self._tear_down,
            breach=self._broken_limit,
            oom_kills=self._group.oom_kills,
        )

    def _broken_limit(self) -> Ended | None:
        watchdog = self._watchdog
        if self._broken is None and watchdog is not None:
            self._broken = watchdog.quick_look()
        if watchdog is not None and watchdog.failure is not None:
            raise Infrastructure("sandbox_watch", f"the workspace: {watchdog.failure}")
        return self._broken

    def _environment(self, env: Mapping[str, str] | None) -> dict[str, str]:
        return {**BASE_ENV, **self.spec.env, **(env or {})}

    def _supervision(
        self,
        order: Order,
        *,
        stdin: bytes = b"",
        timeout_s: float | None = None,
        output_bytes: int | None = None,
        channel: socket.socket | None = None,
    ) -> tuple[Supervision, Session, int]:
        session = self._session
        if session is None:
            raise RuntimeError("the sandbox has not been started")
        if self._stopped or self._broken is not None:
            raise SandboxDown("the sandbox has ended")
        limits = self.spec.limits
        wall = limits.wall_s if timeout_s is None else min(timeout_s, limits.wall_s)
        begun = time.monotonic()
        hooks = self._hooks()
        oom_kills = hooks.oom_kills()
        pipes = session.start(order, channel)
        supervision = Supervision(
            tuple(map(str, order.argv)),
            pipes,
            hooks,
            stdin=stdin,
            output_bytes=limits.output_bytes if output_bytes is None else output_bytes,
            deadline=begun + wall,
            oom_kills=oom_kills,
        )
        return supervision, session, pipes.ident

    def _gone(self, argv: Sequence[str]) -> Completed:
        ended: Ended = self._broken or "died"
        return Completed(tuple(argv), ended, None, None, b"", b"", False, 0.0, 0.0, 0)

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
        """Run a command to its end. A program that is not there ends with code 127, as in a shell.

        At most `output_bytes` are kept of each of its two streams. On timeout everything inside is
        killed, not only this command. A sandbox that is down, or over its disk limit, gives an end
        without running anything.
        """
        order = Order("exec", argv, cwd, self._environment(env))
        try:
            supervision, _, _ = self._supervision(
                order, stdin=stdin, timeout_s=timeout_s, output_bytes=output_bytes
            )
        except SandboxDown:
            return self._gone(argv)
        return supervision.run()

    def spawn(
        self, argv: Sequence[str], *, cwd: str = WORKSPACE, env: Mapping[str, str] | None = None
    ) -> Running:
        """Start a command that runs beside others, with a channel to it.

        Raises:
            SandboxDown: the sandbox has ended.
        """
        ours, theirs = socket.socketpair()
        values = {**self._environment(env), CHANNEL_VARIABLE: str(CHANNEL_FD)}
        try:
            supervision, session, ident = self._supervision(
                Order("exec", argv, cwd, values), channel=theirs
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return Running(ours, supervision, session, ident)

    def listen(self, port: int) -> socket.socket:
        """A listening socket at 127.0.0.1:`port` inside, held by us: what is connected to it in
        there is answered out here, and there is no other way out.

        Raises:
            SandboxDown: the sandbox has ended.
            OSError: the port cannot be had.
        """
        if self._session is None:
            raise RuntimeError("the sandbox has not been started")
        if self._stopped or self._broken is not None:
            raise SandboxDown("the sandbox has ended")
        return self._session.listen(port)

    def read(self, path: str, *, max_bytes: int) -> bytes:
        """The content of a regular file inside, opened by a process inside.

        Raises:
            OSError: it cannot be read, is no regular file (EINVAL) or is larger (EFBIG).
        """
        done = self._copy(Order("read", [path, max_bytes + 1], "/", {}), output_bytes=max_bytes)
        if done.truncated:
            raise OSError(errno.EFBIG, f"larger than {max_bytes} bytes", path)
        return done.stdout

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Write a file inside, by a process inside; missing folders above it are made.

        Raises:
            OSError: it cannot be written.
        """
        self._copy(Order("write", [path, mode], "/", {}), stdin=data)

    def _copy(self, order: Order, *, stdin: bytes = b"", output_bytes: int = 0) -> Completed:
        path = str(order.argv[0])
        try:
            supervision, _, _ = self._supervision(order, stdin=stdin, output_bytes=output_bytes)
        except SandboxDown as error:
            raise OSError(errno.EPIPE, "the sandbox has ended", path) from error
        done = supervision.run()
        if done.ended != "exit":
            raise OSError(errno.EIO, f"the copy ended by {done.ended}", path)
        if done.exit_code:
            raise OSError(done.exit_code, os.strerror(done.exit_code), path)
        return done
