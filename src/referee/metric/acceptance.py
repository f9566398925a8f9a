"""Acceptance operators: whether a recomputed value satisfies a condition that was set before.

A condition names a value by `path` (a JSON pointer into what a metric returned) and one operator.
Arrays satisfy a condition if every element does; an empty array is `unavailable`, a number that is
not finite has failed, and a truth value never stands for a number.
"""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from referee.record.measure import Finite
from referee.record.model import Frozen

State = Literal["passed", "failed", "unavailable"]
Pointer = Annotated[str, StringConstraints(pattern=r"^(/([^~/]|~[01])*)*$", max_length=500)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]

_DEEPEST = 16
"""Lists nested deeper than this are no array of numbers."""

_LARGEST = int(sys.float_info.max)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What a condition came to, and in words why."""

    state: State
    detail: str

    @property
    def passed(self) -> bool:
        """Whether the condition holds; what is unavailable does not."""
        return self.state == "passed"


class _Condition(Frozen):
    path: Pointer
    unit: Annotated[str, StringConstraints(min_length=1, max_length=120)] | None = None


class IsTrue(_Condition):
    """A truth value that is true; all of them, in an array."""

    operator: Literal["is_true"]


class Equals(_Condition):
    """The same value of the same type: 1 is not 1.0, and neither is true."""

    operator: Literal["equals"]
    expected: bool | int | Finite | str | tuple[bool | int | Finite | str, ...]


class IsFinite(_Condition):
    """A finite number."""

    operator: Literal["finite"]


class Leq(_Condition):
    """x <= upper."""

    operator: Literal["leq"]
    upper: Finite


class Geq(_Condition):
    """x >= lower."""

    operator: Literal["geq"]
    lower: Finite


class AbsLeq(_Condition):
    """|x| <= upper; x may be complex."""

    operator: Literal["abs_leq"]
    upper: Tolerance


class InRange(_Condition):
    """lower <= x <= upper."""

    operator: Literal["range"]
    lower: Finite
    upper: Finite

    @model_validator(mode="after")
    def _is_a_range(self) -> InRange:
        if not self.lower <= self.upper:
            raise ValueError(f"the range {self.lower} to {self.upper} is empty")
        return self


class RelClose(_Condition):
    """|x - expected| <= atol + rtol * |expected|; an array is compared element by element."""

    operator: Literal["rel_close"]
    expected: Finite | Annotated[tuple[Finite, ...], Field(min_length=1)]
    rtol: Tolerance = 0.0
    atol: Tolerance = 0.0

    @model_validator(mode="after")
    def _has_a_tolerance(self) -> RelClose:
        if self.rtol == 0.0 and self.atol == 0.0:
            raise ValueError("rtol and atol are both zero; write the one that holds")
        return self


class Monotonic(_Condition):
    """A sequence of at least two numbers, each beyond the one before (or not before it)."""

    operator: Literal["monotonic"]
    direction: Literal["increasing", "decreasing"]
    strict: bool = True


class SetMatch(_Condition):
    """As many numbers as expected, in any order, paired in sorted order within `tol`."""

    operator: Literal["set_match"]
    expected: Annotated[tuple[Finite, ...], Field(min_length=1)]
    tol: Tolerance


class CrossingIn(_Condition):
    """The polyline through two rows `[x..., ] [y...]` crosses `level` inside [lower, upper].

    x must increase strictly. Exactly one crossing must lie inside, found by linear interpolation.
    """

    operator: Literal["crossing_in"]
    level: Finite
    lower: Finite
    upper: Finite

    @model_validator(mode="after")
    def _is_a_range(self) -> CrossingIn:
        if not self.lower <= self.upper:
            raise ValueError(f"the range {self.lower} to {self.upper} is empty")
        return self


Condition = Annotated[
    IsTrue
    | Equals
    | IsFinite
    | Leq
    | Geq
    | AbsLeq
    | InRange
    | RelClose
    | Monotonic
    | SetMatch
    | CrossingIn,
    Field(discriminator="operator"),
]


def accept(condition: Condition, value: Any) -> Acceptance:
    """Whether plain data (numbers, truth values, text, nested lists) satisfies `condition`.

    A value of the wrong kind has failed, whatever it is; nothing is raised for what a candidate
    may have written.
    """
    items = _flat(value)
    if not items:
        return Acceptance("unavailable", "there is no value")
    if isinstance(condition, Equals):
        same = _same(value, condition.expected)
        return _acceptance(same, "is" if same else "is not", repr(condition.expected))
    if isinstance(condition, IsTrue):
        return _each(items, lambda item: item is True, "true")
    for item in items:
        if problem := _not_a_number(item, complex_too=isinstance(condition, IsFinite | AbsLeq)):
            return Acceptance("failed", problem)
    if isinstance(condition, RelClose | Monotonic | SetMatch):
        return _sequence(condition, value, items)
    if isinstance(condition, CrossingIn):
        return _crossing(condition, value)
    return _numbers(condition, items)


def _numbers(condition: IsFinite | Leq | Geq | AbsLeq | InRange, items: list[Any]) -> Acceptance:
    match condition:
        case IsFinite():
            return _each(items, lambda _: True, "finite")
        case Leq(upper=upper):
            return _each(items, lambda x: x <= upper, f"at most {upper!r}")
        case Geq(lower=lower):
            return _each(items, lambda x: x >= lower, f"at least {lower!r}")
        case AbsLeq(upper=upper):
            return _each(items, lambda x: abs(x) <= upper, f"at most {upper!r} in size")
        case InRange(lower=lower, upper=upper):
            return _each(items, lambda x: lower <= x <= upper, f"in {lower!r} to {upper!r}")


def _sequence(
    condition: RelClose | Monotonic | SetMatch, value: Any, items: list[Any]
) -> Acceptance:
    if isinstance(condition, Monotonic):
        return _monotonic(condition, value)
    wanted = condition.expected
    if isinstance(condition, SetMatch):
        expected, found = sorted(condition.expected), sorted(items)
        tolerances = [condition.tol] * len(expected)
    else:
        found = items
        expected = list(wanted) if isinstance(wanted, tuple) else [wanted] * len(items)
        tolerances = [condition.atol + condition.rtol * abs(e) for e in expected]
    if len(found) != len(expected):
        return Acceptance("failed", f"{len(found)} values where {len(expected)} are expected")
    for number, (x, e, tolerance) in enumerate(zip(found, expected, tolerances, strict=True)):
        if not abs(x - e) <= tolerance:
            return Acceptance(
                "failed", f"value {number}: {x!r} is not within {tolerance!r} of {e!r}"
            )
    return Acceptance("passed", f"{len(found)} values are within tolerance")


def _monotonic(condition: Monotonic, value: Any) -> Acceptance:
    if not _is_row(value) or len(value) < 2:
        return Acceptance("failed", "not a sequence of at least two numbers")
    sign = 1 if condition.direction == "increasing" else -1
    for number, (a, b) in enumerate(pairwise(value), 1):
        step = sign * (b - a)
        if not (step > 0 if condition.strict else step >= 0):
            return Acceptance("failed", f"value {number} is not {condition.direction}")
    return Acceptance("passed", f"{len(value)} values are {condition.direction}")


def _crossing(condition: CrossingIn, value: Any) -> Acceptance:
    rows = value if isinstance(value, list | tuple) and len(value) == 2 else ((), ())
    xs, ys = rows
    if not (_is_row(xs) and _is_row(ys) and len(xs) == len(ys) >= 2):
        return Acceptance("failed", "not two rows x and y of the same length of at least 2")
    if not all(b > a for a, b in pairwise(xs)):
        return Acceptance("failed", "x does not increase strictly")
    found = [x for x in crossings(xs, ys, condition.level) if condition.lower <= x]
    inside = [x for x in found if x <= condition.upper]
    if len(inside) == 1:
        return Acceptance("passed", f"crosses {condition.level!r} at {inside[0]!r}")
    where = f"in {condition.lower!r} to {condition.upper!r}"
    return Acceptance("failed", f"{len(inside)} crossings of {condition.level!r} {where}")


def crossings(xs: Sequence[float], ys: Sequence[float], level: float) -> list[float]:
    """Where the polyline through (x, y) changes side of `level`, by linear interpolation.

    `xs` increases strictly. Samples that lie exactly on the level are one crossing, in the middle
    of their run, if the sides before and after it differ; a touch is none.
    """
    found: list[float] = []
    last: tuple[float, float] | None = None
    on: list[float] = []
    for x, y in zip(xs, ys, strict=True):
        side = y - level
        if side == 0:
            on.append(x)
            continue
        if last is not None and (last[1] > 0) != (side > 0):
            x0, s0 = last
            found.append((on[0] + on[-1]) / 2 if on else x0 + (x - x0) * (s0 / (s0 - side)))
        last, on = (x, side), []
    return found


def _each(items: list[Any], holds: Callable[[Any], bool], wanted: str) -> Acceptance:
    for number, item in enumerate(items):
        if not holds(item):
            which = f"value {number}: " if len(items) > 1 else ""
            return Acceptance("failed", f"{which}{_short(item)} is not {wanted}")
    return Acceptance("passed", f"{len(items)} value(s), each {wanted}")


def _acceptance(passed: bool, word: str, wanted: str) -> Acceptance:
    return Acceptance("passed" if passed else "failed", f"{word} {wanted[:200]}")


def _same(value: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(expected)
            and all(_same(v, e) for v, e in zip(value, expected, strict=True))
        )
    return type(value) is type(expected) and bool(value == expected)


def _flat(value: Any, depth: int = 0) -> list[Any]:
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return [item for part in value for item in _flat(part, depth + 1)]
    return [] if value is None else [value]


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple) and not any(isinstance(x, list | tuple) for x in value)


def _not_a_number(item: Any, *, complex_too: bool) -> str | None:
    kinds = (int, float, complex) if complex_too else (int, float)
    if isinstance(item, bool) or not isinstance(item, kinds):
        return f"{_short(item)} is not a number"
    if isinstance(item, int):
        return None if abs(item) <= _LARGEST else "a whole number is larger than any float"
    parts = (item.real, item.imag)
    return None if all(math.isfinite(p) for p in parts) else f"{_short(item)} is not finite"


def _short(item: Any) -> str:
    # repr() of a deeply nested list, or of a number with thousands of digits, raises.
    if isinstance(item, int) and item.bit_length() > 64:
        return "a large whole number"
    return reprlib.repr(item)
