"""The parts of a task package, each with a digest: what a stage of the authoring freezes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from referee.record.canonical import sha256_json
from referee.task.package import TaskPackage, package_files

Stage = Literal["screen", "freeze", "abstract", "validate"]

PARTS_OF_STAGE: Mapping[Stage, tuple[str, ...]] = {
    "screen": ("source",),
    "freeze": ("source", "lock", "reproduce"),
    "abstract": ("public",),
    "validate": ("task", "solution", "baseline"),
}
"""`source` is where the snapshot comes from, `lock` its dependencies, `reproduce` the program that
shows the anomaly, `public` all that an agent sees, `task` all that moves a score, `solution` the
reference and the right and wrong repairs beside it, `baseline` the locked checks."""

_FILES: Mapping[str, tuple[str, ...]] = {
    "source": ("environment/source.toml",),
    "lock": ("environment/requirements.lock",),
    "reproduce": ("environment/public/reproduce.py",),
    "public": ("instruction.md", "environment/"),
    "solution": ("solution/",),
    "baseline": ("tests/baseline.json",),
}


def package_parts(task: TaskPackage) -> dict[str, str]:
    """The digest of each part at its present content; a part without files has one, too."""
    files = {
        path: [entry.mode, entry.sha256] for path, entry in package_files(task.root).files.items()
    }
    parts = {"task": task.digest}
    for name, starts in _FILES.items():
        parts[name] = sha256_json({p: e for p, e in files.items() if _within(p, starts)})
    return parts


def _within(path: str, starts: tuple[str, ...]) -> bool:
    return any(path == s or (s.endswith("/") and path.startswith(s)) for s in starts)
