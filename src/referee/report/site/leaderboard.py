"""The leaderboard, for every choice of its filters: computed here, so that the page's script only
picks among texts and no formula is written twice."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from referee.record.plan import SelectedTask
from referee.report.site.model import Site, SiteArm, SiteTrial
from referee.report.site.text import count, money, per_cent
from referee.stats.aggregate import ArmRow, PlannedCell, aggregate
from referee.stats.estimate import Estimate
from referee.stats.ranking import RankInterval, competition_ranks, rank_intervals

FILTERS = ("domain", "paradigm", "language")
ALL = ""
TITLES = {
    "pass1": "Pass@1",
    "private": "Private",
    "public": "Public",
    "fail2pass": "Fail2Pass",
    "pass2pass": "Pass2Pass",
}
COLUMNS = ("rank", "scored", "withheld", *TITLES, "tokens", "cost")


@dataclass(frozen=True)
class Line:
    """An arm in one slice. `rank` is None where its coverage is not whole or nothing was scored;
    `tokens` and `cost` (dollars) are means over its recorded trials, None where unknown or where
    no model was asked."""

    arm: SiteArm
    row: ArmRow
    rank: int | None
    tokens: float | None
    cost: float | None

    @property
    def whole(self) -> bool:
        """Whether every planned trial has a score."""
        return self.row.scored == self.row.planned

    def cells(self) -> dict[str, tuple[str, str]]:
        """What a page shows of each column, and what stands below it, smaller."""
        row = self.row
        found = {
            "rank": (str(self.rank), "") if self.rank is not None else ("–", "not ranked"),
            "scored": (f"{row.scored}/{row.planned}", f"{row.tasks_scored} tasks"),
            "withheld": (str(row.withheld), f"{row.pending} pending" if row.pending else ""),
            "tokens": (count(self.tokens), ""),
            "cost": ("–" if self.tokens is None else money(self.cost), ""),
        }
        for name in TITLES:
            found[name] = (per_cent(row.means[name]), _ends(row.means[name], row.intervals[name]))
        return found


@dataclass(frozen=True)
class Slice:
    """The leaderboard over the tasks that the filters leave."""

    key: tuple[str, ...]
    tasks: int
    lines: tuple[Line, ...]


def languages_of(task: SelectedTask, languages: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The languages of a task, as its package says; none is known without one."""
    return tuple(languages.get(task.task_id, ()))


def options(site: Site, languages: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What each filter can be set to."""
    return {
        "domain": sorted({task.domain for task in site.tasks}),
        "paradigm": sorted({task.paradigm for task in site.tasks}),
        "language": sorted({one for t in site.tasks for one in languages_of(t, languages)}),
    }


def slices(site: Site, languages: Mapping[str, Sequence[str]]) -> tuple[Slice, ...]:
    """The leaderboard of each choice that leaves a task; the first one has no filter set."""
    values = options(site, languages)
    taken: dict[tuple[str, ...], list[str]] = {}
    for key in product(*((ALL, *values[name]) for name in FILTERS)):
        tasks = [t.task_id for t in site.tasks if _fits(t, key, languages)]
        if tasks:
            taken[key] = tasks
    by_task: dict[str, list[SiteTrial]] = {}
    for trial in site.trials.values():
        by_task.setdefault(trial.key[0], []).append(trial)
    return tuple(_slice(site, key, tasks, by_task) for key, tasks in taken.items())


def _fits(task: SelectedTask, key: tuple[str, ...], languages: Mapping[str, Sequence[str]]) -> bool:
    domain, paradigm, language = key
    return (
        domain in (ALL, task.domain)
        and paradigm in (ALL, task.paradigm)
        and (language == ALL or language in languages_of(task, languages))
    )


def _slice(
    site: Site,
    key: tuple[str, ...],
    tasks: Collection[str],
    by_task: Mapping[str, Sequence[SiteTrial]],
) -> Slice:
    cells = [
        PlannedCell(arm.name, task, site.attempts[arm.name]) for arm in site.arms for task in tasks
    ]
    trials = [trial for task in tasks for trial in by_task.get(task, ())]
    rows = {row.arm: row for row in aggregate(cells, [t.counts for t in trials])}
    ranks = _ranks(list(rows.values()))
    lines = [
        Line(arm, rows[arm.name], ranks.get(arm.name), *_used(trials, arm)) for arm in site.arms
    ]
    return Slice(key, len(tasks), tuple(sorted(lines, key=_order)))


def _order(line: Line) -> tuple[bool, float, str]:
    mean = line.row.means["pass1"]
    return (line.rank is None, 0.0 if mean is None else -mean, line.arm.name)


def _ranks(rows: Sequence[ArmRow]) -> dict[str, int]:
    """Ranks by Pass@1 among the arms whose every planned trial has a score."""
    scores = {
        row.arm: mean
        for row in rows
        if row.scored == row.planned and (mean := row.means["pass1"]) is not None
    }
    if not scores:
        return {}
    found = competition_ranks(list(scores.values())).ranks
    return {arm: int(rank) for arm, rank in zip(scores, found, strict=True)}


def _used(trials: Sequence[SiteTrial], arm: SiteArm) -> tuple[float | None, float | None]:
    own = [t.trial.model.totals for t in trials if t.arm is arm and t.trial.model is not None]
    if not own:
        return None, None
    tokens = math.fsum(use.tokens.input + use.tokens.output for use in own) / len(own)
    costs = [use.cost for use in own if use.cost is not None]
    return tokens, math.fsum(costs) / len(own) if len(costs) == len(own) else None


def _ends(mean: float | None, found: Estimate | None) -> str:
    if mean is None:
        return ""
    if found is None:
        return "no interval"
    return f"{per_cent(found.low)}–{per_cent(found.high)}"


def rank_ranges(site: Site, lines: Sequence[Line]) -> tuple[RankInterval, ...]:
    """The ranks that resampled tasks give the arms that are ranked; none for fewer than two arms
    or tasks, with which nothing can be resampled."""
    ranked = [line for line in lines if line.rank is not None]
    if len(ranked) < 2 or len(site.tasks) < 2:
        return ()
    scores = {
        line.arm.name: {task.task_id: _task_mean(site, task, line.arm) for task in site.tasks}
        for line in ranked
    }
    return rank_intervals(scores, planned=len(site.tasks))


def _task_mean(site: Site, task: SelectedTask, arm: SiteArm) -> float:
    found = [t.counts.scores()["pass1"] for t in site.of(task.task_id, arm.name) if t is not None]
    return math.fsum(found) / len(found)
