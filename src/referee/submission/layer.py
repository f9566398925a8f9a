"""A submission as an overlay layer: laid over the snapshot it gives the patched tree."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.record.fault import Infrastructure
from referee.record.tree import EXECUTABLE, Tree
from referee.submission.apply import Applied

LAYER_MTIME = 1_750_000_000
"""Seconds since the epoch for everything in a layer. It is later than the time stamps of
snapshots, so that neither byte code nor build steps take a patched file for an old one."""


def write_layer(applied: Applied, layer_dir: Path, base: Tree) -> Path:
    """Write the changed files and the whiteouts of the deleted ones into `layer_dir`, which must
    be absent or empty; returns it. A folder whose files are all deleted is whited out as a whole.

    Raises:
        Infrastructure: the machine cannot write the layer (`layer_write`), or the folder is not
            empty (`layer_not_empty`).
    """
    try:
        layer_dir.mkdir(mode=0o755, parents=True, exist_ok=True)
        layer_dir.chmod(0o755)
        if any(layer_dir.iterdir()):
            raise Infrastructure("layer_not_empty", f"{layer_dir} has files already")
        for path in whiteouts(applied, base):
            _folder(layer_dir, path)
            os.mknod(layer_dir / path, stat.S_IFCHR | 0o600, os.makedev(0, 0))
        for path, data in sorted(applied.changes.items()):
            if data is not None:
                _folder(layer_dir, path)
                _file(layer_dir / path, data, applied.modes[path])
        _settle_ownership(layer_dir)
    except OSError as error:
        raise Infrastructure("layer_write", f"{layer_dir}: {error.strerror}") from error
    return layer_dir


def whiteouts(applied: Applied, base: Tree) -> list[str]:
    """The fewest paths that must be hidden: whole folders where nothing of them is left.

    A path that a new file or folder takes over needs no whiteout, except that a new folder in the
    place of an old one is merged with it, and so hides its old files one by one.
    """
    kept = _folders(applied.tree.files)
    out: set[str] = set()
    for path, data in applied.changes.items():
        if data is not None:
            continue
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            prefix = "/".join(parts[:depth])
            if prefix in applied.tree.files:
                break
            if prefix not in kept:
                out.add(prefix)
                break
    return sorted(out)


def _folders(paths: Iterable[str]) -> set[str]:
    return {path[:i] for path in paths for i, c in enumerate(path) if c == "/"}


def _folder(root: Path, path: str) -> None:
    parent = (root / path).parent
    parent.mkdir(mode=0o755, parents=True, exist_ok=True)


def _file(place: Path, data: bytes, mode: str) -> None:
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with os.fdopen(fd, "wb") as stream:
        stream.write(data)
        os.fchmod(stream.fileno(), 0o755 if mode == EXECUTABLE else 0o644)


def _settle_ownership(root: Path) -> None:
    """Owner, folder modes and times, deepest first, whatever umask and clock say."""
    who = sandbox_identity()
    for folder, _, names in os.walk(root, topdown=False):
        here = Path(folder)
        here.chmod(0o755)
        for place in [*(here / name for name in names), here]:
            if who.dropped:
                os.chown(place, who.uid, who.gid, follow_symlinks=False)
            os.utime(place, (LAYER_MTIME, LAYER_MTIME), follow_symlinks=False)
