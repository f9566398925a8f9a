"""From what a metric returned to the finding of a leaf that code decides, wholly or at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.metric.acceptance import Acceptance, Condition, accept
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.schema import Metric, Node, Units
from referee.record.pointer import at_pointer


@dataclass(frozen=True, slots=True)
class Checked:
    """One condition and what it came to."""

    condition: Condition
    result: Acceptance


def check_conditions(node: Node, returned: Any) -> tuple[Checked, ...]:
    """Each numeric check of a leaf on what its metric returned, plain data; None if the candidate
    left nothing to measure. A path that leads nowhere is unavailable."""
    return tuple(Checked(c, _checked(c, returned)) for c in node.numeric_checks)


def coded_finding(node: Node, returned: Any) -> Finding:
    """The finding of a leaf that code decides. What is unavailable has not passed.

    `returned` is what the metric returned, None if there was no evidence, or `Withheld`.

    Raises:
        ValueError: the leaf is not decided by code.
    """
    how = node.how
    if how.by != "code":
        raise ValueError(f"{node.id} is not decided by code")
    if isinstance(returned, Withheld) or returned is None:
        return Finding(returned)
    if isinstance(how, Metric):
        return Finding(_found(how.path, returned))
    checked = check_conditions(node, returned)
    if isinstance(how, Units):
        return Finding({u: int(_all_passed(_of_unit(checked, u))) for u in how.units})
    return Finding(int(_all_passed(checked)))


def hybrid_check(node: Node, returned: Any) -> bool | Withheld:
    """What the fail-only conditions of a leaf come to on what its metric returned.

    Raises:
        ValueError: the leaf has no fail-only check.
    """
    if node.check is None:
        raise ValueError(f"{node.id} has no fail-only check")
    if isinstance(returned, Withheld):
        return returned
    return _all_passed(check_conditions(node, returned))


def _checked(condition: Condition, returned: Any) -> Acceptance:
    return accept(condition, _found(condition.path, returned))


def _found(path: str, returned: Any) -> Any:
    try:
        return at_pointer(returned, path)
    except KeyError:
        return None


def _of_unit(checked: Sequence[Checked], unit: str) -> list[Checked]:
    return [c for c in checked if c.condition.unit == unit]


def _all_passed(checked: Sequence[Checked]) -> bool:
    return bool(checked) and all(c.result.passed for c in checked)
