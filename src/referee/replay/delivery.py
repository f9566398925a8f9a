"""What a candidate handed in: nothing, the starter, no entry point, or a delivery."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from referee.record.canonical import sha256_file
from referee.replay.record import ENTRYPOINT, Delivery, DeliveryClass

CACHE_NAMES = frozenset(
    {"__pycache__", ".cache", ".run_home", ".pytest_cache", ".ipynb_checkpoints"}
)
_BYTECODE = (".pyc", ".pyo")


def classify(submission: Path, starter: Path, generated_roots: Collection[str]) -> Delivery:
    """Compare what is in `submission` with the pristine starter; links are not followed, times
    and generated roots do not count. A folder that is not there is an absent delivery."""
    skip = not_source(generated_roots)
    ours, theirs = dict(_marks(submission, skip)), dict(_marks(starter, skip))
    visible = [path for path in ours if not path.split("/")[0].startswith(".")]
    entry = submission / ENTRYPOINT
    has_entrypoint = os.path.lexists(entry) and (entry.is_symlink() or entry.is_file())
    kind: DeliveryClass = "delivered"
    if not visible:
        kind = "absent"
    elif ours == theirs:
        kind = "starter_only"
    elif not has_entrypoint:
        kind = "missing_entrypoint"
    return Delivery(
        delivery=kind,
        file_count=len(visible),
        has_entrypoint=has_entrypoint,
        differs_from_starter=ours != theirs,
    )


def not_source(generated_roots: Collection[str]) -> Callable[[str], bool]:
    """Whether a path is a generated root, a cache or byte code, and so no part of the source."""
    roots = frozenset(generated_roots)

    def skip(path: str) -> bool:
        name = path.rpartition("/")[2]
        return path in roots or name in CACHE_NAMES or name.endswith(_BYTECODE)

    return skip


def _marks(root: Path, skip: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    pending = [""] if root.is_dir() else []
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as found:
            for entry in found:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if skip(path):
                    continue
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    pending.append(path)
                elif stat.S_ISREG(mode):
                    yield path, sha256_file(root / path)
                else:
                    yield path, f"mode {stat.S_IFMT(mode):o}"
