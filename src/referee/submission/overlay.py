"""The change that a workspace's upper directory holds, computed on the trusted side.

The upper belongs to the candidate, and no process of the candidate is alive when it is read.
Every step is relative to an open folder and follows no link, so nothing in it can lead outside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from referee.record.canonical import sha256_bytes
from referee.record.fault import Infrastructure
from referee.record.tree import EXECUTABLE, REGULAR, SYMLINK, Tree
from referee.submission.apply import Applied, settle, tree_reader
from referee.submission.policy import Policy, path_fault
from referee.submission.refusal import Reason, Refusal, Refused

MOST_ENTRIES = 200_000
"""More entries than this in an upper directory are not walked."""

_NAMESPACES = ("user.overlay.", "trusted.overlay.")
_HARMLESS = frozenset({"origin", "impure", "nlink", "uuid", "protattr", "upper"})
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def collect_overlay(base: Tree, base_dir: Path, upper: Path, policy: Policy) -> Applied | Refusal:
    """What the overlay `upper` makes of `base` (whose files lie in `base_dir`), or why it is
    refused: the first reason in the order of the paths.

    Caches, build outputs and repositories' own files are dropped and named in `ignored`. Files
    that were touched but are equal to the baseline are no change.

    Raises:
        Infrastructure: `upper` is no folder, or the baseline is not what it was.
    """
    walk = _Walk(base, policy)
    try:
        top = os.stat(upper, follow_symlinks=False)  # noqa: PTH116
    except OSError as error:
        raise Infrastructure("upper_unreadable", f"{upper}: {error.strerror}") from error
    if not stat.S_ISDIR(top.st_mode):
        raise Infrastructure("upper_unreadable", f"{upper}: it is no folder")
    try:
        with _opened(None, str(upper), ".", top, os.O_DIRECTORY) as fd:
            walk.folder(fd, "")
        walk.check_deletions()
        read = tree_reader(base, base_dir)
        return settle(
            base, read, walk.changes, walk.modes, policy, ignored=tuple(sorted(walk.ignored))
        )
    except Refused as refused:
        return refused.refusal


@dataclass
class _Walk:
    """The changes found so far."""

    base: Tree
    policy: Policy
    changes: dict[str, bytes | None] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    entries: int = 0
    bytes_read: int = 0

    @cached_property
    def below(self) -> dict[str, list[str]]:
        """Files of the baseline by each folder above them."""
        found: dict[str, list[str]] = {}
        for path in self.base.files:
            for i, c in enumerate(path):
                if c == "/":
                    found.setdefault(path[:i], []).append(path)
        return found

    def folder(self, fd: int, path: str) -> None:
        """Take in an open folder of the upper; `path` is empty for the root."""
        marks = _overlay_marks(fd, path)
        if path in self.base.files and path:
            self.delete_file(path)
        if marks.get("opaque") == b"y":
            self.delete_below(path)
        for name in sorted(_names(fd, path)):
            self.entries += 1
            if self.entries > MOST_ENTRIES:
                raise Refused("too_many_files", None, f"more than {MOST_ENTRIES} entries")
            self.entry(fd, name, f"{path}/{name}" if path else name)

    def entry(self, parent: int, name: str, path: str) -> None:
        if self.policy.ignored(path):
            self.ignored.append(path.encode("utf-8", "backslashreplace").decode())
            return
        if (fault := path_fault(path)) is not None:
            raise Refused("bad_path", path, fault)
        info = os.stat(name, dir_fd=parent, follow_symlinks=False)
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            with _opened(parent, name, path, info, os.O_DIRECTORY) as fd:
                self.folder(fd, path)
        elif kind == stat.S_IFCHR and info.st_rdev == 0:
            self.delete_file(path)
            self.delete_below(path)
        elif kind == stat.S_IFREG:
            self.regular(parent, name, path, info)
        elif kind == stat.S_IFLNK:
            self.link(parent, name, path)
        else:
            device = kind in (stat.S_IFCHR, stat.S_IFBLK)
            reason: Reason = "device" if device else "special_file"
            raise Refused(reason, path, "only regular files can be handed in")

    def regular(self, parent: int, name: str, path: str, info: os.stat_result) -> None:
        if info.st_nlink > 1:
            raise Refused("hard_link", path, "the file has a second name")
        entry = self.base.files.get(path)
        base_size = 0 if entry is None else entry.size
        cap = self.policy.cap(base_size)
        if info.st_size > cap:
            self.refuse(self.policy.check(path))
            self.refuse(self.policy.oversize(path))
        with _opened(parent, name, path, info, 0) as fd:
            _overlay_marks(fd, path)
            data = _read_capped(fd, cap)
        mode = EXECUTABLE if info.st_mode & 0o111 else REGULAR
        if entry is not None and (entry.mode, entry.sha256) == (mode, sha256_bytes(data)):
            self.changes.pop(path, None)
            return
        if entry is None:
            self.delete_below(path)
        self.refuse(self.policy.check(path))
        self.refuse(self.policy.check_content(path, data, base_size))
        self.bytes_read += max(len(data) - base_size, 0)
        if self.bytes_read > self.policy.max_bytes:
            self.refuse(self.policy.oversize(path))
        self.changes[path] = data
        self.modes[path] = mode
        if len(self.modes) > self.policy.max_files:
            self.refuse(self.policy.overcount())

    def link(self, parent: int, name: str, path: str) -> None:
        entry = self.base.files.get(path)
        target = os.fsencode(os.readlink(name, dir_fd=parent))
        same = (SYMLINK, sha256_bytes(target))
        if entry is None or (entry.mode, entry.sha256) != same:
            raise Refused("symlink", path, "a submission may not have symbolic links")
        self.changes.pop(path, None)

    def delete_below(self, path: str) -> None:
        for each in self.below.get(path, ()) if path else tuple(self.base.files):
            if not self.policy.ignored(each):
                self.delete_file(each)

    def delete_file(self, path: str) -> None:
        if path in self.base.files:
            self.changes[path] = None

    def check_deletions(self) -> None:
        """At the end, because a folder that was made anew may hold the same files again."""
        for path in sorted(path for path, data in self.changes.items() if data is None):
            self.refuse(self.policy.check(path))

    def refuse(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            raise Refused(refusal.reason, refusal.path, refusal.detail)


@contextmanager
def _opened(
    parent: int | None, name: str, path: str, seen: os.stat_result, flags: int
) -> Iterator[int]:
    """An open descriptor of the very thing that `seen` describes. A candidate may take its own
    read permission away, which root would not notice, so it is asked for in so many words."""
    needed = 0o500 if flags & os.O_DIRECTORY else 0o400
    if seen.st_mode & needed != needed:
        raise Refused("unreadable", path, "the owner may not read it")
    try:
        fd = os.open(name, _READ | flags, dir_fd=parent)
    except OSError as error:
        raise Refused("unreadable", path, os.strerror(error.errno or 0)) from error
    try:
        info = os.fstat(fd)
        if (info.st_dev, info.st_ino) != (seen.st_dev, seen.st_ino):
            raise Infrastructure("upper_changed", f"{path} changed while it was read")
        yield fd
    finally:
        os.close(fd)


def _names(fd: int, path: str) -> list[str]:
    names: list[str] = []
    with os.scandir(fd) as found:
        for each in found:
            names.append(each.name)
            if len(names) > MOST_ENTRIES:
                raise Refused("too_many_files", path, f"more than {MOST_ENTRIES} entries")
    return names


def _read_capped(fd: int, cap: int) -> bytes:
    data = bytearray()
    while len(data) <= cap and (block := os.read(fd, min(1 << 20, cap + 1 - len(data)))):
        data += block
    return bytes(data)


def _overlay_marks(fd: int, path: str) -> dict[str, bytes]:
    """The overlay's own attributes of an open file or folder, by their short names.

    Raises:
        Refused: one of them means that the content lies elsewhere.
    """
    try:
        names = os.listxattr(fd)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.EPERM):
            return {}
        if error.errno in (errno.E2BIG, errno.ERANGE):
            raise Refused("overlay_metadata", path, "it has too many attributes") from error
        raise Infrastructure("upper_unreadable", f"{path}: {error.strerror}") from error
    marks: dict[str, bytes] = {}
    for name in names:
        for space in _NAMESPACES:
            short = name.removeprefix(space)
            if short == name or short in _HARMLESS or short.startswith("overlay."):
                continue
            marks[short] = os.getxattr(fd, name)
    odd = sorted(key for key, value in marks.items() if (key, value) != ("opaque", b"y"))
    if odd:
        raise Refused("overlay_metadata", path, f"the overlay attribute {odd[0]} is not understood")
    return marks
