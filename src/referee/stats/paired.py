"""Two arms at the same tasks, pass or fail: the table of both, its test, and its odds ratio.

Only tasks that one arm alone solved tell the arms apart (`only_first`, `only_second`). Intervals of
the difference are in `referee.stats.difference`; scores between 0 and 1 in `referee.stats.cluster`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, erfc, inf, sqrt
from typing import SupportsFloat, SupportsIndex

from referee.stats.estimate import Estimate
from referee.stats.interval import LEVEL, clopper_pearson
from referee.stats.require import pairs, planned_of, share, whole


@dataclass(frozen=True)
class PairedTable:
    """How many tasks both arms solved, only the first, only the second, and neither.

    Raises:
        ValueError: a count is no whole number of at least 0, all are 0, or fewer were planned.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    planned: int | None = None

    def __post_init__(self) -> None:
        for name in ("both", "only_first", "only_second", "neither"):
            whole(name, getattr(self, name))
        if self.n == 0:
            raise ValueError("no task was paired: there is nothing to compare")
        planned_of(self.planned, self.n)

    @property
    def n(self) -> int:
        """Tasks that both arms have an outcome at."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def coverage(self) -> float:
        """The share of the planned tasks that were paired."""
        return self.n / planned_of(self.planned, self.n)

    @property
    def first(self) -> int:
        """Tasks that the first arm solved."""
        return self.both + self.only_first

    @property
    def second(self) -> int:
        """Tasks that the second arm solved."""
        return self.both + self.only_second

    @property
    def discordant(self) -> int:
        """Tasks that one arm alone solved."""
        return self.only_first + self.only_second

    @property
    def difference(self) -> float:
        """The first arm's rate minus the second's."""
        return (self.only_first - self.only_second) / self.n

    @property
    def phi(self) -> float | None:
        """The correlation of the two outcomes; None if an arm solved all tasks or none."""
        spread = self.first * self.second * (self.n - self.first) * (self.n - self.second)
        agreement = self.both * self.neither - self.only_first * self.only_second
        return agreement / sqrt(spread) if spread else None

    def standard_error(self, *, lost: int = 0) -> float:
        """That of `difference`: of pairs, sqrt((b + c - (b - c)^2 / n) / (n - lost) / n).

        Raises:
            ValueError: n is not above `lost`.
        """
        if self.n <= lost:
            raise ValueError(f"a standard error needs more than {lost} pair(s), and has {self.n}")
        squares = self.discordant - (self.only_first - self.only_second) ** 2 / self.n
        return sqrt(squares / (self.n - lost) / self.n)


def paired_table(
    first: Mapping[str, SupportsFloat],
    second: Mapping[str, SupportsFloat],
    *,
    planned: SupportsIndex | None = None,
) -> PairedTable:
    """The table of two arms whose outcome at each task is 0 or 1.

    Raises:
        ValueError: different tasks, none, or an outcome that is neither 0 nor 1.
    """
    tasks, ours, theirs = pairs(first, second)
    for task, a, b in zip(tasks, ours, theirs, strict=True):
        if not {a, b} <= {0.0, 1.0}:
            raise ValueError(
                f"an outcome at task {task} is neither 0 nor 1: "
                "compare means of several attempts by `mean_difference`"
            )
    both = sum(1 for a, b in zip(ours, theirs, strict=True) if a == b == 1.0)
    return PairedTable(
        both=both,
        only_first=int(sum(ours)) - both,
        only_second=int(sum(theirs)) - both,
        neither=sum(1 for a, b in zip(ours, theirs, strict=True) if a == b == 0.0),
        planned=None if planned is None else planned_of(planned, len(tasks)),
    )


@dataclass(frozen=True)
class PairedTest:
    """A two-sided test that both arms solve a task equally often.

    `n` counts the discordant tasks, which are all that it looks at. `midp`, `exact` (the p-value as
    a fraction) and `statistic` (a chi-square with one degree of freedom) are None where the method
    has none. `coverage` is that of the table.
    """

    method: str
    n: int
    only_first: int
    only_second: int
    pvalue: float
    midp: float | None = None
    exact: Fraction | None = None
    statistic: float | None = None
    coverage: float = 1.0


def mcnemar_exact(b: SupportsIndex, c: SupportsIndex, *, coverage: float = 1.0) -> PairedTest:
    """The exact test of McNemar: b tasks that only the first arm solved, c only the second.

        p = min(1, 2 P(X <= min(b, c))),   X ~ Binomial(b + c, 1/2)
        midp = 2 P(X < min(b, c)) + P(X = min(b, c))

    Both are sums of whole numbers over a power of two, and rounded once. Without a discordant task
    both are 1. `coverage` is passed on (`PairedTable.coverage`).
    Sources: McNemar, Psychometrika 12 (1947) 153; Fagerland, Lydersen and Laake, BMC Medical
    Research Methodology 13 (2013) 91.

    Raises:
        ValueError: b or c is no whole number of at least 0.
    """
    b, c = whole("b", b), whole("c", c)
    n, less = b + c, min(b, c)
    tail = sum(comb(n, x) for x in range(less + 1))
    exact = min(Fraction(1), Fraction(2 * tail, 2**n))
    midp = Fraction(2 * tail - comb(n, less), 2**n)
    return PairedTest(
        method="McNemar, exact",
        n=n,
        only_first=b,
        only_second=c,
        pvalue=float(exact),
        midp=float(midp),
        exact=exact,
        coverage=coverage,
    )


def mcnemar_chi_square(
    b: SupportsIndex, c: SupportsIndex, *, corrected: bool = False, coverage: float = 1.0
) -> PairedTest:
    """(b - c)^2 / (b + c), or (|b - c| - 1)^2 / (b + c) when `corrected`: to check published work.

    Without a discordant task the statistic is 0. Source: McNemar (1947); Edwards, Psychometrika 13
    (1948) 185.

    Raises:
        ValueError: b or c is no whole number of at least 0.
    """
    b, c = whole("b", b), whole("c", c)
    distance = max(abs(b - c) - (1 if corrected else 0), 0)
    statistic = distance**2 / (b + c) if b + c else 0.0
    return PairedTest(
        method=f"McNemar, chi-square{' with continuity correction' if corrected else ''}",
        n=b + c,
        only_first=b,
        only_second=c,
        pvalue=erfc(sqrt(statistic / 2)),
        statistic=statistic,
        coverage=coverage,
    )


def conditional_odds_ratio(b: SupportsIndex, c: SupportsIndex, *, level: float = LEVEL) -> Estimate:
    """b / c with its exact interval: the odds of the Clopper-Pearson interval of b among b + c.

    Infinite where c is 0. `n` counts the discordant tasks. Source: Breslow and Day, Statistical
    Methods in Cancer Research I (1980), section 5.2.

    Raises:
        ValueError: b or c is no whole number of at least 0, or both are 0.
    """
    b, c = whole("b", b), whole("c", c)
    if b + c == 0:
        raise ValueError("no task is discordant: the odds ratio is not defined")
    rate = clopper_pearson(b, b + c, level=level)
    return Estimate(
        method="conditional odds ratio, exact",
        value=_odds(b / (b + c)) if c == 0 else b / c,
        low=_odds(rate.low),
        high=_odds(rate.high),
        level=level,
        n=b + c,
        planned=b + c,
    )


@dataclass(frozen=True)
class Split:
    """`n` discordant tasks and the least uneven way to divide them that is significant."""

    method: str
    n: int
    alpha: float
    more: int
    less: int
    pvalue: float


def least_significant_split(n: SupportsIndex, *, alpha: float = 0.05) -> Split | None:
    """How n discordant tasks must divide for an exact p of at most alpha; None if no way does.

    Raises:
        ValueError: n is no whole number of at least 0, or alpha not in (0, 1).
    """
    n = whole("n", n)
    less = critical_count(n, share("alpha", alpha))
    if less is None:
        return None
    test = mcnemar_exact(n - less, less)
    return Split(test.method, n, alpha, n - less, less, test.pvalue)


@lru_cache(maxsize=4096)
def critical_count(n: int, alpha: float) -> int | None:
    """The greatest x with 2 P(X <= x) <= alpha, X ~ Binomial(n, 1/2); None if there is none."""
    # whole numbers: 2 sum C(n, x) <= alpha 2^n, where alpha is the fraction that its float is
    bound = Fraction(alpha) * 2**n
    total, x = 2, 0
    if total > bound:
        return None
    while x < n and total + 2 * comb(n, x + 1) <= bound:
        x += 1
        total += 2 * comb(n, x)
    return x


@dataclass(frozen=True)
class McNemarBounds:
    """What the exact test can say of two totals, whatever their overlap is.

    `least_at` and `greatest_at` are overlaps (tables) at which the p-values are reached.
    """

    method: str
    n: int
    least_pvalue: float
    least_at: PairedTable
    greatest_pvalue: float
    greatest_at: PairedTable


def mcnemar_bounds(first: SupportsIndex, second: SupportsIndex, n: SupportsIndex) -> McNemarBounds:
    """Least and greatest exact p for totals of two arms at n tasks, when no pairs were published.

    Raises:
        ValueError: a total is not between 0 and n, or n is 0.
    """
    first, second, n = whole("first", first), whole("second", second), whole("n", n, least=1)
    for name, total in (("first", first), ("second", second)):
        if total > n:
            raise ValueError(f"{name} must not be above n, and {total} is above {n}")
    tables = [
        PairedTable(both, first - both, second - both, n - first - second + both)
        for both in range(max(0, first + second - n), min(first, second) + 1)
    ]
    tests = [(mcnemar_exact(t.only_first, t.only_second).pvalue, -t.both, t) for t in tables]
    least, greatest = min(tests, key=lambda x: x[:2]), max(tests, key=lambda x: x[:2])
    return McNemarBounds(
        "McNemar, exact, over every overlap", n, least[0], least[2], greatest[0], greatest[2]
    )


def _odds(rate: float) -> float:
    return inf if rate >= 1.0 else rate / (1.0 - rate)
