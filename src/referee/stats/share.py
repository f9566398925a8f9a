"""The interval of a mean of shares, such as a score in [0, 1]: one rule for every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import SupportsFloat, SupportsIndex

from referee.stats.cluster import task_mean
from referee.stats.estimate import Estimate
from referee.stats.interval import LEVEL, wilson
from referee.stats.require import numbers


def share_interval(
    task_means: Sequence[SupportsFloat],
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Estimate | None:
    """The mean over tasks of a score in [0, 1], attempts averaged first, with its interval.

    Wilson's if every task stands at 0 or 1, as with one attempt at pass or fail; else Student's t
    over task means, cut to [0, 1]. None where nothing can be estimated: below two tasks, or when
    all tasks have one and the same share between 0 and 1.

    Raises:
        ValueError: no task, a value outside [0, 1], level not in (0, 1), or planned < n.
    """
    values = numbers("task_means", task_means)
    for place, value in enumerate(values):
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"task_means[{place}] must lie between 0 and 1, and is {value!r}")
    if len(values) < 2:
        return None
    if all(value in (0.0, 1.0) for value in values):
        return wilson(values.count(1.0), len(values), level=level, planned=planned)
    if min(values) == max(values):
        return None
    found = task_mean(values, level=level, planned=planned)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))
