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
    """One condition and what it came to; `Withheld` if the evaluator could not look."""

    condition: Condition
    result: Acceptance | Withheld


def check_conditions(node: Node, returned: Any) -> tuple[Checked, ...]:
    """Each numeric check of a leaf on what its metric returned: plain data, in which a `Withheld`
    may stand for what could not be looked at, or None if the candidate left nothing to measure. A
    path that leads nowhere is unavailable."""
    return tuple(Checked(c, _checked(c, returned)) for c in node.numeric_checks)


def coded_finding(node: Node, returned: Any) -> Finding:
    """The finding of a leaf that code decides, from what `check_conditions` takes. What is
    unavailable has not passed; what has certainly not passed is 0 whatever is withheld beside it.

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
        return Finding({unit: _score(_settled(_of_unit(checked, unit))) for unit in how.units})
    return Finding(_score(_settled(checked)))


def hybrid_check(node: Node, returned: Any) -> bool | Withheld:
    """What the fail-only conditions of a leaf come to on what its metric returned.

    Raises:
        ValueError: the leaf has no fail-only check.
    """
    if node.check is None:
        raise ValueError(f"{node.id} has no fail-only check")
    return _settled(check_conditions(node, returned))


def _checked(condition: Condition, returned: Any) -> Acceptance | Withheld:
    value = _found(condition.path, returned)
    return value if isinstance(value, Withheld) else accept(condition, value)


def _found(path: str, returned: Any) -> Any:
    value = returned
    for token in path.split("/")[1:]:
        if isinstance(value, Withheld):
            break
        try:
            value = at_pointer(value, f"/{token}")
        except KeyError:
            return None
    return value


def _of_unit(checked: Sequence[Checked], unit: str) -> list[Checked]:
    return [c for c in checked if c.condition.unit == unit]


def _settled(checked: Sequence[Checked]) -> bool | Withheld:
    results = [c.result for c in checked]
    if not results or any(isinstance(r, Acceptance) and not r.passed for r in results):
        return False
    return next((r for r in results if isinstance(r, Withheld)), True)


def _score(settled: bool | Withheld) -> int | Withheld:
    return settled if isinstance(settled, Withheld) else int(settled)
