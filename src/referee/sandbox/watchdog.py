"""What no kernel limit counts: disk space and files of the workspace, CPU time of the whole, and
memory of programs that reserve more address space than they use."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from referee.sandbox.cgroup import Group
from referee.sandbox.protocol import Limits
from referee.sandbox.resident import resident_bytes

POLL_S = 0.2
BLOCK = 512
LONG_PATH = 2000
MAX_DEPTH = 64
"""How often a walk starts anew below closed or very deep folders; only an attack needs more, and
counts as a full disk."""
Breach = Literal["disk", "timeout", "memory"]


@dataclass(frozen=True)
class Usage:
    """Allocated bytes and number of entries of a tree; `complete` is False past a cap."""

    bytes: int
    files: int
    complete: bool


_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPENAT2, _NO_LINKS = 437, 0x04
"""The number of the call `openat2` on every architecture, and its RESOLVE_NO_SYMLINKS."""
_LIBRARY = ctypes.CDLL(None, use_errno=True)


def _open_below(base: int, path: str, flags: int) -> int:
    """Open a folder below `base` by a path in which no part may be a link: the candidate swaps
    folders for links while we walk, and the walk must neither leave the tree nor fail for it.

    Raises:
        OSError: ELOOP for a link anywhere in the path; others as of `os.open`.
    """
    how = struct.pack("=QQQ", flags | _FOLDER, 0, _NO_LINKS)
    fd: int = _LIBRARY.syscall(
        *map(ctypes.c_long, (_OPENAT2, base)), os.fsencode(path), how, ctypes.c_long(len(how))
    )
    if fd < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), path)
    return fd


@contextlib.contextmanager
def _forced_open(name: str, parent: int) -> Iterator[int]:
    """Open a folder that its owner, our own user, has closed; closed again after the block.

    Raises:
        _Full: it, or a folder above it, is closed again under our hands: only an attack does that.
    """
    with contextlib.ExitStack() as undo:
        try:
            handle = _open_below(parent, name, os.O_PATH)
            undo.callback(os.close, handle)
            place, mode = f"/proc/self/fd/{handle}", stat.S_IMODE(os.fstat(handle).st_mode)
            os.chmod(place, mode | stat.S_IRWXU)  # noqa: PTH101
            undo.callback(os.chmod, place, mode)
            fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            undo.callback(os.close, fd)
        except PermissionError as error:
            raise _Full from error
        yield fd


@contextlib.contextmanager
def _whatever_vanishes() -> Iterator[None]:
    """Pass over a folder that is gone, or no folder any more, since it was listed."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise


class _Full(Exception):
    """A cap was passed; there is no need to look further."""


class _Walk:
    """Adds up a tree. Links are not followed, and what vanishes meanwhile is not counted."""

    def __init__(self, max_bytes: int, max_files: int):
        self._max_bytes, self._max_files = max_bytes, max_files
        self._seen: set[int] = set()
        self.bytes = self.files = 0

    def below(self, base: int, start: str, depth: int = 0) -> None:
        """Count what lies below the folder `start` of the folder `base`."""
        stack = [start]
        while stack:
            inner = stack.pop()
            if len(os.fsencode(inner)) > LONG_PATH:
                self._from_here(base, inner, depth)
                continue
            with _whatever_vanishes():
                try:
                    fd = _open_below(base, inner, os.O_RDONLY)
                    try:
                        stack += [f"{inner}/{name}" for name in self._folder(fd)]
                    finally:
                        os.close(fd)
                except PermissionError as error:
                    if error.errno == errno.EPERM:  # the call itself is forbidden on this machine
                        raise
                    if depth == MAX_DEPTH:
                        raise _Full from error
                    with _forced_open(inner, base) as fd:
                        self.below(fd, ".", depth + 1)

    def _from_here(self, base: int, inner: str, depth: int) -> None:
        """Go on from a folder so deep that the kernel would refuse longer paths."""
        if depth == MAX_DEPTH:
            raise _Full
        with _whatever_vanishes():
            fd = _open_below(base, inner, os.O_PATH)
            try:
                self.below(fd, ".", depth + 1)
            finally:
                os.close(fd)

    def _folder(self, fd: int) -> list[str]:
        """Count the entries of one folder; the names of its folders."""
        folders = []
        with os.scandir(fd) as entries:
            for entry in entries:
                try:
                    info = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                self.files += 1
                if stat.S_ISDIR(info.st_mode):
                    folders.append(entry.name)
                elif info.st_nlink > 1 and info.st_ino in self._seen:
                    continue
                self._seen.add(info.st_ino)
                self.bytes += info.st_blocks * BLOCK
                if self.bytes > self._max_bytes or self.files > self._max_files:
                    raise _Full
        return folders


