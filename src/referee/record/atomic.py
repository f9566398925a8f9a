"""Writes that are whole or absent: temporary file, fsync, rename, fsync of the directory."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def fsync_directory(path: Path) -> None:
    """Make renames inside `path` durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write `data` to `path` so that a reader sees the old file or the new one, never a part.

    Raises:
        OSError: the disk is full or the directory cannot be written; `path` is as it was.
    """
    fd, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    fsync_directory(path.parent)


def append_durable(path: Path, line: bytes) -> None:
    """Append one line and fsync; `line` must end in a newline and is written by a single call."""
    if not line.endswith(b"\n"):
        raise ValueError("a ledger line must end in a newline")
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        written = os.write(fd, line)
        if written != len(line):
            raise OSError(f"short write to {path}: {written} of {len(line)} bytes")
        os.fsync(fd)
    finally:
        os.close(fd)
