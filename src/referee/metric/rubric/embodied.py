"""Coverage gate and science cap, for tasks with an embodied run that ask for them.

    gate    = min( clip((coverage - floor) / (full - floor)), clip(seen / planned) )
    science = weighted mean of the Validation leaves that are not about the run's health
    cap     = cap_floor + (1 - cap_floor) * science
    R       = gate * min(raw, cap)

With cap_floor = 1/4 this is the published gate and cap. A rubric without science leaves has
science 0, so its cap is cap_floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from referee.metric.rubric.exact import exact
from referee.metric.rubric.grade import Grade, part_of
from referee.metric.rubric.leaf import ONE, ZERO
from referee.metric.rubric.schema import GateAndCap
from referee.metric.rubric.tree import Rubric
from referee.record.reproduction import complete_between


@dataclass(frozen=True, slots=True)
class Capped:
    """R under gate and cap; `score` is None while leaves are withheld, and R in [low, high]."""

    score: Fraction | None
    low: Fraction
    high: Fraction
    gate: Fraction

    @property
    def complete(self) -> bool | None:
        """Whether R > 0.9; None if the bounds allow both."""
        return complete_between(self.low, self.high)


def capped(rubric: Rubric, raw: Grade, *, coverage: object, seen: int, planned: int) -> Capped:
    """R of a task with a gate and a cap. `coverage` is a share in [0, 1]; `seen` of `planned`
    episodes or scenes were run.

    Raises:
        ValueError: the rubric asks for no gate, coverage is not finite or outside [0, 1], `planned`
            is not above zero or `seen` is below it.
    """
    policy = rubric.root.gate_and_cap
    if policy is None:
        raise ValueError("the rubric has no gate_and_cap")
    gate = gate_of(policy, coverage, seen, planned)
    science = part_of(
        (x for x in rubric.leaves if x.category == "Validation" and x.id not in policy.health),
        raw.leaves,
    )
    low = under_cap(gate, policy.cap_floor, raw.low, science.possible, science.low)
    high = under_cap(gate, policy.cap_floor, raw.high, science.possible, science.high)
    return Capped(low if raw.score is not None else None, low, high, gate)


def gate_of(policy: GateAndCap, coverage: object, seen: int, planned: int) -> Fraction:
    """The factor of coverage, in [0, 1].

    Raises:
        ValueError: as `capped`.
    """
    share = exact(coverage)
    if not (0 <= share <= 1 and planned > 0 and seen >= 0):
        raise ValueError(f"coverage {coverage!r} or {seen} of {planned} is out of range")
    return min(_clip(_ramp(policy, share)), _clip(Fraction(seen, planned)))


def under_cap(
    gate: Fraction, cap_floor: Fraction, raw: Fraction, possible: Fraction, earned: Fraction
) -> Fraction:
    """gate * min(raw, cap); `earned` of `possible` is what the science leaves brought."""
    cap = cap_floor + (1 - cap_floor) * (earned / possible) if possible else cap_floor
    return gate * min(raw, cap)


def _ramp(policy: GateAndCap, coverage: Fraction) -> Fraction:
    return (coverage - policy.coverage_floor) / (policy.coverage_full - policy.coverage_floor)


def _clip(value: Fraction) -> Fraction:
    return min(max(value, ZERO), ONE)
