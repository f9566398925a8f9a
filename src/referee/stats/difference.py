"""Intervals for the difference of two paired rates: first arm minus second, at the same tasks.

Each takes a `PairedTable`. Newcombe's method 10 is the default; Tango's score interval is the
second opinion. Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014) 2850, compare them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

from referee.stats.estimate import Estimate, normal_quantile, student_quantile
from referee.stats.interval import LEVEL, wilson
from referee.stats.paired import PairedTable
from referee.stats.require import planned_of, share


def newcombe_paired(table: PairedTable, *, level: float = LEVEL) -> Estimate:
    """Newcombe's method 10: Wilson intervals of both arms, joined by their correlation.

        d - sqrt(x^2 - 2 phi x y' + y'^2),  d + sqrt(x'^2 - 2 phi x' y + y^2)

    with x, x' the distances of the first arm's rate to its Wilson ends below and above, y, y' those
    of the second, and phi the correlation, with n/2 taken off a positive agreement
    both neither - only_first only_second (never below 0), and 0 where an arm solved all or none.
    Source: Newcombe, Statistics in Medicine 17 (1998) 2635, method 10.

    Raises:
        ValueError: level not in (0, 1).
    """
    first, second = (wilson(k, table.n, level=level) for k in (table.first, table.second))
    phi = _damped_phi(table)

    def reach(x: float, y: float) -> float:
        return sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))

    return _difference(
        "Newcombe method 10",
        table,
        table.difference - reach(first.value - first.low, second.high - second.value),
        table.difference + reach(first.high - first.value, second.value - second.low),
        level,
    )


def tango(table: PairedTable, *, level: float = LEVEL) -> Estimate:
    """Tango's score interval: every difference d with |b - c - n d| <= z sqrt(n (2 q + d (1 - d)))

    where q is the most likely rate of `only_second` under d: the greater root of

        2 n q^2 + ((2 n - b + c) d - b - c) q - c d (1 - d) = 0

    Source: Tango, Statistics in Medicine 17 (1998) 891.

    Raises:
        ValueError: level not in (0, 1).
    """
    z = normal_quantile(share("level", level))
    n, b, c = table.n, table.only_first, table.only_second

    def spread(d: float) -> float:
        slope = (2 * n - b + c) * d - b - c
        q = (sqrt(max(0.0, slope * slope + 8 * n * c * d * (1 - d))) - slope) / (4 * n)
        return z * sqrt(max(0.0, n * (2 * q + d * (1 - d))))

    return _difference(
        "Tango score",
        table,
        _border(lambda d: b - c - n * d - spread(d), -1.0, table.difference),
        _border(lambda d: b - c - n * d + spread(d), 1.0, table.difference),
        level,
    )


def agresti_min(table: PairedTable, *, level: float = LEVEL) -> Estimate:
    """Wald's interval after adding 1/2 to every count of the table, cut to [-1, 1].

    Source: Agresti and Min, Statistics in Medicine 24 (2005) 729.

    Raises:
        ValueError: level not in (0, 1).
    """
    z = normal_quantile(share("level", level))
    n, b, c = table.n + 2, table.only_first + 0.5, table.only_second + 0.5
    middle, reach = (b - c) / n, z * sqrt(b + c - (b - c) ** 2 / n) / n
    return _difference("Agresti-Min", table, middle - reach, middle + reach, level)


def paired_wald(table: PairedTable, *, level: float = LEVEL, student: bool = False) -> Estimate:
    """difference +- z se with the sample variance of the pairs, or t(n - 1) with `student`.

    To check what others have published: without a discordant task it has no width.

    Raises:
        ValueError: level not in (0, 1), or fewer than 2 pairs.
    """
    share("level", level)
    se = table.standard_error(lost=1)
    quantile = student_quantile(level, table.n - 1) if student else normal_quantile(level)
    return _difference(
        "paired Student t" if student else "paired Wald",
        table,
        table.difference - quantile * se,
        table.difference + quantile * se,
        level,
    )


def _damped_phi(table: PairedTable) -> float:
    spread = table.first * table.second * (table.n - table.first) * (table.n - table.second)
    agreement = table.both * table.neither - table.only_first * table.only_second
    if spread == 0:
        return 0.0
    return (max(agreement - table.n / 2, 0.0) if agreement > 0 else agreement) / sqrt(spread)


def _border(excess: Callable[[float], float], end: float, difference: float) -> float:
    """Where `excess` changes its sign between `end` and the difference; `end` if nowhere.

    At the difference itself it may be 0 with no spread, so the search stops a hair before it.
    """
    from scipy.optimize import brentq

    hair = 1e-12 if end > difference else -1e-12
    start, stop = difference + hair, end - hair
    if abs(end - difference) <= 2e-12 or excess(start) * excess(stop) >= 0:
        return end
    return float(brentq(excess, start, stop, xtol=1e-15, rtol=1e-14))


def _difference(method: str, table: PairedTable, low: float, high: float, level: float) -> Estimate:
    return Estimate(
        method=method,
        value=table.difference,
        low=max(-1.0, low),
        high=min(1.0, high),
        level=level,
        n=table.n,
        planned=planned_of(table.planned, table.n),
    )
