"""What a reproduction came to: its replay, its leaves, and R in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints, model_validator

from referee.record.model import Frozen
from referee.record.text import MESSAGE_CHARS

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Share = Annotated[str, StringConstraints(pattern=r"^(0|1|[1-9]\d*/[1-9]\d*)$", max_length=2000)]
"""A number in [0, 1] as an exact fraction in lowest terms, such as `461/600`."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Category = Literal["Modeling", "Execution", "Validation"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
COMPLETE_ABOVE = Fraction(9, 10)
"""A task is complete strictly above this score."""


class ReplayResult(Frozen):
    """How the clean replay ended. `reason` is a code, None where it completed; `record_sha256`
    binds the receipt that lies beside the evidence, `trusted_replay.json`."""

    status: Literal["completed", "failed", "rejected"]
    reason: str | None = None
    delivery: Literal["absent", "starter_only", "missing_entrypoint", "delivered"]
    exit_code: int | None = None
    timed_out: bool = False
    record_sha256: Sha256 | None = None


class LeafResult(Frozen):
    """One leaf of the rubric. `share` is its part of the whole; `score` is None while it is
    withheld, and then lies in [low, high]; `by` is who decides it, `reason` a short code,
    `detail` what was measured or why it was not, for people."""

    id: Name
    category: Category
    share: Share
    by: Literal["code", "judge"]
    score: Share | None
    low: Share
    high: Share
    method: str
    reason: str | None = None
    detail: Annotated[str, StringConstraints(max_length=MESSAGE_CHARS)] = ""

    @model_validator(mode="after")
    def _bounds_hold(self) -> LeafResult:
        low, high = Fraction(self.low), Fraction(self.high)
        if not 0 <= low <= high <= 1:
            raise ValueError(f"the bounds of {self.id} are not in 0 to 1")
        if self.score is not None and not low == Fraction(self.score) == high:
            raise ValueError(f"{self.id} has a score, and other bounds")
        if self.score is None and self.reason is None:
            raise ValueError(f"{self.id} is withheld and says not why")
        return self


class JudgeFacts(Frozen):
    """Who judged: `stand_in` marks written rules, which are no model."""

    transport: str
    model: str
    stand_in: bool
    fingerprint: Sha256


class ReproductionScore(Frozen):
    """R of one submission, or bounds where leaves are withheld; `complete` says whether R > 0.9,
    None where the bounds allow both."""

    score: Share | None
    low: Share
    high: Share
    complete: bool | None

    @model_validator(mode="after")
    def _complete_follows(self) -> ReproductionScore:
        low, high = Fraction(self.low), Fraction(self.high)
        if not 0 <= low <= high <= 1 or (self.score is not None and not low == high):
            raise ValueError("the bounds do not fit the score")
        if self.score is not None and Fraction(self.score) != low:
            raise ValueError("the bounds do not fit the score")
        if self.complete is not complete_between(low, high):
            raise ValueError("`complete` does not follow from the score")
        return self


def complete_between(low: Fraction, high: Fraction) -> bool | None:
    """Whether a score in [low, high] is strictly above 0.9; None if that is open."""
    if low > COMPLETE_ABOVE:
        return True
    return None if high > COMPLETE_ABOVE else False


class Part(Frozen):
    """What the leaves of one category can bring, and what they brought at least and at most, as
    parts of the whole."""

    possible: Share
    low: Share
    high: Share


class Cap(Frozen):
    """Coverage gate and science cap, for a task that asks for them: the gate lies in [gate_low,
    gate_high] (they differ while coverage is withheld); Validation leaves named in `health` say
    nothing about the science."""

    gate_low: Share
    gate_high: Share
    cap_floor: Share
    health: tuple[Name, ...] = ()


class Reproduction(Frozen):
    """The block of a verdict about a reproduction task. `evidence_review_required` says that a gate
    leaf failed: somebody should look at the evidence, and no score changes."""

    replay: ReplayResult
    judge: JudgeFacts | None
    leaves: Annotated[tuple[LeafResult, ...], Field(min_length=1)]
    total: ReproductionScore
    parts: dict[Category, Part]
    cap: Cap | None = None
    evidence_review_required: bool = False

    @model_validator(mode="after")
    def _each_leaf_once(self) -> Reproduction:
        names = [leaf.id for leaf in self.leaves]
        if len(set(names)) != len(names):
            raise ValueError("a leaf stands twice in the verdict")
        if sum(Fraction(leaf.share) for leaf in self.leaves) != 1:
            raise ValueError("the shares of the leaves do not add up to 1")
        return self

    @property
    def withheld(self) -> tuple[LeafResult, ...]:
        """The leaves without a score."""
        return tuple(leaf for leaf in self.leaves if leaf.score is None)
