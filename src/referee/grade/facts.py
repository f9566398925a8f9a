"""Which grader it was: the version and one digest over all code that can move a verdict."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from referee import __version__
from referee.record.canonical import sha256_json
from referee.record.tree import scan_tree
from referee.record.verdict import GraderFacts

_ROOMS = (
    "record",
    "metric",
    "evidence",
    "task",
    "environment",
    "data",
    "sandbox",
    "submission",
    "wall",
    "replay",
    "judge",
    "grade",
)


@cache
def grader_facts() -> GraderFacts:
    """Version and code digest of the grader that runs now."""
    package = Path(__file__).resolve().parents[1]
    digests = {
        f"{room}/{path}": entry.sha256
        for room in _ROOMS
        for path, entry in scan_tree(package / room).files.items()
        if path.endswith(".py")
    }
    return GraderFacts(version=__version__, code_digest=sha256_json(digests))
