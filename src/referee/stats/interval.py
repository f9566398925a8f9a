"""Intervals for one rate: k successes of n tasks, each task drawn once.

Wilson's is the default of every table: it needs nothing but a normal quantile, keeps its coverage
near 0 and 1, and never leaves [0, 1]. Brown, Cai and DasGupta, Statistical Science 16 (2001) 101,
compare all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import SupportsIndex

from referee.stats.estimate import Estimate, normal_quantile
from referee.stats.require import count_of, planned_of, share

LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Rate(Estimate):
    """`k` successes of `n`: `value` is k / n."""

    k: int


def wilson(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Rate:
    """The score interval: every rate p with |k/n - p| <= z sqrt(p (1 - p) / n).

        (k + z^2/2 +- z sqrt(k (n - k) / n + z^2/4)) / (n + z^2)

    Source: Wilson, JASA 22 (1927) 209.

    Raises:
        ValueError: not 0 <= k <= n with n >= 1, level not in (0, 1), or planned < n.
    """
    k, n = count_of(k, n)
    z = normal_quantile(share("level", level))
    middle, reach = k + z * z / 2, z * sqrt(k * (n - k) / n + z * z / 4)
    low, high = (middle - reach) / (n + z * z), (middle + reach) / (n + z * z)
    return _rate("Wilson score", k, n, low if k else 0.0, high if k < n else 1.0, level, planned)


def wilson_corrected(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Rate:
    """The score interval with continuity correction: wider, close to `clopper_pearson`.

    Source: Newcombe, Statistics in Medicine 17 (1998) 857, method 4.

    Raises:
        ValueError: as `wilson`.
    """
    k, n = count_of(k, n)
    z = normal_quantile(share("level", level))
    scale, centre, p = 2 * (n + z * z), 2 * k + z * z, k / n
    low, high = 0.0, 1.0
    if k > 0:
        low = (centre - 1 - z * sqrt(z * z - 2 - 1 / n + 4 * p * (n - k + 1))) / scale
    if k < n:
        high = (centre + 1 + z * sqrt(z * z + 2 - 1 / n + 4 * p * (n - k - 1))) / scale
    return _rate("Wilson score with continuity correction", k, n, low, high, level, planned)


def clopper_pearson(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Rate:
    """The exact interval: covers with at least `level`, whatever the rate.

    From the (1 - level)/2 quantile of Beta(k, n - k + 1) to the (1 + level)/2 quantile of
    Beta(k + 1, n - k); 0 below k = 0, 1 above k = n.
    Source: Clopper and Pearson, Biometrika 26 (1934) 404.

    Raises:
        ValueError: as `wilson`.
    """
    k, n = count_of(k, n)
    low, high = _beta_quantiles(k, n, 0.0, share("level", level))
    return _rate("Clopper-Pearson", k, n, low, high, level, planned)


def jeffreys(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Rate:
    """Equal-tailed quantiles of Beta(k + 1/2, n - k + 1/2), the posterior under Jeffreys' prior.

    Never touches 0 or 1. Source: Brown, Cai and DasGupta (2001), section 3.1.3, without their
    change of the end points.

    Raises:
        ValueError: as `wilson`.
    """
    k, n = count_of(k, n)
    low, high = _beta_quantiles(k, n, 0.5, share("level", level))
    return _rate("Jeffreys", k, n, low, high, level, planned)


def agresti_coull(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Rate:
    """Wald's interval about (k + z^2/2) / (n + z^2), cut to [0, 1].

    Source: Agresti and Coull, The American Statistician 52 (1998) 119.

    Raises:
        ValueError: as `wilson`.
    """
    k, n = count_of(k, n)
    z = normal_quantile(share("level", level))
    middle = (k + z * z / 2) / (n + z * z)
    reach = z * sqrt(middle * (1 - middle) / (n + z * z))
    return _rate("Agresti-Coull", k, n, middle - reach, middle + reach, level, planned)


def wald(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Rate:
    """k/n +- z sqrt(k (n - k) / n^3), cut to [0, 1]: only to check what others have published.

    It covers too rarely at n of 100, has no width at k = 0 and k = n, and no table prints it.

    Raises:
        ValueError: as `wilson`.
    """
    k, n = count_of(k, n)
    reach = normal_quantile(share("level", level)) * standard_error(k, n)
    return _rate("Wald", k, n, k / n - reach, k / n + reach, level, planned)


def standard_error(k: SupportsIndex, n: SupportsIndex, *, lost: int = 0) -> float:
    """sqrt(p (1 - p) / (n - lost)) with p = k / n; `lost` = 1 gives that of the sample variance.

    Raises:
        ValueError: not 0 <= k <= n, or n not above `lost`.
    """
    k, n = count_of(k, n)
    if n <= lost:
        raise ValueError(f"a standard error needs more than {lost} task(s), and there is {n}")
    return sqrt(k * (n - k) / (n - lost)) / n


def _beta_quantiles(k: int, n: int, prior: float, level: float) -> tuple[float, float]:
    """Quantiles of Beta(k + prior, ...) below and above; with no prior, 0 and 1 at the borders."""
    from scipy.special import betaincinv

    tail = (1.0 - level) / 2.0
    step = 0.0 if prior else 1.0
    low = betaincinv(k + prior, n - k + prior + step, tail) if k or prior else 0.0
    high = betaincinv(k + prior + step, n - k + prior, 1.0 - tail) if k < n or prior else 1.0
    return float(low), float(high)


def _rate(
    method: str,
    k: int,
    n: int,
    low: float,
    high: float,
    level: float,
    planned: SupportsIndex | None,
) -> Rate:
    return Rate(
        method=method,
        value=k / n,
        low=max(0.0, low),
        high=min(1.0, high),
        level=level,
        n=n,
        planned=planned_of(planned, n),
        k=k,
    )
