"""A folder of records as one hash: every file, link and folder below it, by name and content."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from referee.record.canonical import canonical_json, sha256_bytes, sha256_file


def folder_digest(folder: Path) -> str:
    """SHA-256 over every entry below `folder`: path, kind (and whether it is executable), content.

    Unlike a `Tree`, it sees empty folders and special files, so nothing can be added unseen.

    Raises:
        OSError: something below cannot be read.
    """
    return sha256_bytes(canonical_json(sorted(_rows(folder, ""))))


def _rows(folder: Path, prefix: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + os.fsencode(entry.name).decode("utf-8", "backslashreplace")
            path = Path(entry.path)
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                rows.append([name, "folder", ""])
                rows.extend(_rows(path, name + "/"))
            elif stat.S_ISREG(info.st_mode):
                kind = "program" if info.st_mode & 0o111 else "file"
                rows.append([name, kind, sha256_file(path)])
            elif stat.S_ISLNK(info.st_mode):
                rows.append([name, "link", sha256_bytes(os.fsencode(path.readlink()))])
            else:
                rows.append([name, f"special {stat.S_IFMT(info.st_mode):o}", ""])
    return rows


def irregular_entries(folder: Path) -> list[str]:
    """Paths below `folder` that are neither a regular file nor a folder."""
    found = []
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(place) / name
            mode = path.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                found.append(path.relative_to(folder).as_posix())
    return sorted(found)


def fsync_folder(folder: Path) -> None:
    """Make every file and folder below `folder`, and `folder` itself, durable."""
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            _fsync(Path(place) / name, os.O_RDONLY | os.O_NOFOLLOW)
        _fsync(Path(place), os.O_RDONLY | os.O_DIRECTORY)


def _fsync(path: Path, flags: int) -> None:
    fd = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
