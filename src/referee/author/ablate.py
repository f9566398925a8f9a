"""Hunk ablation: is every hunk of the reference needed?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.author.hunks import ReferenceHunk, reference_hunks
from referee.author.variant import Workpiece, is_python, same_program
from referee.record.fault import BadInput
from referee.submission.apply import Applied
from referee.submission.refusal import Refused
from referee.task.model import Cosmetic


@dataclass(frozen=True)
class Ablation:
    """The reference without one hunk. `cosmetic` is why no check needs it: the author's reason, or
    that the program is the same without it; None if some check must fail without it."""

    hunk: ReferenceHunk
    applied: Applied
    cosmetic: str | None
    declared: bool


def ablations(work: Workpiece, declared: Sequence[Cosmetic], where: Path) -> tuple[Ablation, ...]:
    """One ablation for each hunk of the reference, in the order of its patch.

    Raises:
        BadInput: a `[[cosmetic]]` of `reference.toml` names no hunk.
    """
    hunks = reference_hunks(work)
    reasons = {(row.file, row.hunk): row.reason for row in declared}
    for row in declared:
        if (row.file, row.hunk) not in {(hunk.path, hunk.name) for hunk in hunks}:
            raise BadInput(
                f"cosmetic: {row.file} has no hunk {row.hunk}",
                where=where,
                hint="`referee task validate` lists the hunks with their names",
            )
    made = []
    for hunk in hunks:
        try:
            applied = work.variant({hunk.path: hunk.without})
        except Refused as refused:
            raise BadInput(
                f"the reference without the hunk {hunk.label} is refused ({refused.refusal})",
                where=where,
            ) from None
        reason = reasons.get((hunk.path, hunk.name))
        same = is_python(hunk.path) and same_program(
            hunk.without, work.reference.changes[hunk.path]
        )
        why = reason or ("documentation: the program is the same without it" if same else None)
        made.append(Ablation(hunk, applied, why, reason is not None))
    return tuple(made)


def cosmetic_lines(found: Sequence[Ablation]) -> dict[str, set[int]]:
    """Lines of repaired files in cosmetic hunks, from which no mutants are made."""
    lines: dict[str, set[int]] = {}
    for row in found:
        if row.cosmetic is not None and row.hunk.first:
            span = range(row.hunk.first, row.hunk.last + 1)
            lines.setdefault(row.hunk.path, set()).update(span)
    return lines
