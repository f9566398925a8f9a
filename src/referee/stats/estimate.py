"""What every estimate of this room says of itself: value, interval, method, n and coverage."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with its interval.

    `method` names the interval. `level` is its nominal confidence. `n` counts the units that were
    seen (tasks, unless the function says otherwise), `planned` those that there should have been.
    """

    method: str
    value: float
    low: float
    high: float
    level: float
    n: int
    planned: int

    @property
    def coverage(self) -> float:
        """The share of the planned units that the value rests on, in (0, 1]."""
        return self.n / self.planned


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval: 1.959964 at a level of 0.95."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


def student_quantile(level: float, degrees: int) -> float:
    """The t of a two-sided interval with `degrees` >= 1 degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1.0 + level) / 2.0))
