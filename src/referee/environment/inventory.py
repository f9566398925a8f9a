"""What lies in a store, how much disk it takes, and taking it out again."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.environment.store import (
    KINDS,
    Store,
    process_start,
    remove_tree,
    this_machine,
)
from referee.environment.users import sole_user

_BLOCK = 512
_SHARED = ("runtime", "build")
"""Kinds that running trials do not hold one by one."""
_RECENT_S = 3600.0
_STRANGERS_S = 7 * 86_400.0
"""Workspaces of other machines on a shared disk are left alone for this long."""


@dataclass(frozen=True)
class StoreRow:
    """One thing in a store. `bytes` is the disk that it adds to the rows before it: a file that
    several things share is counted once. `what` is for people; `used` is seconds since 1970."""

    kind: str
    digest: str
    bytes: int
    what: str
    used: float


def list_store(store: Store) -> list[StoreRow]:
    """Every finished thing, then downloads, shared files and live workspaces, one row each."""
    seen: set[tuple[int, int]] = set()
    rows = []
    for kind in KINDS:
        for path in _finished(store, kind):
            what = _describe(kind, path)
            rows.append(
                StoreRow(kind, path.name, _unique_bytes(path, seen), what, path.stat().st_mtime)
            )
    for path in sorted((store.root / "downloads").iterdir()):
        names = sorted(p.name for p in path.iterdir()) if path.is_dir() else []
        what = "uv's cache" if path.name == "uv" else ", ".join(names)
        rows.append(
            StoreRow("downloads", path.name, _unique_bytes(path, seen), what, path.stat().st_mtime)
        )
    for name, what in (("pool", "files that snapshots share"), ("scratch", "live workspaces")):
        path = store.root / name
        rows.append(StoreRow(name, "", _unique_bytes(path, seen), what, path.stat().st_mtime))
    return rows


@dataclass(frozen=True)
class DiskShare:
    """The disk of one task: `alone` if nothing were shared, `added` to what stands before it."""

    name: str
    alone: int
    added: int


def disk_shares(folders: Mapping[str, Sequence[Path]]) -> list[DiskShare]:
    """What the folders of each name take in bytes of disk, in the order given; a file that several
    folders share by hard links is added once."""
    seen: set[tuple[int, int]] = set()
    shares = []
    for name, paths in folders.items():
        own: set[tuple[int, int]] = set()
        alone = sum(_unique_bytes(path, own) for path in paths)
        added = sum(_unique_bytes(path, seen) for path in paths)
        shares.append(DiskShare(name, alone, added))
    return shares


def prune(
    store: Store, keep: Collection[str] = (), *, downloads: bool = False, unused_s: float = 0.0
) -> int:
    """Remove what is not in `keep` (digests), not in use and not used for `unused_s` seconds;
    return the bytes of disk that became free.

    While another process uses the store, our own programs and builds are left alone, and so is all
    that was used in the last hour: it may have been prepared for a run that holds it only later.
    Workspaces of processes that have ended and leftovers of interrupted work always go. Archives
    and uv's cache go only with `downloads`, because without them a rebuild needs the network.
    """
    before = disk_bytes(store)
    store.sweep()
    _sweep_scratch(store)
    kept = set(keep) | _interpreters_of(store, keep)
    with sole_user(store.root) as alone:
        idle_s = unused_s if alone else max(unused_s, _RECENT_S)
        for kind in KINDS:
            if kind in _SHARED and not alone:
                continue
            for path in _finished(store, kind):
                if path.name not in kept and time.time() - path.stat().st_mtime >= idle_s:
                    _remove(store, kind, path)
    if downloads:
        _sweep_downloads(store, kept)
    _sweep_pool(store)
    return max(0, before - disk_bytes(store))


def disk_bytes(store: Store) -> int:
    """Disk that the whole store takes, hard links counted once."""
    return _unique_bytes(store.root, set())


def _finished(store: Store, kind: str) -> list[Path]:
    return sorted(p for p in (store.root / kind).iterdir() if not p.name.startswith("."))


def _unique_bytes(root: Path, seen: set[tuple[int, int]]) -> int:
    total = 0
    for path in (str(root), *_walk(root)):
        with contextlib.suppress(OSError):
            info = os.stat(path, follow_symlinks=False)  # noqa: PTH116
            key = (info.st_dev, info.st_ino)
            if key not in seen:
                seen.add(key)
                total += info.st_blocks * _BLOCK
    return total


def _walk(root: Path) -> Iterator[str]:
    """Everything below a folder; what vanishes or may not be read is passed over."""
    waiting = [str(root)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            yield entry.path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def _describe(kind: str, path: Path) -> str:
    """One line for people, from the facts that a build left beside its result."""
    facts = _facts(path / "facts.json")
    if kind == "env" and facts:
        packages = facts.get("packages", {})
        return f"Python {facts.get('python')}, {len(packages)} packages"
    if kind in ("snapshot", "release") and facts:
        return f"{facts.get('name')} {facts.get('version')}"
    if kind == "python":
        return ", ".join(sorted(p.name for p in (path / "bin").glob("python3.*")))
    if kind in ("data", "hidden-data") and (told := _facts(path / "provenance.json")):
        return f"{told.get('task')} ({told.get('size')}), {len(told.get('files', {}))} files"
    with contextlib.suppress(OSError):
        names = sorted(p.name for p in path.iterdir())
        return ", ".join(names[:3])
    return ""


def _facts(path: Path) -> dict[str, Any]:
    try:
        loaded = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _remove(store: Store, kind: str, path: Path) -> None:
    """Take a thing away under its lock, by a rename first, so that no half of it can be used."""
    with store.try_lock(f"{kind}-{path.name}") as ours:
        if ours and path.is_dir():
            gone = path.with_name(f".{path.name}.gone")
            path.rename(gone)
            remove_tree(gone)


def _interpreters_of(store: Store, environments: Collection[str]) -> set[str]:
    """The copied Pythons on which some environments and agents stand."""
    facts = [
        _facts(store.path(kind, digest) / "facts.json")
        for kind in ("env", "agent")
        for digest in environments
    ]
    return {str(fact["interpreter"]) for fact in facts if fact.get("interpreter")}


def _sweep_scratch(store: Store) -> None:
    for folder in (store.root / "scratch").iterdir():
        if _is_dead(folder):
            remove_tree(folder)


def _is_dead(folder: Path) -> bool:
    """True when the process that a workspace is named after has ended, or when it belongs to
    another machine (or an earlier boot) and is old."""
    parts = folder.name.split(".")
    if len(parts) < 5 or not parts[-3].isdigit():
        return False
    machine, pid, start = parts[-4], int(parts[-3]), parts[-2]
    if machine != this_machine():
        with contextlib.suppress(OSError):
            return time.time() - folder.stat().st_mtime > _STRANGERS_S
        return False
    return str(process_start(pid)) != start


def _sweep_downloads(store: Store, kept: set[str]) -> None:
    for folder in (store.root / "downloads").iterdir():
        if folder.name in kept:
            continue
        name = "uv-cache" if folder.name == "uv" else f"downloads-{folder.name}"
        with store.try_lock(name) as ours:
            if ours:
                remove_tree(folder)


def _sweep_pool(store: Store) -> None:
    """Files that no snapshot links to any more."""
    for entry in os.scandir(store.root / "pool"):
        with contextlib.suppress(FileNotFoundError):
            if entry.stat(follow_symlinks=False).st_nlink == 1:
                Path(entry.path).unlink()
