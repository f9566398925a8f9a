"""p-values of several comparisons, adjusted so that they can be read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsFloat

from referee.stats.require import numbers, share


@dataclass(frozen=True)
class Adjusted:
    """`adjusted[i]` belongs to `pvalues[i]`; `rejected[i]` says that it is at most `alpha`."""

    method: str
    n: int
    alpha: float
    pvalues: tuple[float, ...]
    adjusted: tuple[float, ...]
    rejected: tuple[bool, ...]


def holm(pvalues: Sequence[SupportsFloat], *, alpha: float = 0.05) -> Adjusted:
    """Holm's step-down: the chance of any false rejection is at most alpha, under any dependence.

        with p sorted upwards, adjusted_i = max over j <= i of min(1, (n - j + 1) p_j)

    Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65.

    Raises:
        ValueError: no p-value, one not between 0 and 1, or alpha not in (0, 1).
    """
    values = _pvalues(pvalues)
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, highest = [0.0] * len(values), 0.0
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - step) * values[place]))
        adjusted[place] = highest
    return _adjusted("Holm", values, adjusted, alpha)


def benjamini_hochberg(pvalues: Sequence[SupportsFloat], *, alpha: float = 0.05) -> Adjusted:
    """Benjamini and Hochberg's step-up: the expected share of false rejections is at most alpha.

        with p sorted upwards, adjusted_i = min over j >= i of min(1, n p_j / j)

    for p-values that are independent or positively dependent.
    Source: Benjamini and Hochberg, JRSS B 57 (1995) 289.

    Raises:
        ValueError: no p-value, one not between 0 and 1, or alpha not in (0, 1).
    """
    return _false_discovery("Benjamini-Hochberg", "bh", pvalues, alpha)


def benjamini_yekutieli(pvalues: Sequence[SupportsFloat], *, alpha: float = 0.05) -> Adjusted:
    """As `benjamini_hochberg`, times 1 + 1/2 + ... + 1/n: under any dependence.

    Source: Benjamini and Yekutieli, Annals of Statistics 29 (2001) 1165.

    Raises:
        ValueError: no p-value, one not between 0 and 1, or alpha not in (0, 1).
    """
    return _false_discovery("Benjamini-Yekutieli", "by", pvalues, alpha)


def _false_discovery(
    name: str, method: str, pvalues: Sequence[SupportsFloat], alpha: float
) -> Adjusted:
    from scipy.stats import false_discovery_control

    values = _pvalues(pvalues)
    return _adjusted(name, values, false_discovery_control(values, method=method).tolist(), alpha)


def _pvalues(pvalues: Sequence[SupportsFloat]) -> list[float]:
    values = numbers("pvalues", pvalues)
    for place, value in enumerate(values):
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"pvalues[{place}] must lie between 0 and 1, and is {value!r}")
    return values


def _adjusted(
    method: str, values: Sequence[float], adjusted: Sequence[float], alpha: float
) -> Adjusted:
    share("alpha", alpha)
    return Adjusted(
        method=method,
        n=len(values),
        alpha=alpha,
        pvalues=tuple(values),
        adjusted=tuple(adjusted),
        rejected=tuple(value <= alpha for value in adjusted),
    )
