"""What a grading phase saw of one check, before the closed world is applied."""

from __future__ import annotations

from dataclasses import dataclass

from referee.record.verdict import Outcome


@dataclass(frozen=True)
class Observed:
    """One outcome with its class; `message` is for people; `contract` is named by the check."""

    outcome: Outcome
    reason: str | None = None
    message: str = ""
    contract: str | None = None
    seconds: float = 0.0
