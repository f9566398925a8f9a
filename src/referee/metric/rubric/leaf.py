"""The score of one leaf from what was found out about it.

In order: a leaf whose requirement is not met is 0; a leaf whose fail-only check failed is 0; the
rest is what its kind makes of the finding. What could not be decided (the judge was down, a file
was over the evaluator's limit) is never 0: it leaves bounds instead of a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from referee.metric.rubric.exact import exact
from referee.metric.rubric.schema import Binary, FiveLevel, Metric, Node, Units

Method = Literal["code", "judge", "evidence_gate", "fail_only", "withheld"]
ZERO, ONE = Fraction(0), Fraction(1)


class Unusable(ValueError):
    """What a judge said is not a score: the leaf is withheld, never 0."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """The evaluator could not decide; `reason` is a short name such as `judge_unavailable`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about a leaf.

    `value` is the judge's score (binary, five-level), the measured number (metric), or for units a
    mapping from each unit to 0, 1 or `Withheld`. Where code decides, None says that the candidate
    left nothing that could be measured, which is 0. `check` is what the fail-only conditions came
    to, None for a leaf that has none.
    """

    value: object | Withheld
    check: bool | Withheld | None = None


@dataclass(frozen=True, slots=True)
class LeafScore:
    """The score of a leaf, exact, in [0, 1]; None if it is withheld, for the stated reason.

    The score that a complete grading would give lies in [low, high], whatever the reason.
    """

    score: Fraction | None
    low: Fraction
    high: Fraction
    method: Method
    reason: str | None = None

    @property
    def withheld(self) -> bool:
        """Whether there are only bounds."""
        return self.score is None


def decided(score: Fraction, method: Method, reason: str | None = None) -> LeafScore:
    """A leaf with a score."""
    return LeafScore(score, score, score, method, reason)


def open_between(low: Fraction, high: Fraction, reason: str) -> LeafScore:
    """A withheld leaf with bounds."""
    return LeafScore(None, low, high, "withheld", reason)


def score_leaf(node: Node, finding: Finding, required: Iterable[LeafScore] = ()) -> LeafScore:
    """The score of a leaf, with the scores of what it requires.

    A requirement is met by the full score alone. One that is certainly not met makes the leaf 0
    even if others are withheld; one that is withheld withholds the leaf, with 0 as lower bound.
    The same holds for the fail-only check.

    Raises:
        ValueError: a check without a result, or a result without a check.
    """
    if (node.check is None) != (finding.check is None):
        raise ValueError(f"{node.id}: a fail-only check and its result go together")
    needs = tuple(required)
    if any(need.high < 1 for need in needs):
        return decided(ZERO, "evidence_gate", "requirement_not_met")
    if finding.check is False:
        return decided(ZERO, "fail_only", "check_failed")
    own = _own_score(node, finding.value)
    if any(need.withheld for need in needs):
        return _at_most(own, "requirement_withheld")
    if isinstance(finding.check, Withheld):
        return _at_most(own, finding.check.reason)
    return own


def _at_most(own: LeafScore, reason: str) -> LeafScore:
    # What depends on the open question can still become 0; what is 0 without it stays so.
    return own if own.score == 0 else open_between(ZERO, own.high, reason)


def _own_score(node: Node, value: object) -> LeafScore:
    how = node.how
    if isinstance(value, Withheld):
        return open_between(ZERO, ONE, value.reason)
    if value is None and how.by == "code":
        return decided(ZERO, "code", "no_evidence")
    try:
        match how:
            case Binary():
                return decided(binary(value), how.by)
            case Units():
                return units(how, value)
            case FiveLevel():
                return decided(five_level(value), how.by)
            case Metric():
                return _metric_score(how, value)
    except Unusable as problem:
        return replace(open_between(ZERO, ONE, "judge_error"), reason=f"judge_error: {problem}")


def binary(value: object) -> Fraction:
    """Exactly 0 or 1: nothing is rounded, and `true` is not 1.

    Raises:
        Unusable: anything else.
    """
    number = _number(value)
    if number not in (0, 1):
        raise Unusable(f"{value!r} is not 0 or 1")
    return number


def units(how: Units, values: object) -> LeafScore:
    """The mean over the named units; a unit that is withheld, or absent, leaves bounds.

    Raises:
        Unusable: not a mapping, a unit that the leaf does not have, or a value other than 0 and 1.
    """
    if not isinstance(values, Mapping):
        raise Unusable("there are no values of units")
    if invented := sorted(str(name) for name in values if name not in how.units):
        raise Unusable(f"{invented[0][:80]!r} is not a unit of this leaf")
    known = [values.get(unit, Withheld("unit_missing")) for unit in how.units]
    blocked = [value.reason for value in known if isinstance(value, Withheld)]
    earned = sum((binary(v) for v in known if not isinstance(v, Withheld)), ZERO)
    total = len(how.units)
    if blocked:
        return open_between(earned / total, (earned + len(blocked)) / total, blocked[0])
    return decided(earned / total, how.by)


def five_level(value: object) -> Fraction:
    """A grade clipped to [0, 1] and snapped to the nearest quarter, to the lower one half-way.

    Raises:
        Unusable: not a finite number.
    """
    clipped = min(max(_number(value), ZERO), ONE)
    low = Fraction(int(clipped * 4), 4)
    return low + Fraction(1, 4) if clipped - low > Fraction(1, 8) else low


def metric(how: Metric, value: object) -> Fraction:
    """(v - floor) / (target - floor), or (floor - v) / (floor - target) where lower is better,
    clipped to [0, 1].

    Raises:
        ValueError: not a finite number.
    """
    progress = (_measured(value) - how.floor) / (how.target - how.floor)
    return min(max(progress, ZERO), ONE)


def _metric_score(how: Metric, value: object) -> LeafScore:
    try:
        return decided(metric(how, value), "code")
    except ValueError:
        return decided(ZERO, "code", "not_finite")


def _number(value: object) -> Fraction:
    try:
        return _measured(value)
    except ValueError as error:
        raise Unusable(str(error)[:200]) from None


def _measured(value: object) -> Fraction:
    # A rubric may write a number as text; a judge or a measurement may not.
    if isinstance(value, str):
        raise ValueError(f"{value[:40]!r} is text, not a number")
    return exact(value)