def measure(root: Path, *, max_bytes: int, max_files: int) -> Usage:
    """What a tree uses on disk, walked no further than a cap.

    Allocated blocks are counted, not lengths, so that a sparse file costs what it costs; a file
    with several names is counted once. Folders that were closed against their owner are entered.
    """
    walk = _Walk(max_bytes, max_files)
    parent = os.open(root.parent, os.O_PATH | _FOLDER)
    try:
        walk.below(parent, root.name)
    except _Full:
        return Usage(walk.bytes, walk.files, False)
    finally:
        os.close(parent)
    return Usage(walk.bytes, walk.files, True)


def _processes(group: Group, init: int | None) -> Iterator[int]:
    """Host process ids of what runs inside: from a control group, else down from process 1."""
    members = group.members()
    if members is not None:
        yield from members
        return
    stack = [init] if init is not None else []
    while stack:
        pid = stack.pop()
        yield pid
        with contextlib.suppress(OSError, ValueError):  # it may end while we look
            for path in Path(f"/proc/{pid}/task").glob("*/children"):
                stack += map(int, path.read_text().split())


def held_bytes(pids: Iterable[int], excluded: frozenset[int]) -> int:
    """Disk space of deleted files that are still open, which no walk of the tree can see.

    `excluded` are device numbers of the temporary filesystems, whose space is bounded otherwise.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            with os.scandir(f"/proc/{pid}/fd") as entries:
                links = [entry.path for entry in entries]
        except OSError:
            continue
        for link in links:
            try:
                info = os.stat(link)  # noqa: PTH116
            except OSError:
                continue
            gone = stat.S_ISREG(info.st_mode) and info.st_nlink == 0
            if gone and info.st_dev not in excluded:
                sizes[info.st_dev, info.st_ino] = info.st_blocks * BLOCK
    return sum(sizes.values())


def _devices(init: int) -> frozenset[int]:
    """The temporary filesystems of a sandbox, and where anonymous memory files live."""
    found = set()
    for place in (f"/proc/{init}/root/tmp", f"/proc/{init}/root/dev/shm"):
        try:
            found.add(os.stat(place).st_dev)  # noqa: PTH116
        except OSError:
            continue
    fd = os.memfd_create("referee", os.MFD_CLOEXEC)
    found.add(os.fstat(fd).st_dev)
    os.close(fd)
    return frozenset(found)


class Watchdog:
    """A thread that looks every 0.2 s (less often where a look takes long) and reports a breach."""

    def __init__(
        self, upper: Path | None, limits: Limits, group: Group, on_breach: Callable[[Breach], None]
    ):
        self._upper, self._limits, self._group = upper, limits, group
        self._on_breach = on_breach
        self._stopped = threading.Event()
        self._look_s = 0.0
        self._init: int | None = None
        self.failure: OSError | None = None
        self._excluded: frozenset[int] = frozenset()

    def inside(self, init: int | None) -> None:
        """Say which host process is process 1 of the sandbox, once it is known."""
        if init is not None:
            self._excluded = _devices(init)
            self._init = init

    def start(self) -> None:
        """Begin to look."""
        threading.Thread(target=self._loop, name="referee-watch", daemon=True).start()

    def stop(self) -> None:
        """Stop looking; does not wait for the thread."""
        self._stopped.set()

    def look(self, *, thorough: bool = True) -> Breach | None:
        """Look once; a thorough look also counts deleted files that are still open."""
        begun = time.monotonic()
        try:
            return self._breach(thorough)
        finally:
            self._look_s = time.monotonic() - begun

    def quick_look(self) -> Breach | None:
        """Look once unless the tree is so large that a look takes noticeable time."""
        return self.look(thorough=False) if self._look_s < 0.005 else None

    def _breach(self, thorough: bool) -> Breach | None:
        used = self._group.cpu_s()
        if used is not None and used > self._limits.cpu_s:
            return "timeout"
        if thorough and self._holds_too_much():
            return "memory"
        if self._upper is None:
            return None
        caps = {"max_bytes": self._limits.disk_bytes, "max_files": self._limits.disk_files}
        try:
            used_disk = measure(self._upper, **caps)
        except FileNotFoundError:
            return None
        held = 0
        if thorough and self._init is not None:
            held = held_bytes(_processes(self._group, self._init), self._excluded)
        ok = used_disk.complete and used_disk.bytes + held <= self._limits.disk_bytes
        return None if ok else "disk"

    def _holds_too_much(self) -> bool:
        if not self._limits.reserve_bytes or self._group.method("memory") is not None:
            return False
        most = self._limits.memory_bytes
        ok = resident_bytes(_processes(self._group, self._init), most) <= most
        return not ok

    def _loop(self) -> None:
        breach: Breach | None
        while not self._stopped.wait(max(POLL_S, 4 * self._look_s)):
            try:
                breach = self.look()
            except OSError as error:  # blind is not the same as well: end it, and say why
                self.failure = error
                breach = "disk"
            if breach is not None and not self._stopped.is_set():
                self._on_breach(breach)
                return
