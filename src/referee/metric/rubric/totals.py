"""R and its parts from the leaves of a record alone: what a grading writes and an audit repeats."""

from __future__ import annotations

from fractions import Fraction

from referee.metric.rubric.embodied import under_cap
from referee.record.reproduction import (
    CATEGORIES,
    Cap,
    Category,
    LeafResult,
    Part,
    ReproductionScore,
    complete_between,
)

_NOTHING = Fraction(0)
Leaves = tuple[LeafResult, ...]


def totals_of(
    leaves: Leaves, cap: Cap | None = None
) -> tuple[ReproductionScore, dict[Category, Part]]:
    """R = sum of share * score, under gate and cap where there are some, and what each category
    can bring and brought at least and at most."""
    _possible, low, high = _part(leaves)
    known = all(leaf.score is not None for leaf in leaves)
    if cap is not None:
        science = _part(
            tuple(x for x in leaves if x.category == "Validation" and x.id not in cap.health)
        )
        known = known and cap.gate_low == cap.gate_high
        floor = Fraction(cap.cap_floor)
        low = under_cap(Fraction(cap.gate_low), floor, low, science[0], science[1])
        high = under_cap(Fraction(cap.gate_high), floor, high, science[0], science[2])
    total = ReproductionScore(
        score=str(low) if known else None,
        low=str(low),
        high=str(high),
        complete=complete_between(low, high),
    )
    parts: dict[Category, Part] = {}
    for category in CATEGORIES:
        possible, least, most = _part(tuple(x for x in leaves if x.category == category))
        parts[category] = Part(possible=str(possible), low=str(least), high=str(most))
    return total, parts


def _part(leaves: Leaves) -> tuple[Fraction, Fraction, Fraction]:
    """What leaves can bring, and what they brought at least and at most."""
    shares = [Fraction(leaf.share) for leaf in leaves]
    low = sum((s * Fraction(x.low) for s, x in zip(shares, leaves, strict=True)), _NOTHING)
    high = sum((s * Fraction(x.high) for s, x in zip(shares, leaves, strict=True)), _NOTHING)
    return sum(shares, _NOTHING), low, high
