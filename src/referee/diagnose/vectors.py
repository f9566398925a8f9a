"""Questions to lists of numbers: do they look written rather than measured, are they copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from math import isclose
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

_MEASURED_DIGITS = 6


def decimals(value: float) -> int:
    """Decimal places of the shortest text of a number: 0.58 has two."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def digits(value: float) -> int:
    """Significant digits of the shortest text of a number: 0.0580 has two."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


def is_measured(value: float) -> bool:
    """A number with as many digits as arithmetic on doubles leaves, and people do not type."""
    return digits(value) > _MEASURED_DIGITS


def longest_progression(values: Sequence[float]) -> int:
    """The most equal, non-zero steps in a row; steps are compared to 1e-9 relative."""
    best = run = 0
    previous: float | None = None
    for a, b in pairwise(values):
        step = b - a
        same = previous is not None and isclose(step, previous, rel_tol=1e-9, abs_tol=1e-15)
        run = (run + 1 if same else 1) if step != 0 else 0
        best, previous = max(best, run), step
    return best


def most_common(values: Iterable[float]) -> tuple[float, int] | None:
    """The value that occurs most, the first of several, and how often; None of nothing."""
    found = Counter(values).most_common(1)
    return found[0] if found else None


def equal_groups(vectors: Mapping[K, Hashable], size: int) -> list[list[K]]:
    """Groups of at least `size` names whose values are identical, in order of their first names."""
    groups: dict[Hashable, list[K]] = {}
    for name, value in vectors.items():
        groups.setdefault(value, []).append(name)
    return [names for names in groups.values() if len(names) >= size]


def spearman(values: Sequence[float]) -> float:
    """Rank correlation of values with their positions, average ranks for ties; 0 if undefined."""
    n = len(values)
    ranks = _ranks(values)
    centre = (n - 1) / 2
    up = sum((i - centre) * (r - centre) for i, r in enumerate(ranks))
    down = sum((i - centre) ** 2 for i in range(n)) * sum((r - centre) ** 2 for r in ranks)
    return up / down**0.5 if down else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for position in range(start, end + 1):
            ranks[order[position]] = (start + end) / 2
        start = end + 1
    return ranks
