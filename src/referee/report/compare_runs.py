"""From the folders of runs to comparisons: which arms, whether they may be compared, and how."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.report.arm_difference import ArmDifference, pairs_of, require_declared
from referee.report.compare import Comparison, compare
from referee.report.table import arm_names, renamed, require_same_contest
from referee.report.usage import Usage, usage_of
from referee.stats.multiple import Adjusted, holm
from referee.trial.index import load_plan, trial_counts


@dataclass(frozen=True)
class Compared:
    """A comparison, what its arms differ in, its p-value among all that were made at once, and what
    either arm used in all its trials."""

    differences: tuple[ArmDifference, ...]
    comparison: Comparison
    adjusted: float | None
    usage: tuple[Usage, Usage]


def compare_runs(
    runs: Sequence[Path], arms: Sequence[str] = (), factors: Collection[str] = ()
) -> list[Compared]:
    """Compare two named arms, or every pair of arms that differs in exactly the declared factors;
    of a contest of two arms, those. p-values of several pairs are adjusted by Holm's method.

    Arms of several runs are known by their names, with the run's name where two runs share one.

    Raises:
        BadInput: no run, runs or arms that cannot be compared, an unknown arm, or no pair.
    """
    plans = {place: load_plan(place) for place in runs}
    if not plans:
        raise BadInput("no run was named", hint="give the folder of a run")
    require_same_contest(plans)
    names = arm_names(plans)
    known: dict[str, Arm] = {
        names[place][arm.name]: arm.model_copy(update={"name": names[place][arm.name]})
        for place, plan in plans.items()
        for arm in plan.arms
    }
    chosen = _chosen(known, arms, factors)
    trials = [renamed(t, names[place]) for place in plans for t in trial_counts(place)]
    attempts = min(plan.attempts for plan in plans.values())
    plan = next(iter(plans.values()))
    tasks = [task.task_id for task in plan.selection]
    made = [
        (require_declared(a, b, factors), compare(a.name, b.name, trials, tasks, attempts))
        for a, b in chosen
    ]
    adjusted = iter(_adjusted([comparison for _, comparison in made]))
    usage = {names[place][arm]: u for place in plans for arm, u in usage_of(place).items()}
    return [
        Compared(
            differences,
            comparison,
            next(adjusted) if comparison.pvalue is not None else None,
            (usage[comparison.first], usage[comparison.second]),
        )
        for differences, comparison in made
    ]


def _chosen(
    known: dict[str, Arm], arms: Sequence[str], factors: Collection[str]
) -> list[tuple[Arm, Arm]]:
    if arms:
        if unknown := [name for name in arms if name not in known]:
            raise BadInput(
                f"there is no arm {unknown[0]!r}", hint=f"the arms are {', '.join(known)}"
            )
        if len(arms) != 2 or arms[0] == arms[1]:
            raise BadInput("a comparison is of two arms", hint="give --arm twice, with two names")
        return [(known[arms[0]], known[arms[1]])]
    every = list(known.values())
    return [(every[0], every[1])] if len(every) == 2 else pairs_of(every, factors)


def _adjusted(comparisons: Sequence[Comparison]) -> tuple[float, ...]:
    pvalues = [c.pvalue for c in comparisons if c.pvalue is not None]
    adjusted: Adjusted | None = holm(pvalues) if pvalues else None
    return adjusted.adjusted if adjusted else ()
