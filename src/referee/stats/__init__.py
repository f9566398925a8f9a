"""Statistics of results: pure functions on counts and on scores by task.

Every name below is imported from its module when it is first asked for, so that a command that
prints a table does not wait for SciPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.stats.bootstrap import bootstrap_difference, bootstrap_limit, bootstrap_mean
    from referee.stats.cluster import clustered_mean, mean_difference, task_mean
    from referee.stats.difference import agresti_min, newcombe_paired, paired_wald, tango
    from referee.stats.independent import independent_difference, independent_tests
    from referee.stats.interval import (
        agresti_coull,
        clopper_pearson,
        jeffreys,
        standard_error,
        wald,
        wilson,
        wilson_corrected,
    )
    from referee.stats.multiple import benjamini_hochberg, benjamini_yekutieli, holm
    from referee.stats.paired import (
        PairedTable,
        conditional_odds_ratio,
        least_significant_split,
        mcnemar_bounds,
        mcnemar_chi_square,
        mcnemar_exact,
        paired_table,
    )
    from referee.stats.passk import Attempts, pass_at_k, pass_hat_k, pass_rates, plug_in_pass_at_k
    from referee.stats.power import (
        detectable_difference,
        detectable_difference_independent,
        mcnemar_power,
        tasks_needed,
    )
    from referee.stats.preference import bradley_terry
    from referee.stats.ranking import competition_ranks, rank_intervals
    from referee.stats.share import share_interval

__all__ = [
    "Attempts",
    "PairedTable",
    "agresti_coull",
    "agresti_min",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bootstrap_difference",
    "bootstrap_limit",
    "bootstrap_mean",
    "bradley_terry",
    "clopper_pearson",
    "clustered_mean",
    "competition_ranks",
    "conditional_odds_ratio",
    "detectable_difference",
    "detectable_difference_independent",
    "holm",
    "independent_difference",
    "independent_tests",
    "jeffreys",
    "least_significant_split",
    "mcnemar_bounds",
    "mcnemar_chi_square",
    "mcnemar_exact",
    "mcnemar_power",
    "mean_difference",
    "newcombe_paired",
    "paired_table",
    "paired_wald",
    "pass_at_k",
    "pass_hat_k",
    "pass_rates",
    "plug_in_pass_at_k",
    "rank_intervals",
    "share_interval",
    "standard_error",
    "tango",
    "task_mean",
    "tasks_needed",
    "wald",
    "wilson",
    "wilson_corrected",
]

_MODULES = {
    "bootstrap": ("bootstrap_difference", "bootstrap_limit", "bootstrap_mean"),
    "cluster": ("clustered_mean", "mean_difference", "task_mean"),
    "difference": ("agresti_min", "newcombe_paired", "paired_wald", "tango"),
    "independent": ("independent_difference", "independent_tests"),
    "interval": (
        "agresti_coull",
        "clopper_pearson",
        "jeffreys",
        "standard_error",
        "wald",
        "wilson",
        "wilson_corrected",
    ),
    "multiple": ("benjamini_hochberg", "benjamini_yekutieli", "holm"),
    "paired": (
        "PairedTable",
        "conditional_odds_ratio",
        "least_significant_split",
        "mcnemar_bounds",
        "mcnemar_chi_square",
        "mcnemar_exact",
        "paired_table",
    ),
    "passk": ("Attempts", "pass_at_k", "pass_hat_k", "pass_rates", "plug_in_pass_at_k"),
    "power": (
        "detectable_difference",
        "detectable_difference_independent",
        "mcnemar_power",
        "tasks_needed",
    ),
    "preference": ("bradley_terry",),
    "ranking": ("competition_ranks", "rank_intervals"),
    "share": ("share_interval",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
