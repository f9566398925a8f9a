"""Frozen evidence as the roots that `referee.evidence` reads."""

from __future__ import annotations

from pathlib import Path

from referee.evidence.roots import Evidence, Root, RootKind
from referee.replay.record import INPUTS, OUTPUTS, SOURCE


def evidence_of(folder: Path, task: Path) -> Evidence:
    """The evidence of a replay folder, with the paper and the references of a task's package.
    Folders that are not there are no roots."""
    places: dict[RootKind, Path] = {
        "source": folder / SOURCE,
        "inputs": folder / INPUTS,
        "outputs": folder / OUTPUTS,
        "paper": task / "environment" / "paper",
        "refs": task / "tests" / "refs",
    }
    return Evidence({kind: Root(kind, place) for kind, place in places.items() if place.is_dir()})
