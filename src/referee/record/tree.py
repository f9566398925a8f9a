"""A file tree as data: path -> mode, size and content hash; its digest names the whole tree."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from referee.record.canonical import canonical_json, sha256_bytes, sha256_file

REGULAR = "100644"
EXECUTABLE = "100755"
SYMLINK = "120000"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: git-style `mode`, `size` in bytes, `sha256` of its bytes (or of a link's target)."""

    mode: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Tree:
    """Files by POSIX path relative to the root, sorted; directories exist only through files.

    Paths that are not UTF-8 are kept by `surrogateescape`.
    """

    files: Mapping[str, Entry]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the sorted list of path, mode and content hash."""
        rows = [
            [os.fsencode(path).hex() if not path.isprintable() else path, e.mode, e.sha256]
            for path, e in sorted(self.files.items())
        ]
        return sha256_bytes(canonical_json(rows))

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)


def entry_of(path: Path) -> Entry:
    """The entry of a regular file or symbolic link on disk.

    Raises:
        ValueError: `path` is neither (a device, a socket, a FIFO or a directory).
    """
    info = path.lstat()
    if stat.S_ISLNK(info.st_mode):
        target = os.fsencode(path.readlink())
        return Entry(SYMLINK, len(target), sha256_bytes(target))
    if not stat.S_ISREG(info.st_mode):
        raise ValueError(f"{path} is not a regular file")
    mode = EXECUTABLE if info.st_mode & 0o111 else REGULAR
    return Entry(mode, info.st_size, sha256_file(path))


def scan_tree(root: Path) -> Tree:
    """Hash every file below `root` (links are not followed)."""
    files: dict[str, Entry] = {}
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in sorted(names + links):
            path = Path(folder) / name
            files[path.relative_to(root).as_posix()] = entry_of(path)
    return Tree(dict(sorted(files.items())))


def tree_to_json(tree: Tree) -> dict[str, list[str | int]]:
    """JSON form of a tree: path -> [mode, size, sha256]."""
    return {path: [e.mode, e.size, e.sha256] for path, e in sorted(tree.files.items())}


def tree_from_json(value: Mapping[str, list[str | int]]) -> Tree:
    """Inverse of `tree_to_json`.

    Raises:
        ValueError: a row does not have the three fields.
    """
    files = {}
    for path, row in value.items():
        mode, size, digest = row
        files[path] = Entry(str(mode), int(size), str(digest))
    return Tree(dict(sorted(files.items())))
