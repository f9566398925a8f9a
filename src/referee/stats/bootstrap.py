"""Bootstrap over tasks: the task is what is drawn again, with all that was measured at it.

Draws depend on the seed and on how many tasks there are, and scores are put in order before they
are drawn, so neither the order of tasks nor that of arms changes a result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from referee.stats.estimate import Estimate
from referee.stats.interval import LEVEL
from referee.stats.require import count_of, labels, numbers, pairs, planned_of, share, whole

RESAMPLES = 10_000
_BLOCK = 2_000_000
"""Draws that are held at a time: 16 MB."""


@dataclass(frozen=True, kw_only=True)
class Bootstrapped(Estimate):
    """A percentile interval: quantiles of the value over `resamples` resamples, drawn by `seed`.

    `clusters` is the number of clusters that were drawn instead of tasks, else None.
    """

    resamples: int
    seed: int
    clusters: int | None = None


def bootstrap_mean(
    scores: Sequence[SupportsFloat],
    *,
    clusters: Sequence[str] | None = None,
    resamples: SupportsIndex = RESAMPLES,
    seed: SupportsIndex = 0,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Bootstrapped:
    """The mean of task scores, with the percentile interval of tasks drawn with replacement.

    With `clusters` (one label for each score), whole clusters are drawn, and the mean is over the
    tasks that they bring. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993),
    chapter 13.

    Raises:
        ValueError: no score, one not finite, another number of labels, resamples < 1, level not in
            (0, 1), or planned < n.
    """
    values = numbers("scores", scores)
    n, of_scores = len(values), None if clusters is None else labels(clusters, len(values))
    groups: dict[str, list[float]] = defaultdict(list)
    for place, value in enumerate(values):
        groups[of_scores[place] if of_scores else str(place)].append(value)
    units = np.array(sorted((fsum(group), len(group)) for group in groups.values()))
    seed, count = whole("seed", seed), whole("resamples", resamples, least=1)
    sums = np.concatenate([w @ units for w in draw_weights(len(units), count, seed)])
    low, high = percentiles(sums[:, 0] / sums[:, 1], share("level", level))
    return Bootstrapped(
        method=f"bootstrap over {'tasks' if clusters is None else 'clusters'}, percentile",
        value=fsum(values) / n,
        low=float(low),
        high=float(high),
        level=level,
        n=n,
        planned=planned_of(planned, n),
        resamples=count,
        seed=seed,
        clusters=None if clusters is None else len(units),
    )


def bootstrap_difference(
    first: Mapping[str, SupportsFloat],
    second: Mapping[str, SupportsFloat],
    *,
    resamples: SupportsIndex = RESAMPLES,
    seed: SupportsIndex = 0,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Bootstrapped:
    """First minus second, averaged over tasks that are drawn with both scores at once.

    Raises:
        ValueError: different tasks, none, and as `bootstrap_mean`.
    """
    _, ours, theirs = pairs(first, second)
    return bootstrap_mean(
        [a - b for a, b in zip(ours, theirs, strict=True)],
        resamples=resamples,
        seed=seed,
        level=level,
        planned=planned,
    )


def bootstrap_limit(
    k: SupportsIndex,
    n: SupportsIndex,
    *,
    level: float = LEVEL,
    planned: SupportsIndex | None = None,
) -> Estimate:
    """Where `bootstrap_mean` of k ones among n goes with ever more resamples: binomial quantiles.

        the (1 - level)/2 and (1 + level)/2 quantiles of Binomial(n, k/n), divided by n

    It has no width at k = 0 and k = n, which is why rates take `wilson`.

    Raises:
        ValueError: not 0 <= k <= n with n >= 1, level not in (0, 1), or planned < n.
    """
    from scipy.stats import binom

    k, n = count_of(k, n)
    tail = (1.0 - share("level", level)) / 2.0
    return Estimate(
        method="bootstrap over tasks, percentile, limit of many resamples",
        value=k / n,
        low=float(binom.ppf(tail, n, k / n)) / n,
        high=float(binom.ppf(1.0 - tail, n, k / n)) / n,
        level=level,
        n=n,
        planned=planned_of(planned, n),
    )


def draw_weights(units: int, resamples: int, seed: int) -> Iterator[npt.NDArray[np.float64]]:
    """How often each of `units` units is drawn: blocks of shape (resamples in it, units).

    Each row sums to `units`; the rows of all blocks together are `resamples`.
    """
    chance = np.random.default_rng(seed)
    rows = max(1, _BLOCK // units)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = chance.integers(0, units, size=(size, units))
        drawn += units * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(float)


def percentiles(values: npt.NDArray[np.float64], level: float) -> npt.NDArray[np.float64]:
    """The two ends, over the first axis, that each are a value that was drawn (inverted CDF)."""
    tail = (1.0 - level) / 2.0
    ends: npt.NDArray[np.float64] = np.quantile(
        values, [tail, 1.0 - tail], axis=0, method="inverted_cdf"
    )
    return ends
