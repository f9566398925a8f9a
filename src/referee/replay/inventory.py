"""Trees of regular files: walked without following a link, copied and hashed in one pass."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from referee.evidence.roots import path_problem
from referee.replay.record import FileFact, Inventory

_BLOCK = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Rejected(Exception):
    """What a candidate wrote may not be used: a reason of `failures.py`, the path, a sentence."""

    def __init__(self, reason: str, path: str, detail: str):
        self.reason, self.path, self.detail = reason, path, detail
        super().__init__(f"{reason}: {path!r} {detail}")


def files_in(root: Path, skip: Callable[[str], bool] = lambda path: False) -> Iterator[str]:
    """The regular files below `root`, as paths relative to it. `skip` leaves out a file or folder.

    Raises:
        Rejected: a link, a special file, a hard link, or a name that no path may have.
    """
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if skip(path):
                continue
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise Rejected("symlink", path, "is a symbolic link")
            if problem := _name_problem(path):
                raise Rejected("bad_path", path, problem)
            if stat.S_ISDIR(status.st_mode):
                pending.append(path)
            elif not stat.S_ISREG(status.st_mode):
                raise Rejected("special_file", path, "is no regular file")
            elif status.st_nlink != 1:
                raise Rejected("hard_link", path, f"has {status.st_nlink} names")
            else:
                yield path


def inventory_of(root: Path, skip: Callable[[str], bool] = lambda path: False) -> Inventory:
    """Size, digest and execute bit of each file; raises as `files_in`."""
    return {path: _fact(root / path) for path in sorted(files_in(root, skip))}


def copy_files(source: Path, target: Path, paths: Iterable[str]) -> Inventory:
    """Copy files into a folder that has none of them; returns what was copied.

    Raises:
        Rejected: one is no longer a regular file with one name.
        OSError: the machine cannot write, or a file is there already.
    """
    made: Inventory = {}
    for path in sorted(paths):
        place = target / path
        place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        made[path] = _fact(source / path, place)
    return made


def require_no_collisions(paths: Iterable[str]) -> None:
    """Refuse names that some file system takes for one.

    Raises:
        Rejected: two paths (or folders) differ in case or Unicode normalisation alone.
    """
    seen: dict[str, str] = {}
    for path in sorted(paths):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            prefix = "/".join(parts[:depth])
            if (other := seen.setdefault(folded(prefix), prefix)) != prefix:
                raise Rejected("path_collision", prefix, f"is the same name as {other!r}")


def folded(path: str) -> str:
    """A path without case and Unicode normalisation."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _name_problem(path: str) -> str | None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "is not UTF-8"
    return path_problem(path)


def _fact(path: Path, copy_to: Path | None = None) -> FileFact:
    digest, size = sha256(), 0
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise Rejected("special_file", path.name, "changed while it was read")
        executable = bool(status.st_mode & 0o111)
        mode = 0o755 if executable else 0o644
        writer = None if copy_to is None else os.open(copy_to, _CREATE, mode)
        try:
            while block := os.read(descriptor, _BLOCK):
                digest.update(block)
                size += len(block)
                if writer is not None:
                    _write(writer, block)
            if writer is not None:
                os.fchmod(writer, mode)
        finally:
            if writer is not None:
                os.close(writer)
    finally:
        os.close(descriptor)
    return FileFact(size=size, sha256=digest.hexdigest(), executable=executable)


def _write(descriptor: int, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[os.write(descriptor, view) :]
