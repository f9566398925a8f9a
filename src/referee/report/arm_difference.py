"""In what two arms differ: a comparison may change one declared factor, and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.record.text import bounded_text

_PARTS = ("agent", "model", "settings")


@dataclass(frozen=True)
class ArmDifference:
    """A factor that differs, and its level in either arm as text; `-` where an arm has none.

    Factors are `agent` (with its version), `model`, `model.profile` (how the model is reached and
    asked), `settings.KEY`, and the conditions by their names, such as `science`.
    """

    factor: str
    first: str
    second: str

    @property
    def text(self) -> str:
        """`factor (first, second)`."""
        return bounded_text(f"{self.factor} ({self.first}, {self.second})", 200)

    def is_of(self, factors: Collection[str]) -> bool:
        """Whether it is declared: by its name, or with all that `settings` or `model` has."""
        return self.factor in factors or self.factor.partition(".")[0] in factors


def arm_differences(first: Arm, second: Arm) -> tuple[ArmDifference, ...]:
    """Every factor in which two arms differ, sorted by name; their own names are none."""
    ours, theirs = _factors(first), _factors(second)
    return tuple(
        ArmDifference(name, ours.get(name, "-"), theirs.get(name, "-"))
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    )


def require_declared(
    first: Arm, second: Arm, factors: Collection[str]
) -> tuple[ArmDifference, ...]:
    """The differences of two arms, if they are what was declared: all `factors` and no other. With
    no factor declared, there may be one at most.

    Raises:
        BadInput: they differ in something else, or not in a declared factor.
    """
    found = arm_differences(first, second)
    said = f"{first.name} and {second.name}"
    other = [x for x in found if not x.is_of(factors)] if factors else found
    # another model mostly has another profile: one factor
    if other and (factors or len({x.factor.removesuffix(".profile") for x in other}) > 1):
        how = "also differ in" if factors else "differ in more than one factor:"
        raise BadInput(
            f"{said} {how} {'; '.join(x.text for x in other)}",
            hint="compare arms that differ in one factor, or declare each with --factor",
        )
    idle = [name for name in factors if not any(x.is_of({name}) for x in found)]
    if idle:
        raise BadInput(
            f"{said} do not differ in {', '.join(idle)}",
            hint=f"they differ in {'; '.join(x.text for x in found) or 'nothing'}",
        )
    return found


def pairs_of(arms: Collection[Arm], factors: Collection[str]) -> list[tuple[Arm, Arm]]:
    """Every pair of arms, in their order, that differs in exactly the declared factors.

    Raises:
        BadInput: no factor was declared, or there is no such pair.
    """
    if not factors:
        raise BadInput(
            f"there are {len(arms)} arms, and none was chosen",
            hint="name two with --arm, or say with --factor in what pairs of arms shall differ",
        )
    found = [pair for pair in combinations(arms, 2) if _differ_in(*pair, factors)]
    if not found:
        raise BadInput(
            f"no two arms differ in {', '.join(factors)} alone",
            hint=f"their differences: {_told(arms)}",
        )
    return found


def _differ_in(first: Arm, second: Arm, factors: Collection[str]) -> bool:
    found = arm_differences(first, second)
    return all(x.is_of(factors) for x in found) and all(
        any(x.is_of({name}) for x in found) for name in factors
    )


def _told(arms: Collection[Arm]) -> str:
    every = [
        f"{a.name} and {b.name}: {', '.join(x.factor for x in arm_differences(a, b)) or 'none'}"
        for a, b in combinations(arms, 2)
    ]
    return bounded_text("; ".join(every) or "there is one arm alone", 400)


def _factors(arm: Arm) -> dict[str, str]:
    found = {
        "agent": f"{arm.agent} {arm.agent_version}",
        **({} if arm.model is None else {"model": arm.model}),
        **{
            "model.profile" if key == "profile" else f"settings.{key}": repr(value)
            for key, value in arm.settings.items()
        },
    }
    # a condition that is called like one of the parts keeps them apart
    return found | {
        f"condition.{key}" if key in _PARTS else key: level for key, level in arm.condition.items()
    }
