"""Two arms at the same tasks and attempts: who solved what, and whether that tells them apart.

With one attempt the pairs are tested by McNemar's exact test. With more, attempts at a task are not
independent: then the task is the unit, and what is tested is the mean difference over tasks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from referee.metric.counts import TrialCounts
from referee.record.fault import BadInput
from referee.stats.aggregate import require_comparable
from referee.stats.cluster import MeanDifference, mean_difference
from referee.stats.difference import newcombe_paired, tango
from referee.stats.estimate import Estimate
from referee.stats.interval import Rate, wilson
from referee.stats.paired import (
    PairedTable,
    PairedTest,
    Split,
    conditional_odds_ratio,
    least_significant_split,
    mcnemar_exact,
)
from referee.stats.power import DetectableEffect, detectable_difference

Transition = Literal["both", "only_first", "only_second", "neither"]
TRANSITIONS: tuple[Transition, ...] = ("both", "only_first", "only_second", "neither")


@dataclass(frozen=True)
class Pair:
    """One attempt of both arms at one task."""

    task: str
    attempt: int
    transition: Transition


@dataclass(frozen=True)
class OneAttempt:
    """What pass or fail at each task says: test, intervals, and what it would have taken.

    `odds_ratio` and `needed` are None without a discordant task, or if no split would do.
    `detectable` is the least difference that this many tasks find at this discordance.
    """

    test: PairedTest
    interval: Estimate
    second_interval: Estimate
    odds_ratio: Estimate | None
    needed: Split | None
    detectable: DetectableEffect


@dataclass(frozen=True)
class Comparison:
    """Two arms, paired. `table` counts pairs; `unpaired` are planned pairs of which a side has no
    score, by the reason.

    `rates` are the pass rates of either arm over the pairs (of one attempt), `one_attempt` is there
    if one attempt was planned, `by_task` if several were and two tasks have pairs.
    """

    first: str
    second: str
    attempts: int
    pairs: tuple[Pair, ...]
    table: PairedTable
    unpaired: Mapping[str, int]
    one_attempt: OneAttempt | None
    rates: tuple[Rate, Rate] | None
    by_task: MeanDifference | None

    @property
    def pvalue(self) -> float | None:
        """That of the comparison's test; None where nothing can be tested."""
        if self.one_attempt is not None:
            return self.one_attempt.test.pvalue
        return None if self.by_task is None else self.by_task.pvalue

    def tasks(self, transition: Transition) -> tuple[str, ...]:
        """The tasks (with the attempt, if there are several) of one transition."""
        return tuple(
            pair.task if self.attempts == 1 else f"{pair.task}#{pair.attempt}"
            for pair in self.pairs
            if pair.transition == transition
        )


def compare(
    first: str,
    second: str,
    trials: Collection[TrialCounts],
    tasks: Sequence[str],
    attempts: int,
) -> Comparison:
    """Pair the trials of two arms at the planned tasks, and compare what passed (Pass@1).

    Raises:
        BadInput: trials that mean different things (`require_comparable`), or no pair at all.
    """
    ours = {(t.task_id, t.attempt): t for t in trials if t.arm == first}
    theirs = {(t.task_id, t.attempt): t for t in trials if t.arm == second}
    require_comparable([*ours.values(), *theirs.values()])
    pairs, unpaired = [], Counter[str]()
    for key in ((task, attempt) for task in tasks for attempt in range(1, attempts + 1)):
        lacking = _reason(first, ours.get(key)) or _reason(second, theirs.get(key))
        if lacking:
            unpaired[lacking] += 1
        else:
            pairs.append(Pair(*key, _transition(_passed(ours[key]), _passed(theirs[key]))))
    if not pairs:
        raise BadInput(
            f"{first} and {second} have no scored trial at the same task and attempt",
            hint="finish the run, or look at `referee table` for what was withheld",
        )
    counts = Counter(pair.transition for pair in pairs)
    table = PairedTable(
        both=counts["both"],
        only_first=counts["only_first"],
        only_second=counts["only_second"],
        neither=counts["neither"],
        planned=len(tasks) * attempts,
    )
    once = attempts == 1
    return Comparison(
        first=first,
        second=second,
        attempts=attempts,
        pairs=tuple(pairs),
        table=table,
        unpaired=dict(sorted(unpaired.items())),
        one_attempt=_one_attempt(table) if once else None,
        rates=(
            wilson(table.first, table.n, planned=table.planned),
            wilson(table.second, table.n, planned=table.planned),
        )
        if once
        else None,
        by_task=None if once else _by_task(pairs, len(tasks)),
    )


def _one_attempt(table: PairedTable) -> OneAttempt:
    b, c = table.only_first, table.only_second
    return OneAttempt(
        test=mcnemar_exact(b, c, coverage=table.coverage),
        interval=newcombe_paired(table),
        second_interval=tango(table),
        odds_ratio=conditional_odds_ratio(b, c) if table.discordant else None,
        needed=least_significant_split(table.discordant),
        detectable=detectable_difference(table.n, table.discordant / table.n),
    )


def _by_task(pairs: Sequence[Pair], planned: int) -> MeanDifference | None:
    rows: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        rows[pair.task].append(pair)
    if len(rows) < 2:
        return None

    def means(passed: tuple[Transition, Transition]) -> dict[str, float]:
        return {
            task: fsum(pair.transition in passed for pair in row) / len(row)
            for task, row in rows.items()
        }

    return mean_difference(
        means(("both", "only_first")), means(("both", "only_second")), planned=planned
    )


def _passed(trial: TrialCounts) -> bool:
    return trial.scores()["pass1"] == 1.0


def _transition(first: bool, second: bool) -> Transition:
    if first == second:
        return "both" if first else "neither"
    return "only_first" if first else "only_second"


def _reason(arm: str, trial: TrialCounts | None) -> str | None:
    if trial is None:
        return f"{arm} is pending"
    return None if trial.scored else f"{arm} was withheld: {trial.withheld_reason}"
