"""What a comparison can find: its power, the least effect that it finds, the tasks it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import SupportsFloat, SupportsIndex

import numpy as np

from referee.stats.paired import critical_count
from referee.stats.require import finite, share, whole

ALPHA, POWER = 0.05, 0.8
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Power:
    """The chance that a comparison of n tasks is significant at `alpha`, two-sided.

    `effect` is the true difference of the rates.
    """

    method: str
    n: int
    alpha: float
    effect: float
    power: float


@dataclass(frozen=True)
class DetectableEffect:
    """The least difference of two rates that n tasks find with a chance of `power`.

    None where no difference would do: with so few discordant tasks even the most uneven split is
    found less often. `given` is what the answer depends on: the discordance, or the base rate.
    """

    method: str
    n: int
    alpha: float
    power: float
    given: float
    effect: float | None


def mcnemar_power(
    only_first: SupportsFloat, only_second: SupportsFloat, n: SupportsIndex, *, alpha: float = ALPHA
) -> Power:
    """Exact power of `mcnemar_exact` at n tasks.

        sum over m of P(M = m) P(p(X, m - X) <= alpha)

    with M ~ Binomial(n, p10 + p01), X ~ Binomial(m, p10 / (p10 + p01)); `only_first` and
    `only_second` are p10 and p01, the rates of tasks that one arm alone solves.

    Raises:
        ValueError: a rate below 0, both above 1 together, n < 1, or alpha not in (0, 1).
    """
    p10, p01 = finite("only_first", only_first), finite("only_second", only_second)
    n = whole("n", n, least=1)
    if min(p10, p01) < 0.0 or p10 + p01 > 1.0:
        raise ValueError(
            f"rates of discordant tasks must be at least 0 and at most 1 together: {p10}, {p01}"
        )
    power = _exact_power(p10, p01, n, share("alpha", alpha))
    return Power("McNemar, exact", n, alpha, p10 - p01, power)


def detectable_difference(
    n: SupportsIndex,
    discordance: SupportsFloat,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
) -> DetectableEffect:
    """The least difference that `mcnemar_exact` finds at n tasks when `discordance` is the rate of
    tasks that one arm alone solves.

    Raises:
        ValueError: n < 1, discordance not in [0, 1], power or alpha not in (0, 1).
    """
    n, rate = whole("n", n, least=1), finite("discordance", discordance)
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"discordance must lie between 0 and 1, and is {rate}")
    share("power", power), share("alpha", alpha)

    def lacking(effect: float) -> float:
        return _exact_power((rate + effect) / 2, (rate - effect) / 2, n, alpha) - power

    effect = _root(lacking, rate)
    return DetectableEffect("McNemar, exact", n, alpha, power, rate, effect)


def detectable_difference_independent(
    n: SupportsIndex,
    base: SupportsFloat,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
) -> DetectableEffect:
    """The least rise above `base` that a z test finds with n tasks in each of two unpaired arms.

        d sqrt(n) = z(1 - alpha/2) sqrt(2 p (1 - p)) + z(power) sqrt(p1 (1 - p1) + p2 (1 - p2))

    with p1 = base, p2 = base + d, p their mean. Source: Fleiss, Levin and Paik, Statistical Methods
    for Rates and Proportions (2003), section 4.2, without continuity correction.

    Raises:
        ValueError: n < 1, base not in [0, 1), power or alpha not in (0, 1).
    """
    n, p1 = whole("n", n, least=1), finite("base", base)
    if not 0.0 <= p1 < 1.0:
        raise ValueError(f"base must be at least 0 and below 1, and is {p1}")
    z_alpha = _NORMAL.inv_cdf(1.0 - share("alpha", alpha) / 2.0)
    z_power = _NORMAL.inv_cdf(share("power", power))

    def lacking(d: float) -> float:
        p2, middle = p1 + d, p1 + d / 2
        null = sqrt(2 * middle * (1 - middle))
        return d * sqrt(n) - z_alpha * null - z_power * sqrt(p1 * (1 - p1) + p2 * (1 - p2))

    effect = _root(lacking, 1.0 - p1)
    return DetectableEffect("z test, unpaired", n, alpha, power, p1, effect)


@dataclass(frozen=True)
class SampleSize:
    """Tasks that a paired comparison of means needs; `exact` is n before it is rounded up."""

    method: str
    n: int
    exact: float
    alpha: float
    power: float
    effect: float


def tasks_needed(
    effect: SupportsFloat,
    *,
    between: SupportsFloat,
    within: tuple[SupportsFloat, SupportsFloat] = (0.0, 0.0),
    attempts: tuple[SupportsIndex, SupportsIndex] = (1, 1),
    power: float = POWER,
    alpha: float = ALPHA,
) -> SampleSize:
    """n = (z(1 - alpha/2) + z(power))^2 (omega^2 + sigma_A^2 / K_A + sigma_B^2 / K_B) / effect^2

    `between` is omega^2, the variance over tasks of the difference of the arms' expected scores;
    `within` are the mean variances of one attempt at a task, and `attempts` the K of either arm.
    Source: Miller 2024, arXiv:2411.00640, equation 9.

    Raises:
        ValueError: effect is 0, a variance below 0, all variances 0, attempts < 1, power or alpha
            not in (0, 1).
    """
    delta = finite("effect", effect)
    if delta == 0.0:
        raise ValueError("an effect of 0 needs no number of tasks: say which difference matters")
    variances = [finite("between", between), *(finite("within", x) for x in within)]
    if min(variances) < 0.0 or max(variances) == 0.0:
        raise ValueError(f"variances must be at least 0, one above it, and are {variances}")
    k_a, k_b = (whole("attempts", k, least=1) for k in attempts)
    quantiles = _NORMAL.inv_cdf(1.0 - share("alpha", alpha) / 2.0) + _NORMAL.inv_cdf(
        share("power", power)
    )
    spread = variances[0] + variances[1] / k_a + variances[2] / k_b
    exact = quantiles**2 * spread / delta**2
    return SampleSize("paired means, normal", int(np.ceil(exact)), exact, alpha, power, delta)


_NO_DISCORDANCE = 1e-30
"""Below it the power is nought to all digits, and SciPy's binomial may overflow."""


def _exact_power(p10: float, p01: float, n: int, alpha: float) -> float:
    from scipy.stats import binom

    discordance = p10 + p01
    critical = [critical_count(m, alpha) for m in range(n + 1)]
    m = np.array([size for size, x in enumerate(critical) if x is not None], dtype=int)
    x = np.array([x for x in critical if x is not None], dtype=int)
    if discordance < _NO_DISCORDANCE or not m.size:
        return 0.0
    share_first = p10 / discordance
    found = binom.cdf(x, m, share_first) + binom.sf(m - x - 1, m, share_first)
    return float(np.sum(binom.pmf(m, n, discordance) * found))


def _root(lacking: Callable[[float], float], greatest: float) -> float | None:
    """Where `lacking` turns from below 0 to above it, up to `greatest`; None if it does not."""
    from scipy.optimize import brentq

    if lacking(greatest) < 0.0:
        return None
    return 0.0 if lacking(0.0) >= 0.0 else float(brentq(lacking, 0.0, greatest, xtol=1e-12))
