"""A configuration over a suite, and configurations beside each other.

The denominator is the planned set of tasks. A task that is withheld, or has no record, is not a
zero: it leaves the mean open between bounds, and its configuration without a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from referee.metric.rubric.leaf import ONE, ZERO
from referee.record.fault import BadInput
from referee.record.reproduction import COMPLETE_ABOVE, complete_between


@dataclass(frozen=True, slots=True)
class TaskScore:
    """One task in one run. `score` is R before any rounding, or None if it is withheld: then
    `withheld` says why, and R lies in [low, high]."""

    task: str
    run: str
    score: Fraction | None
    low: Fraction = ZERO
    high: Fraction = ONE
    withheld: str | None = None

    def __post_init__(self) -> None:
        if (self.score is None) != (self.withheld is not None):
            raise ValueError(f"{self.task}: a task has a score, or a reason why not")
        if self.score is not None:
            object.__setattr__(self, "low", self.score)
            object.__setattr__(self, "high", self.score)
        if not 0 <= self.low <= self.high <= 1:
            raise ValueError(f"{self.task}: the bounds {self.low} to {self.high} are not in 0 to 1")


@dataclass(frozen=True)
class SuiteScore:
    """A configuration over the planned tasks.

    `mean` and `completion` are None unless every planned task has a score; `low`, `high`,
    `completed_low` and `completed_high` hold in any case. `scored_mean` is over the scored tasks
    alone and says nothing about the others.
    """

    planned: tuple[str, ...]
    scored: int
    withheld: Mapping[str, str]
    missing: tuple[str, ...]
    mean: Fraction | None
    scored_mean: Fraction | None
    low: Fraction
    high: Fraction
    completed_low: int
    completed_high: int

    @property
    def completion(self) -> Fraction | None:
        """Share of the tasks with R strictly above 0.9; None while a task is open."""
        return None if self.mean is None else Fraction(self.completed_low, len(self.planned))


def suite_score(planned: Sequence[str], tasks: Iterable[TaskScore]) -> SuiteScore:
    """What one run of one configuration comes to over the planned tasks.

    Raises:
        BadInput: no planned task, a task that is not planned or there twice, or tasks of different
            runs, which are no one's result together.
    """
    rows = list(tasks)
    _require_one_run(planned, rows)
    found = {row.task: row for row in rows}
    whole = [found.get(t) or TaskScore(t, "", None, withheld="missing") for t in planned]
    scores = [row.score for row in whole if row.score is not None]
    count = len(whole)
    mean = sum(scores, ZERO) / count if len(scores) == count else None
    answers = [complete_between(row.low, row.high) for row in whole]
    return SuiteScore(
        planned=tuple(planned),
        scored=len(scores),
        withheld={row.task: row.withheld for row in rows if row.withheld is not None},
        missing=tuple(t for t in planned if t not in found),
        mean=mean,
        scored_mean=sum(scores, ZERO) / len(scores) if scores else None,
        low=sum((row.low for row in whole), ZERO) / count,
        high=sum((row.high for row in whole), ZERO) / count,
        completed_low=sum(answer is True for answer in answers),
        completed_high=sum(answer is not False for answer in answers),
    )


def competition_ranks(scores: Mapping[str, Fraction | None]) -> dict[str, int | None]:
    """Standard competition ranks (1, 2, 2, 4), the highest score first, equal scores sharing one.

    Scores are compared exactly, before any rounding. A configuration without a score has no rank.
    """
    known = [score for score in scores.values() if score is not None]
    return {
        name: None if score is None else 1 + sum(other > score for other in known)
        for name, score in scores.items()
    }


@dataclass(frozen=True, slots=True)
class TaskStanding:
    """A task over configurations: its best score, by whom, and how many are certainly complete."""

    best: Fraction | None
    by: tuple[str, ...]
    complete: int
    scored: int


def landscape(
    planned: Sequence[str], runs: Mapping[str, Iterable[TaskScore]]
) -> dict[str, TaskStanding]:
    """For each planned task the best R over configurations and the number above 0.9."""
    by_task: dict[str, dict[str, Fraction]] = {task: {} for task in planned}
    for name, tasks in runs.items():
        for row in tasks:
            if row.score is not None and row.task in by_task:
                by_task[row.task][name] = row.score
    return {task: _standing(scores) for task, scores in by_task.items()}


def _standing(scores: Mapping[str, Fraction]) -> TaskStanding:
    best = max(scores.values(), default=None)
    return TaskStanding(
        best=best,
        by=tuple(sorted(name for name, score in scores.items() if score == best)),
        complete=sum(score > COMPLETE_ABOVE for score in scores.values()),
        scored=len(scores),
    )


def _require_one_run(planned: Sequence[str], rows: Sequence[TaskScore]) -> None:
    if not planned or len(set(planned)) != len(planned):
        raise BadInput("the planned tasks are none, or one is named twice")
    if len({row.run for row in rows}) > 1:
        runs = ", ".join(sorted({row.run for row in rows})[:3])
        raise BadInput(
            f"tasks of different runs ({runs}) are no one's result together",
            hint="take all tasks of a configuration from one run",
        )
    names = [row.task for row in rows]
    for name in names:
        if name not in planned:
            raise BadInput(f"the task {name} is not planned")
        if names.count(name) > 1:
            raise BadInput(f"the task {name} is there twice")
