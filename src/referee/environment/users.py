"""Which processes use a store: each holds one shared lock from its first use to its end.

Our own small programs (kind `runtime`) and builds are too many and too short-lived to be held one
by one, so `prune` takes them away only when no other process uses the store.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

_NAME = "store-in-use"
_guard = threading.Lock()
_held: dict[tuple[int, Path], int] = {}


def use_store(root: Path) -> None:
    """Say that this process uses the store, until it ends."""
    with _guard:
        key = (os.getpid(), root)
        if key not in _held:
            fd = os.open(root / "locks" / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(fd, fcntl.LOCK_SH)
            _held[key] = fd


@contextlib.contextmanager
def sole_user(root: Path) -> Iterator[bool]:
    """True while no other process uses the store, and none may begin to."""
    use_store(root)
    fd = _held[(os.getpid(), root)]
    with _guard:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # A refused upgrade gives the shared lock up.
            fcntl.flock(fd, fcntl.LOCK_SH)
            yield False
            return
        try:
            yield True
        finally:
            fcntl.flock(fd, fcntl.LOCK_SH)
