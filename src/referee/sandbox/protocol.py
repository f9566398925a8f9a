"""What a sandbox is: a few methods, and the plain data that they exchange."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

WORKSPACE = "/workspace"
ENVIRONMENT = "/opt/env"

Ended = Literal["exit", "signal", "timeout", "memory", "disk", "died"]
"""How a command ended: by itself, by a signal, by the wall-clock limit, by the memory limit, by
the disk limit, or because the sandbox itself went down under it."""


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use. Sizes in bytes, times in seconds. `reserve_bytes` is address space
    that a program may lay claim to beside `memory_bytes` without using it."""

    memory_bytes: int = 4 << 30
    processes: int = 512
    file_bytes: int = 2 << 30
    disk_bytes: int = 2 << 30
    disk_files: int = 200_000
    tmp_bytes: int = 1 << 30
    shm_bytes: int = 256 << 20
    open_files: int = 4096
    cpu_s: float = 7200.0
    wall_s: float = 3600.0
    output_bytes: int = 8 << 20
    reserve_bytes: int = 0


@dataclass(frozen=True)
class Enforcement:
    """How one limit or policy is enforced: `by` is `cgroup-v1`, `cgroup-v2`, `rlimit`, `watchdog`,
    `tmpfs`, `namespace`, `seccomp` or `uid`; `value` is what was set."""

    limit: str
    by: str
    value: str


@dataclass(frozen=True)
class Capabilities:
    """What a backend can enforce on this machine, each with the reason when it cannot."""

    backend: str
    version: str
    network_none: bool
    overlay: bool
    memory: str
    processes: str
    disk: str
    uid_separation: bool
    survivors_killed: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mount:
    """A read-only bind of a host path (file or directory) at an absolute path inside."""

    source: Path
    target: str


@dataclass(frozen=True)
class Overlay:
    """A writable view of read-only `lowers` (bottom first); writes land in `upper` on the host."""

    lowers: tuple[Path, ...]
    upper: Path
    work: Path
    target: str = WORKSPACE


@dataclass(frozen=True)
class SandboxSpec:
    """Everything that is inside a sandbox. `interpreter` is the inside path of a Python >= 3.8 that
    the exec server runs on; `path` and `env` are the whole environment of its commands."""

    interpreter: str
    mounts: tuple[Mount, ...] = ()
    overlay: Overlay | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()


@dataclass(frozen=True)
class Completed:
    """A command that ended. `exit_code` is None unless `ended == "exit"`."""

    argv: tuple[str, ...]
    ended: Ended
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    truncated: bool
    wall_s: float
    cpu_s: float
    max_rss_bytes: int


class Process(Protocol):
    """A command that runs beside others; `channel` is our end of a stream socket whose other end
    the command holds at the descriptor named by its environment variable REFEREE_CHANNEL."""

    channel: socket.socket

    def wait(self, timeout_s: float | None = None) -> Completed: ...

    def kill(self) -> None: ...


class Sandbox(Protocol):
    """One isolated place for one phase of a trial."""

    @property
    def enforcement(self) -> tuple[Enforcement, ...]: ...

    def start(self) -> None: ...

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout_s: float | None = None,
        output_bytes: int | None = None,
    ) -> Completed: ...

    def spawn(
        self, argv: Sequence[str], *, cwd: str = WORKSPACE, env: Mapping[str, str] | None = None
    ) -> Process: ...

    def listen(self, port: int) -> socket.socket: ...

    def read(self, path: str, *, max_bytes: int) -> bytes: ...

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None: ...

    def kill_all(self) -> None: ...

    def stop(self) -> None: ...
