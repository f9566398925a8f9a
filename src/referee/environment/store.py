"""The store: a folder of content-addressed things that are built once and never changed.

<root>/snapshot/<digest>/    source trees           <root>/env/<digest>/      Python environments
<root>/python/<digest>/      copied interpreters    <root>/runtime/<digest>/  our own programs
<root>/release/<digest>/     fixed releases         <root>/downloads/         archives by hash
<root>/scratch/              live workspaces        <root>/pool/              shared files
<root>/build/<digest>/       what building an untouched snapshot makes
<root>/agent/<digest>/       command-line agents    <root>/model/<digest>/    weights of a model
<root>/data/<digest>/        data for agents        <root>/hidden-data/<digest>/  for evaluators
<root>/sets/                 which data a task has at present
<root>/locks/                one lock per thing under construction or in use
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from referee.environment.users import use_store
from referee.record.atomic import fsync_directory
from referee.record.canonical import sha256_bytes, sha256_json
from referee.record.fault import BadInput, Infrastructure

KINDS = (
    "snapshot",
    "env",
    "python",
    "runtime",
    "release",
    "build",
    "agent",
    "model",
    "data",
    "hidden-data",
)
PRIVATE = ("release", "downloads", "pool", "hidden-data", "sets")
"""Folders that nobody but referee's own user may enter, and that no sandbox ever mounts."""

_PARTIAL = re.compile(r"\.(?P<digest>[0-9a-f]{64})\.[^.]+")


def default_root() -> Path:
    """`$REFEREE_STORE`, else `/var/cache/referee` for root and `~/.cache/referee` for others."""
    if given := os.environ.get("REFEREE_STORE"):
        return Path(given).expanduser().absolute()
    if os.geteuid() == 0:
        return Path("/var/cache/referee")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "referee"


def world_can_reach(path: Path) -> Path | None:
    """The first folder from `/` down to `path` that other users may not enter, or None."""
    for folder in [*reversed(path.parents), path]:
        if folder.exists() and not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


@dataclass(frozen=True)
class Store:
    """A store below `root`. Use `open_store` to get one that exists and can be used."""

    root: Path

    def path(self, kind: str, digest: str) -> Path:
        """Where a finished thing lies."""
        return self.root / kind / digest

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the named lock; other processes that want it wait."""
        fd = os.open(self.root / "locks" / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def publish(self, kind: str, digest: str, build: Callable[[Path], None]) -> Path:
        """The finished `kind/digest`, built by `build(folder)` if it is not there yet.

        `build` fills a temporary folder that gets its name by one rename at the end, so that an
        interrupted build leaves nothing that could be taken for a finished one.
        """
        target = self.path(kind, digest)
        if target.is_dir():
            return target
        with self.lock(f"{kind}-{digest}"):
            if target.is_dir():
                return target
            for leftover in target.parent.glob(f".{digest}.*"):
                remove_tree(leftover)
            partial = Path(tempfile.mkdtemp(prefix=f".{digest}.", dir=target.parent))
            try:
                partial.chmod(0o755)
                build(partial)
                if kind != "runtime":
                    flush_filesystem(partial)
                partial.rename(target)
            except OSError as error:
                remove_tree(partial)
                raise_fault(error)
            except BaseException:
                remove_tree(partial)
                raise
            fsync_directory(target.parent)
        return target

    @contextlib.contextmanager
    def hold(self, kind: str, digest: str) -> Iterator[None]:
        """Keep a finished thing from being pruned while it is in use; holders share."""
        name = self.root / "locks" / f"{kind}-{digest}"
        fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_SH)
            yield
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def try_lock(self, name: str) -> Iterator[bool]:
        """True while the named lock is held by us, False when another process has it."""
        fd = os.open(self.root / "locks" / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(fd)

    def touch(self, kind: str, digest: str) -> None:
        """Remember that a finished thing was used now (its folder's time; not its contents')."""
        with contextlib.suppress(OSError):
            os.utime(self.path(kind, digest))

    def sweep(self) -> int:
        """Remove what interrupted builds left, unless it is under construction; return how many."""
        removed = 0
        for kind in (*KINDS, "downloads"):
            for partial in (self.root / kind).glob(".*"):
                if not (found := _PARTIAL.fullmatch(partial.name)):
                    continue
                with self.try_lock(f"{kind}-{found['digest']}") as ours:
                    if ours and partial.is_dir():
                        remove_tree(partial)
                        removed += 1
        return removed

    def runtime(self, files: Mapping[str, tuple[bytes, int]]) -> Path:
        """A world-readable folder that holds our own small programs: name -> (bytes, mode)."""
        digest = sha256_json({n: [sha256_bytes(data), mode] for n, (data, mode) in files.items()})

        def build(folder: Path) -> None:
            for name, (data, mode) in files.items():
                path = folder / name
                for parent in reversed(path.relative_to(folder).parents[:-1]):
                    (folder / parent).mkdir(exist_ok=True)
                    (folder / parent).chmod(0o755)
                with path.open("wb") as stream:
                    stream.write(data)
                    os.fchmod(stream.fileno(), mode)
                    stream.flush()
                    os.fsync(stream.fileno())

        return self.publish("runtime", digest, build)

    def scratch(self, prefix: str) -> Path:
        """A new private folder for one live workspace; the caller removes it.

        Its name says which process on which machine made it, so that `prune` can tell the dead.
        """
        name = f"{prefix}.{this_machine()}.{os.getpid()}.{process_start(os.getpid())}."
        return Path(tempfile.mkdtemp(prefix=name, dir=self.root / "scratch"))


def this_machine() -> str:
    """Eight hex digits that name this boot of this machine and our view of its processes."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    text = boot.read_text() if boot.exists() else os.uname().nodename
    return sha256_bytes(f"{text}{Path('/proc/self/ns/pid').stat().st_ino}".encode())[:8]


