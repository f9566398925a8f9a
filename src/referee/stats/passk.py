"""pass@k and pass^k: what k attempts at a task are worth, in exact arithmetic.

The unit of inference is the task: attempts at one task say nothing about other tasks. An attempt
that the machine failed is missing data and no zero, so `pass_rates` gives both rates, with errors
as fails and with errors left out, and the count of errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import SupportsIndex

from referee.stats.cluster import Mean, task_mean
from referee.stats.require import whole


def pass_at_k(n: SupportsIndex, c: SupportsIndex, k: SupportsIndex) -> Fraction:
    """Chance that at least one of k attempts, drawn of n with c correct, is correct, exactly.

        1 - C(n - c, k) / C(n, k)

    Source: Chen et al. 2021, arXiv:2107.03374, equation 1.

    Raises:
        ValueError: not 0 <= c <= n, or not 1 <= k <= n.
    """
    n, c, k = _counts(n, c, k)
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def pass_hat_k(n: SupportsIndex, c: SupportsIndex, k: SupportsIndex) -> Fraction:
    """Chance that all of k attempts, drawn of n with c correct, are correct (pass^k), exactly.

        C(c, k) / C(n, k)

    Source: Yao et al. 2024, arXiv:2406.12045 (tau-bench).

    Raises:
        ValueError: not 0 <= c <= n, or not 1 <= k <= n.
    """
    n, c, k = _counts(n, c, k)
    return Fraction(comb(c, k), comb(n, k))


def plug_in_pass_at_k(n: SupportsIndex, c: SupportsIndex, k: SupportsIndex) -> Fraction:
    """1 - (1 - c/n)^k, exactly: biased downwards for k > 1, here to check published numbers.

    Raises:
        ValueError: not 0 <= c <= n, or not 1 <= k <= n.
    """
    n, c, k = _counts(n, c, k)
    return 1 - Fraction(n - c, n) ** k


@dataclass(frozen=True)
class Attempts:
    """Attempts at one task: `planned`, of these `scored` with a verdict, of these `passed`."""

    planned: int
    scored: int
    passed: int

    def __post_init__(self) -> None:
        passed, scored = whole("passed", self.passed), whole("scored", self.scored)
        if not passed <= scored <= whole("planned", self.planned):
            raise ValueError(
                f"{passed} passed, {scored} scored and {self.planned} planned attempts: "
                "each must not be above the next"
            )

    @property
    def errors(self) -> int:
        """Attempts that were planned and have no verdict."""
        return self.planned - self.scored


@dataclass(frozen=True)
class PassRates:
    """pass@k or pass^k over tasks, twice, as exact fractions and with their intervals.

    `as_fails` counts every planned attempt, and covers all `planned` tasks. `excluded` counts
    scored attempts only, at the `n` tasks that have at least k of them; None where no task has.
    The intervals (`as_fails_mean`, `excluded_mean`) are None below two tasks.
    """

    method: str
    k: int
    n: int
    planned: int
    errors: int
    as_fails: Fraction
    excluded: Fraction | None
    as_fails_mean: Mean | None
    excluded_mean: Mean | None

    @property
    def coverage(self) -> float:
        """The share of tasks that `excluded` rests on."""
        return self.n / self.planned


def pass_rates(
    tasks: Mapping[str, Attempts], k: SupportsIndex, *, all_of_k: bool = False, level: float = 0.95
) -> PassRates:
    """Mean over tasks of `pass_at_k`, or of `pass_hat_k` with `all_of_k`, and its interval.

    The standard error is that of the task means (`task_mean`).

    Raises:
        ValueError: no task, k < 1, or a task of which fewer than k attempts were planned.
    """
    k = whole("k", k, least=1)
    if not tasks:
        raise ValueError("there is no task to take a mean over")
    few = [f"{task} ({t.planned})" for task, t in sorted(tasks.items()) if t.planned < k]
    if few:
        raise ValueError(
            f"k is {k}, and fewer attempts were planned at {', '.join(few[:5])}: choose a lower k"
        )
    rate = pass_hat_k if all_of_k else pass_at_k
    ordered = [tasks[task] for task in sorted(tasks)]
    as_fails = [rate(t.planned, t.passed, k) for t in ordered]
    excluded = [rate(t.scored, t.passed, k) for t in ordered if t.scored >= k]
    return PassRates(
        method=f"pass^{k}" if all_of_k else f"pass@{k}",
        k=k,
        n=len(excluded),
        planned=len(ordered),
        errors=sum(t.errors for t in ordered),
        as_fails=sum(as_fails, Fraction()) / len(as_fails),
        excluded=sum(excluded, Fraction()) / len(excluded) if excluded else None,
        as_fails_mean=_with_interval(as_fails, level, len(ordered)),
        excluded_mean=_with_interval(excluded, level, len(ordered)),
    )


def _with_interval(rates: Sequence[Fraction], level: float, planned: int) -> Mean | None:
    return task_mean(rates, level=level, planned=planned) if len(rates) > 1 else None


def _counts(n: SupportsIndex, c: SupportsIndex, k: SupportsIndex) -> tuple[int, int, int]:
    attempts, correct, drawn = whole("n", n), whole("c", c), whole("k", k, least=1)
    if correct > attempts:
        raise ValueError(f"c must not be above n, and {correct} is above {attempts}")
    if drawn > attempts:
        raise ValueError(f"k must not be above n, and {drawn} is above {attempts}")
    return attempts, correct, drawn
