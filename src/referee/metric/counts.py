"""What a trial came to, in whole numbers: the input of every aggregate."""

from __future__ import annotations

from dataclasses import dataclass

Share = tuple[int, int]
"""(passed, total) of a set of checks."""


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """One recorded trial. A withheld one has no checks, and None for what graded it; that of a
    reproduction task has none, either.

    `pass2pass` counts the private and regression checks that passed on the untouched snapshot,
    `fail2pass` the private ones that did not: together they are what Pass@1 asks for.
    """

    arm: str
    task_id: str
    attempt: int
    outcome: str
    withheld_reason: str | None
    task_digest: str
    grader_digest: str | None
    grader_limits: str | None
    public: Share
    private: Share
    fail2pass: Share
    pass2pass: Share

    @property
    def scored(self) -> bool:
        """Whether the trial has a score."""
        return self.outcome == "scored"

    @property
    def has_checks(self) -> bool:
        """Whether checks were counted."""
        return self.public[1] + self.private[1] > 0

    def scores(self) -> dict[str, float]:
        """The five scores of a scored trial (design section 7), each in [0, 1]."""
        asked = (self.fail2pass, self.pass2pass)
        return {
            "public": _mean(self.public),
            "private": _mean(self.private),
            "fail2pass": _mean(self.fail2pass),
            "pass2pass": _mean(self.pass2pass) if self.pass2pass[1] else 1.0,
            "pass1": 1.0 if all(passed == total for passed, total in asked) else 0.0,
        }


def _mean(share: Share) -> float:
    passed, total = share
    return passed / total
