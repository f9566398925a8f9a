"""How bwrap is started: as another user, with no environment and its arguments out of sight.

The kernel sends bwrap its parent-death signal when the *thread* that started it ends, so every one
is started from a thread that lives as long as the process.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from referee.environment.identity import Identity
from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.cgroup import Group

USERNS_HINT = (
    "allow unprivileged user namespaces (sysctl user.max_user_namespaces, "
    "kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns)"
)
_NO_NAMESPACES = (
    "No permissions to create",
    "Creating new namespace failed",
    "setting up uid map",
    "Failed to make / slave",
    "unprivileged_userns",
)


@functools.cache
def _launcher(_pid: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="referee-launch")


@dataclass
class Launched:
    """A running bwrap: `monitor` is the process outside, `errors` reads what it complains about."""

    monitor: subprocess.Popen[bytes]
    errors: int
    info: int

    def complaint(self) -> str:
        """What bwrap, or the exec server before it answered, wrote to its standard error."""
        os.set_blocking(self.errors, False)
        with contextlib.suppress(OSError):
            return os.read(self.errors, 1 << 16).decode(errors="replace").strip()
        return ""

    def init_pid(self) -> int | None:
        """The host's number of the sandbox's process 1."""
        with contextlib.suppress(OSError):
            text = os.read(self.info, 4096).decode(errors="replace")
            _, _, tail = text.partition('"child-pid":')
            digits = "".join(c for c in tail.lstrip()[:12] if c.isdigit())
            return int(digits) if digits else None
        return None

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of bwrap, thus of everything inside; False if it is still there."""
        if self.monitor.returncode is not None:
            return True
        try:
            pidfd = os.pidfd_open(self.monitor.pid)
        except OSError:  # a kernel before 5.3
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.monitor.wait(timeout_s)
            return self.monitor.returncode is not None
        try:
            poll = select.poll()
            poll.register(pidfd, select.POLLIN)
            if not poll.poll(timeout_s * 1000):
                return False
        finally:
            os.close(pidfd)
        self.monitor.wait()
        return True

    def close(self) -> None:
        """Close the descriptors."""
        for name in ("errors", "info"):
            fd: int = getattr(self, name)
            if fd >= 0:
                setattr(self, name, -1)
                os.close(fd)


@contextlib.contextmanager
def _pipe_pair() -> Iterator[list[int]]:
    """A pipe whose ends are closed at the end of the block unless taken out of the list."""
    ends = list(os.pipe2(os.O_CLOEXEC))
    try:
        yield ends
    finally:
        for fd in ends:
            if fd >= 0:
                os.close(fd)


def _take(ends: list[int], index: int) -> int:
    fd, ends[index] = ends[index], -1
    return fd


def launch(
    program: Path,
    arguments: Sequence[str],
    command: Sequence[str],
    *,
    identity: Identity,
    filter_program: bytes,
    stdin: int,
    stdout: int,
    group: Group,
) -> Launched:
    """Start bwrap inside the control groups; it waits for its arguments until it is in them.

    Raises:
        Infrastructure: it could not be started.
    """
    with _pipe_pair() as words, _pipe_pair() as rules, _pipe_pair() as info, _pipe_pair() as errors:
        os.write(rules[1], filter_program)
        os.close(_take(rules, 1))
        inherited = (words[0], rules[0], info[1])

        def start() -> subprocess.Popen[bytes]:
            with group.joined():
                return subprocess.Popen(
                    [program, "--args", str(words[0]), "--", *command],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=errors[1],
                    env={},
                    cwd="/",
                    pass_fds=inherited,
                    start_new_session=True,
                    umask=0o022,
                    user=identity.uid if identity.dropped else None,
                    group=identity.gid if identity.dropped else None,
                    extra_groups=[] if identity.dropped else None,
                )

        try:
            monitor = _launcher(os.getpid()).submit(start).result()
        except (OSError, subprocess.SubprocessError) as error:
            raise Infrastructure("sandbox_start", f"bwrap cannot be started: {error}") from error
        launched = Launched(monitor, _take(errors, 0), _take(info, 0))
        for ends, index in ((words, 0), (rules, 0), (info, 1), (errors, 1)):
            os.close(_take(ends, index))
        full = [
            *("--seccomp", str(inherited[1]), "--info-fd", str(inherited[2])),
            *arguments,
        ]
        try:
            group.add(monitor.pid)
            data = b"\0".join(map(os.fsencode, full)) + b"\0"
            with contextlib.suppress(BrokenPipeError):  # its own complaint says more
                while data:
                    data = data[os.write(words[1], data) :]
        except BaseException as error:
            monitor.kill()
            monitor.wait()
            launched.close()
            if isinstance(error, OSError):
                raise Infrastructure("sandbox_start", f"bwrap cannot be set up: {error}") from error
            raise
    return launched


def parent_of(pid: int) -> int | None:
    """The parent of a host process; None when there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def start_fault(complaint: str) -> Exception:
    """The fault for what bwrap said when it did not start."""
    line = complaint.splitlines()[-1] if complaint else "bwrap ended without a word"
    if any(sign in complaint for sign in _NO_NAMESPACES):
        return BadInput(f"this machine does not allow sandboxes ({line})", hint=USERNS_HINT)
    if "source path" in complaint and "Permission denied" in complaint:
        return BadInput(
            f"the sandbox user may not reach a folder ({line})",
            hint="put it into the store, or let every user enter its parent folders",
        )
    return Infrastructure("sandbox_start", line)