def process_start(pid: int) -> int | None:
    """When a process started, in clock ticks since boot, or None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    return int(text.rpartition(")")[2].split()[19])


def flush_filesystem(folder: Path) -> None:
    """Bring a finished build to the disk before its name appears, so that a power cut cannot leave
    a name in front of empty files."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(fd) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(folder))
    finally:
        os.close(fd)


def remove_tree(path: Path) -> None:
    """Remove a tree of any depth, folders that forbid entry included (an overlay's work folder has
    mode 000). Every folder is first moved up to the top: a candidate may have made a tree whose
    paths are longer than the kernel takes, and deeper than a recursion goes."""
    if not path.exists():
        return
    moved = f".removed-{secrets.token_hex(8)}-"
    pending, count = [path], 0
    while pending:
        folder = pending.pop()
        folder.chmod(0o700)
        with os.scandir(folder) as found:
            entries = list(found)
        for entry in entries:
            place = Path(entry.path)
            if not entry.is_dir(follow_symlinks=False):
                place.unlink()
                continue
            if folder != path:
                place.chmod(0o700)  # its owner may move it only when it may be written
                place = place.rename(path / f"{moved}{count}")
                count += 1
            pending.append(place)
        if folder != path:
            folder.rmdir()
    path.rmdir()


def open_store(root: Path | None = None) -> Store:
    """Create or open the store.

    Raises:
        BadInput: the folder cannot be made, or a sandbox user could not reach it.
    """
    store = Store(root or default_root())
    try:
        make_folders(store.root)
        for name in (*KINDS, "downloads", "pool", "scratch", "locks", "sets"):
            folder = store.root / name
            if not folder.is_dir():
                folder.mkdir(exist_ok=True)
                folder.chmod(0o700 if name in PRIVATE else 0o755)
    except OSError as error:
        raise BadInput(
            f"the store cannot be made ({error.strerror})",
            where=store.root,
            hint="set REFEREE_STORE to a folder that you may write",
        ) from error
    if os.geteuid() == 0 and (closed := world_can_reach(store.root)):
        raise BadInput(
            f"sandboxes run as another user and may not enter {closed}",
            where=store.root,
            hint="set REFEREE_STORE to a folder that all may enter, such as /var/cache/referee",
        )
    use_store(store.root)
    store.sweep()
    return store


def make_folders(path: Path) -> None:
    """Make a folder and those above it, each enterable by all whatever the umask is."""
    for folder in [*reversed(path.parents), path]:
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)


def raise_fault(error: OSError) -> NoReturn:
    """Raise what `disk_guard` makes of an error."""
    fault = disk_guard(error)
    if fault is error:
        raise error
    raise fault from error


def disk_guard(error: OSError) -> Exception:
    """Turn a full disk into the fault that says so; other errors are returned as they are."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Infrastructure("disk_full", f"no space left at {error.filename or 'the store'}")
    return error
