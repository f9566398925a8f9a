"""Why evidence could not be used: it is not there, it is wrong, or it is more than we read."""

from __future__ import annotations


class EvidenceFault(Exception):
    """One sentence about evidence: where, and what is wrong with it."""

    def __init__(self, where: str, what: str):
        self.where = where
        self.what = what
        super().__init__(f"{where}: {what}")


class EvidenceMissing(EvidenceFault):
    """Nothing is there."""


class EvidenceError(EvidenceFault):
    """Something is there, and it cannot count: a link, a broken file, a number that is not finite.
    The candidate caused it."""


class EvidenceLimit(EvidenceFault):
    """The evidence is larger than the evaluator reads. This says nothing about the candidate's
    science: what depends on it is withheld."""
