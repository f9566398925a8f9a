"""Two rates at different tasks: what is left when two arms share no tasks.

Arms at the same tasks are compared by `referee.stats.paired`, which finds more with less.
The intervals are those of statsmodels (extra `stats`), the tests those of SciPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import Literal, SupportsIndex

from referee.stats.estimate import Estimate
from referee.stats.interval import LEVEL
from referee.stats.require import count_of, share

Method = Literal["newcombe", "score", "agresti-caffo", "wald"]
_METHODS = {
    "newcombe": ("newcomb", "Newcombe method 10, unpaired"),
    "score": ("score", "Mee score"),
    "agresti-caffo": ("agresti-caffo", "Agresti-Caffo"),
    "wald": ("wald", "Wald, unpaired"),
}


def independent_difference(
    first: tuple[SupportsIndex, SupportsIndex],
    second: tuple[SupportsIndex, SupportsIndex],
    *,
    method: Method = "newcombe",
    level: float = LEVEL,
) -> Estimate:
    """k1/n1 - k2/n2 with an interval; `first` and `second` are (successes, tasks).

    `score` is without the factor n / (n - 1) of Miettinen and Nurminen. Sources: Newcombe,
    Statistics in Medicine 17 (1998) 873, method 10; Mee, Biometrics 40 (1984) 1175; Agresti and
    Caffo, The American Statistician 54 (2000) 280.

    Raises:
        ValueError: not 0 <= k <= n with n >= 1, an unknown method, or level not in (0, 1).
        ModuleNotFoundError: the extra `stats` is not installed.
    """
    (k1, n1), (k2, n2) = count_of(*first), count_of(*second)
    if method not in _METHODS:
        raise ValueError(f"method can be {', '.join(_METHODS)}, and not {method!r}")
    try:
        from statsmodels.stats.proportion import confint_proportions_2indep
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            "unpaired intervals need statsmodels: run `pip install 'referee[stats]'`"
        ) from missing

    name, told = _METHODS[method]
    low, high = confint_proportions_2indep(
        k1,
        n1,
        k2,
        n2,
        method=name,
        compare="diff",
        alpha=1.0 - share("level", level),
        correction=False,
    )
    return Estimate(
        method=told,
        value=k1 / n1 - k2 / n2,
        low=max(-1.0, float(low)),
        high=min(1.0, float(high)),
        level=level,
        n=n1 + n2,
        planned=n1 + n2,
    )


@dataclass(frozen=True)
class IndependentTests:
    """Two-sided p-values that two unpaired rates are equal; `n` counts the tasks of both.

    `z` is the pooled z statistic, 0 where both rates are 0 or both are 1.
    """

    n: int
    z: float
    z_pvalue: float
    fisher: float
    barnard: float
    boschloo: float

    @property
    def method(self) -> str:
        """The tests, in the order of their fields."""
        return "pooled z, Fisher exact, Barnard exact, Boschloo exact"


def independent_tests(
    first: tuple[SupportsIndex, SupportsIndex], second: tuple[SupportsIndex, SupportsIndex]
) -> IndependentTests:
    """Four tests that k1/n1 and k2/n2 are equal; `first` and `second` are (successes, tasks).

    The exact ones are SciPy's `fisher_exact`, `barnard_exact` and `boschloo_exact`.

    Raises:
        ValueError: not 0 <= k <= n with n >= 1.
    """
    from scipy.stats import barnard_exact, boschloo_exact, fisher_exact

    (k1, n1), (k2, n2) = count_of(*first), count_of(*second)
    pooled = (k1 + k2) / (n1 + n2)
    error = sqrt(pooled * (1.0 - pooled) * (1.0 / n1 + 1.0 / n2))
    z = (k1 / n1 - k2 / n2) / error if error else 0.0
    table = [[k1, k2], [n1 - k1, n2 - k2]]
    return IndependentTests(
        n=n1 + n2,
        z=z,
        z_pvalue=erfc(abs(z) / sqrt(2.0)),
        fisher=float(fisher_exact(table)[1]),
        barnard=float(barnard_exact(table).pvalue) if error else 1.0,
        boschloo=float(boschloo_exact(table).pvalue) if error else 1.0,
    )
