"""Means over tasks with standard errors that know what is independent of what.

Attempts at one task are averaged first: the task is the unit. Tasks of one repository or domain
succeed and fail together, so `clustered_mean` sums the deviations of each cluster before it squares
them; the error may be three times the naive one (Miller 2024, arXiv:2411.00640).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import SupportsFloat, SupportsIndex

from referee.stats.estimate import Estimate, student_quantile
from referee.stats.require import labels, numbers, pairs, planned_of, share

FEW_CLUSTERS = 10


@dataclass(frozen=True, kw_only=True)
class Mean(Estimate):
    """A mean over n tasks. `se` is its standard error, and `low`, `high` are value +- t se.

    The interval may leave the range of the scores where tasks are few. `se_independent` is the
    standard error that independent tasks would have, and `clusters` the number of clusters; None if
    each task stands for itself.
    """

    se: float
    se_independent: float
    clusters: int | None = None

    @property
    def design_effect(self) -> float | None:
        """(se / se_independent)^2: by how much clusters cut the sample; None without spread."""
        return (self.se / self.se_independent) ** 2 if self.se_independent else None

    @property
    def few_clusters(self) -> bool:
        """Below ten clusters the standard error is itself unsure, and mostly too small."""
        return self.clusters is not None and self.clusters < FEW_CLUSTERS


def task_mean(
    scores: Sequence[SupportsFloat],
    *,
    level: float = 0.95,
    planned: SupportsIndex | None = None,
) -> Mean:
    """The mean of n independent task scores: each the mean of a task's attempts.

        se = sqrt(sum (s_i - mean)^2 / (n - 1) / n),   mean +- t(n - 1) se

    Source: Miller 2024, section 2, with Student's t in place of the normal quantile for few tasks.

    Raises:
        ValueError: fewer than 2 scores, one not finite, level not in (0, 1), or planned < n.
    """
    values = numbers("scores", scores, least=2)
    n = len(values)
    mean = fsum(values) / n
    se = _sample_error(values, mean)
    reach = student_quantile(share("level", level), n - 1) * se
    return Mean(
        method="Student t over task means",
        value=mean,
        low=mean - reach,
        high=mean + reach,
        level=level,
        n=n,
        planned=planned_of(planned, n),
        se=se,
        se_independent=se,
    )


def clustered_mean(
    scores: Sequence[SupportsFloat],
    clusters: Sequence[str],
    *,
    corrected: bool = True,
    level: float = 0.95,
    planned: SupportsIndex | None = None,
) -> Mean:
    """The mean of n task scores that come in C clusters, such as domains or repositories.

        CR0: se^2 = sum over clusters of (sum of the cluster's s_i - mean)^2 / n^2
        CR1: se^2 = CR0 C / (C - 1), when `corrected`

    and the interval is value +- t(C - 1) se. Source: Miller 2024, equation 4 (CR0); the factor is
    that of a cluster-robust regression on a constant, as Inspect uses it.

    Raises:
        ValueError: as `task_mean`, not one label for each score, or fewer than 2 clusters.
    """
    values = numbers("scores", scores, least=2)
    n = len(values)
    groups: dict[str, list[float]] = defaultdict(list)
    mean = fsum(values) / n
    for label, value in zip(labels(clusters, n), values, strict=True):
        groups[label].append(value - mean)
    count = len(groups)
    if count < 2:
        raise ValueError("a clustered standard error needs at least 2 clusters, and has 1")
    se = sqrt(fsum(fsum(group) ** 2 for group in groups.values())) / n
    se *= sqrt(count / (count - 1)) if corrected else 1.0
    reach = student_quantile(share("level", level), count - 1) * se
    return Mean(
        method=f"Student t, cluster-robust {'CR1' if corrected else 'CR0'}",
        value=mean,
        low=mean - reach,
        high=mean + reach,
        level=level,
        n=n,
        planned=planned_of(planned, n),
        se=se,
        se_independent=_sample_error(values, mean),
        clusters=count,
    )


@dataclass(frozen=True, kw_only=True)
class MeanDifference(Mean):
    """A mean of paired differences; `pvalue` is that of a two-sided t test of no difference.

    None when no task differs from another: then there is no spread to test against.
    """

    pvalue: float | None


def mean_difference(
    first: Mapping[str, SupportsFloat],
    second: Mapping[str, SupportsFloat],
    *,
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
    planned: SupportsIndex | None = None,
) -> MeanDifference:
    """First minus second at each task, averaged: for scores that are means of several attempts.

    `first` and `second` map tasks to scores, `clusters` tasks to clusters. Without clusters this is
    the paired t interval and test. Source: Miller 2024, on paired differences.

    Raises:
        ValueError: different tasks, fewer than 2, a score not finite, or a task without cluster.
    """
    tasks, ours, theirs = pairs(first, second, least=2)
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    if clusters is None:
        mean, degrees = task_mean(differences, level=level, planned=planned), len(tasks) - 1
    else:
        if lacking := [task for task in tasks if task not in clusters]:
            raise ValueError(f"task {lacking[0]} has no cluster: give one for each task")
        of_tasks = [clusters[task] for task in tasks]
        mean = clustered_mean(differences, of_tasks, level=level, planned=planned)
        degrees = len(set(of_tasks)) - 1
    return MeanDifference(
        **{**vars(mean), "method": f"paired {mean.method}"},
        pvalue=_two_sided(mean.value / mean.se, degrees) if mean.se else None,
    )


def _sample_error(values: Sequence[float], mean: float) -> float:
    n = len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1) / n)


def _two_sided(t: float, degrees: int) -> float:
    from scipy.special import stdtr

    return float(2.0 * stdtr(degrees, -abs(t)))
