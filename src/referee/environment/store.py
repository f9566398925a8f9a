"""The store: a folder of content-addressed things that are built once and never changed.

<root>/snapshot/<digest>/    source trees           <root>/env/<digest>/      Python environments
<root>/python/<digest>/      copied interpreters    <root>/runtime/<digest>/  our own programs
<root>/downloads/            archives by hash       <root>/scratch/           live workspaces
<root>/locks/                one lock per thing under construction
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.record.atomic import fsync_directory
from referee.record.canonical import sha256_bytes, sha256_json
from referee.record.fault import BadInput, Infrastructure

KINDS = ("snapshot", "env", "python", "runtime")


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
            partial = Path(tempfile.mkdtemp(prefix=f".{digest[:16]}.", dir=target.parent))
            try:
                partial.chmod(0o755)
                build(partial)
                partial.rename(target)
            except BaseException:
                remove_tree(partial)
                raise
            fsync_directory(target.parent)
        return target

    def runtime(self, files: Mapping[str, tuple[bytes, int]]) -> Path:
        """A world-readable folder that holds our own small programs: name -> (bytes, mode)."""
        digest = sha256_json({n: [sha256_bytes(data), mode] for n, (data, mode) in files.items()})

        def build(folder: Path) -> None:
            for name, (data, mode) in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(mode)

        return self.publish("runtime", digest, build)

    def scratch(self, prefix: str) -> Path:
        """A new private folder for one live workspace; the caller removes it."""
        return Path(tempfile.mkdtemp(prefix=f"{prefix}.", dir=self.root / "scratch"))


def remove_tree(path: Path) -> None:
    """Remove a tree, folders that forbid entry included (an overlay's work folder has mode 000)."""
    if not path.exists():
        return
    for folder, folders, _files in os.walk(path):
        for name in folders:
            inner = Path(folder, name)
            if not inner.is_symlink():
                inner.chmod(0o700)
    shutil.rmtree(path)


def open_store(root: Path | None = None) -> Store:
    """Create or open the store.

    Raises:
        BadInput: the folder cannot be made, or a sandbox user could not reach it.
    """
    store = Store(root or default_root())
    try:
        for name in (*KINDS, "downloads", "scratch", "locks"):
            (store.root / name).mkdir(parents=True, exist_ok=True, mode=0o755)
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
            hint="set REFEREE_STORE to a folder that every user may enter, such as /var/cache/referee",
        )
    return store


def disk_guard(error: OSError) -> Exception:
    """Turn a full disk into the fault that says so; other errors are returned as they are."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Infrastructure("disk_full", f"no space left at {error.filename or 'the store'}")
    return error
