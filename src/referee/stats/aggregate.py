"""From trials to one row per arm: means with their coverage, over a planned denominator."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from referee.metric.counts import TrialCounts
from referee.record.fault import BadInput
from referee.stats.estimate import Estimate
from referee.stats.share import share_interval

SCORES = ("public", "private", "fail2pass", "pass2pass", "pass1")


@dataclass(frozen=True)
class PlannedCell:
    """What was planned for one arm at one task: `attempts` trials; `group` is the row's split."""

    arm: str
    task_id: str
    attempts: int
    group: str | None = None


@dataclass(frozen=True)
class ArmRow:
    """One arm (in one group of tasks).

    `planned`, `scored`, `withheld` and `pending` count trials; planned is the sum of the others.
    `means` are over tasks, attempts first, over scored trials only; None when nothing was scored.
    `intervals` has the interval of each mean; None where nothing can be estimated (see
    `share_interval`). `pass1_of_planned` is Pass@1 with every planned trial in the denominator: one
    that has no score counts as not passed.
    """

    arm: str
    group: str | None
    planned: int
    scored: int
    withheld: int
    pending: int
    withheld_by_reason: Mapping[str, int]
    tasks_planned: int
    tasks_scored: int
    means: Mapping[str, float | None]
    intervals: Mapping[str, Estimate | None]
    pass1_of_planned: float


def aggregate(planned: Sequence[PlannedCell], trials: Iterable[TrialCounts]) -> list[ArmRow]:
    """Rows in the order in which arms and groups first stand in `planned`.

    Raises:
        BadInput: trials that cannot be compared (see `require_comparable`), or not planned.
    """
    by_cell: dict[tuple[str, str], list[TrialCounts]] = defaultdict(list)
    for trial in trials:
        by_cell[trial.arm, trial.task_id].append(trial)
    require_comparable([trial for cell in by_cell.values() for trial in cell])
    known = {(cell.arm, cell.task_id): cell.attempts for cell in planned}
    for key, cell_trials in by_cell.items():
        if len(cell_trials) > known.get(key, 0):
            raise BadInput(
                f"arm {key[0]} has {len(cell_trials)} trials at task {key[1]}, "
                f"and {known.get(key, 0)} were planned",
                hint="run `referee audit` on the run",
            )
    rows: dict[tuple[str, str | None], list[PlannedCell]] = defaultdict(list)
    for cell in planned:
        rows[cell.arm, cell.group].append(cell)
    return [
        _row(arm, group, cells, [by_cell[cell.arm, cell.task_id] for cell in cells])
        for (arm, group), cells in rows.items()
    ]


def require_comparable(trials: Sequence[TrialCounts]) -> None:
    """Refuse trials whose scores mean different things.

    At each task, every scored trial must have met the same task, grader and limits; and one grader
    must have graded them all.

    Raises:
        BadInput: they did not; the sentence names two arms and the difference.
    """
    first: dict[str, TrialCounts] = {}
    any_trial: TrialCounts | None = None
    for trial in trials:
        if not trial.scored:
            continue
        any_trial = any_trial or trial
        other = first.setdefault(trial.task_id, trial)
        for what, here, there in (
            ("task", trial.task_digest, other.task_digest),
            ("grader", trial.grader_digest, any_trial.grader_digest),
            ("limits", trial.grader_limits, other.grader_limits),
        ):
            if here != there:
                with_whom = any_trial if what == "grader" else other
                raise BadInput(
                    f"arms {with_whom.arm} and {trial.arm} cannot share a table: at task "
                    f"{trial.task_id} the {what} differs ({_short(there)} and {_short(here)})",
                    hint="compare runs of one suite that were graded alike",
                )


def mean_of_means(groups: Iterable[Sequence[float]]) -> float | None:
    """Mean over groups of the mean in each, empty groups left out; None if all are empty.

    The sums are rounded once, so the order of the values does not matter.
    """
    means = [fsum(group) / len(group) for group in groups if group]
    return fsum(means) / len(means) if means else None


def _row(
    arm: str,
    group: str | None,
    cells: Sequence[PlannedCell],
    trials: Sequence[Sequence[TrialCounts]],
) -> ArmRow:
    scored = [[t.scores() for t in task if t.scored and t.has_checks] for task in trials]
    reasons = Counter(
        str(trial.withheld_reason) for task in trials for trial in task if not trial.scored
    )
    planned = sum(cell.attempts for cell in cells)
    of_tasks = {
        name: [fsum(trial[name] for trial in task) / len(task) for task in scored if task]
        for name in SCORES
    }
    counted, withheld = sum(t.scored for task in trials for t in task), sum(reasons.values())
    return ArmRow(
        arm=arm,
        group=group,
        planned=planned,
        scored=counted,
        withheld=withheld,
        pending=planned - counted - withheld,
        withheld_by_reason=dict(sorted(reasons.items())),
        tasks_planned=len(cells),
        tasks_scored=sum(any(t.scored for t in task) for task in trials),
        means={
            name: mean_of_means([[trial[name] for trial in task] for task in scored])
            for name in SCORES
        },
        intervals={
            name: share_interval(values, planned=len(cells)) if values else None
            for name, values in of_tasks.items()
        },
        pass1_of_planned=fsum(
            fsum(trial["pass1"] for trial in task) / cell.attempts
            for cell, task in zip(cells, scored, strict=True)
        )
        / len(cells),
    )


def _short(value: str | None) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:12]
