"""The tables of reproduction tasks: R by task and arm, arms over the tasks, how far all came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from referee.metric.rubric.suite import (
    SuiteScore,
    TaskScore,
    TaskStanding,
    competition_ranks,
    landscape,
    suite_score,
)
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.reproduction import CATEGORIES, Category, Reproduction, complete_between
from referee.record.trial import Trial
from referee.record.verdict import Verdict
from referee.trial.layout import TRIAL_FILE, TrialEntry, read_run, trial_entries, verdict_path

REPRODUCTION = "reproduction"
"""What stands for the paradigm of a reproduction task in a plan."""

Heads = tuple[list[str], list[list[str]]]


@dataclass(frozen=True)
class Stage:
    """What the leaves of one category brought, of what they can bring: means over the attempts that
    have a verdict; None without one."""

    possible: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class ReproductionRow:
    """One arm at one task. R lies in [low, high], means over the planned attempts; `score` is None
    until each of them has one. `stages` are by category; `replays` counts how replays ended, by
    reason; `withheld` says why attempts are open; `judges` who judged."""

    task: str
    arm: str
    planned: int
    scored: int
    score: Fraction | None
    low: Fraction
    high: Fraction
    withheld: Mapping[str, int]
    stages: Mapping[Category, Stage]
    replays: Mapping[str, int]
    judges: tuple[str, ...]

    @property
    def complete(self) -> bool | None:
        """Whether R > 0.9; None if the bounds allow both."""
        return complete_between(self.low, self.high)

    def as_json(self) -> dict[str, Any]:
        """Plain values; fractions as text."""
        return {
            **vars(self),
            **{n: _text(v) for n, v in vars(self).items() if n in ("score", "low", "high")},
            "withheld": dict(self.withheld),
            "replays": dict(self.replays),
            "judges": list(self.judges),
            "complete": self.complete,
            "stages": {c: {n: str(v) for n, v in vars(s).items()} for c, s in self.stages.items()},
        }


@dataclass(frozen=True)
class Attempt:
    """One recorded trial: what its verdict says (None if it has none), and why it is open."""

    made: Reproduction | None
    withheld: str | None


def reproductions_of(run: Path) -> tuple[RunPlan, dict[tuple[str, str], tuple[Attempt, ...]]]:
    """The plan of a run, and its attempts at reproduction tasks by task and arm. An attempt that
    was open and was judged again later counts by the first verdict that has a score.

    Raises:
        BadInput: this is no run, or it is damaged.
    """
    plan, text = read_run(run)
    tasks = [task.task_id for task in plan.selection if task.paradigm == REPRODUCTION]
    found: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for (task, arm, _attempt), entry in sorted(trial_entries(text.lines).items()):
        if task in tasks:
            found[task, arm].append(_attempt_of(run, entry))
    order = [(task, arm.name) for task in tasks for arm in plan.arms]
    return plan, {key: tuple(found[key]) for key in order}


def _attempt_of(run: Path, entry: TrialEntry) -> Attempt:
    verdicts = [
        load_record(run / entry.path / verdict_path(name), Verdict).reproduction
        for name in entry.verdicts
    ]
    there = [made for made in verdicts if made is not None]
    for made in there:
        if made.total.score is not None:
            return Attempt(made, None)
    withheld = load_record(run / entry.path / TRIAL_FILE, Trial).withheld
    reason = withheld.reason if withheld is not None else "other"
    return Attempt(there[0] if there else None, reason)


def reproduction_rows(run: Path) -> list[ReproductionRow]:
    """One row for each reproduction task and arm of a run (see `reproductions_of`, which raises);
    none for a run without such tasks."""
    plan, found = reproductions_of(run)
    return [_row(task, arm, plan.attempts, tried) for (task, arm), tried in found.items()]


def _row(task: str, arm: str, planned: int, tried: Sequence[Attempt]) -> ReproductionRow:
    made = [one.made for one in tried if one.made is not None]
    scored = [one for one in tried if one.withheld is None]
    missing = planned - len(made)
    low = sum((Fraction(x.total.low) for x in made), Fraction(0)) / planned
    high = (sum((Fraction(x.total.high) for x in made), Fraction(0)) + missing) / planned
    return ReproductionRow(
        task=task,
        arm=arm,
        planned=planned,
        scored=len(scored),
        score=low if len(scored) == planned else None,
        low=low,
        high=high,
        withheld=_counted([one.withheld for one in tried if one.withheld is not None]),
        stages={category: _stage(made, category) for category in CATEGORIES} if made else {},
        replays=_counted([x.replay.reason or x.replay.status for x in made]),
        judges=tuple(sorted({_judge(x) for x in made})),
    )


def _stage(made: Sequence[Reproduction], category: Category) -> Stage:
    parts = [one.parts[category] for one in made]
    return Stage(
        possible=Fraction(parts[0].possible),
        low=sum((Fraction(part.low) for part in parts), Fraction(0)) / len(parts),
        high=sum((Fraction(part.high) for part in parts), Fraction(0)) / len(parts),
    )


def _judge(made: Reproduction) -> str:
    if made.judge is None:
        return "no judge"
    return "scripted stand-in" if made.judge.stand_in else made.judge.model


def _counted(names: Sequence[str]) -> dict[str, int]:
    return {name: list(names).count(name) for name in sorted(set(names))}


def arm_scores(rows: Sequence[ReproductionRow]) -> dict[str, SuiteScore]:
    """Each arm over the planned tasks: a task counts by the mean of its attempts."""
    planned = tuple(dict.fromkeys(row.task for row in rows))
    return {
        arm: suite_score(planned, [_task_score(row) for row in rows if row.arm == arm])
        for arm in dict.fromkeys(row.arm for row in rows)
    }


def standings(rows: Sequence[ReproductionRow]) -> dict[str, TaskStanding]:
    """For each task the best R over arms, by whom, and how many arms are complete."""
    planned = tuple(dict.fromkeys(row.task for row in rows))
    arms = dict.fromkeys(row.arm for row in rows)
    return landscape(planned, {a: [_task_score(r) for r in rows if r.arm == a] for a in arms})


def _task_score(row: ReproductionRow) -> TaskScore:
    if row.score is not None:
        return TaskScore(row.task, "", row.score)
    why = next(iter(row.withheld), "pending")
    return TaskScore(row.task, "", None, row.low, row.high, why)


def arm_cells(rows: Sequence[ReproductionRow]) -> Heads:
    """Arms over the suite; one with open tasks has bounds and no rank."""
    scores = arm_scores(rows)
    ranks = competition_ranks({arm: score.mean for arm, score in scores.items()})
    heads = ["arm!", "tasks>", "mean R>", "complete>", *(f"{c}>" for c in CATEGORIES), "rank>"]
    cells = []
    for arm, score in scores.items():
        own = [row for row in rows if row.arm == arm]
        cells.append(
            [
                arm,
                f"{score.scored}/{len(score.planned)}",
                _between(score.mean, score.low, score.high),
                _counts(score.completed_low, score.completed_high),
                *(_earned(own, category) for category in CATEGORIES),
                "-" if ranks[arm] is None else str(ranks[arm]),
            ]
        )
    return heads, cells


def task_cells(rows: Sequence[ReproductionRow]) -> Heads:
    """R of each arm at each task, with what the three stages brought."""
    are_open = any(row.withheld for row in rows)
    several = any(row.planned > 1 for row in rows)
    heads = ["task!", "arm!", *(["scored>"] if several else []), "R>"]
    heads += [*(f"{c}>" for c in CATEGORIES), "replay!" if not several else "replay"]
    return [*heads, *(["open"] if are_open else [])], [
        [
            row.task,
            row.arm,
            *([f"{row.scored}/{row.planned}"] if several else []),
            _between(row.score, row.low, row.high),
            *(_earned([row], category) for category in CATEGORIES),
            _listed(row.replays),
            *([_listed(row.withheld)] if are_open else []),
        ]
        for row in rows
    ]


def landscape_cells(rows: Sequence[ReproductionRow]) -> Heads:
    """The completion landscape: how far anybody came with each task."""
    heads = ["task!", "best R>", "by", "above 0.9>", "arms scored>"]
    return heads, [
        [
            task,
            "-" if found.best is None else f"{float(found.best):.3f}",
            ", ".join(found.by),
            str(found.complete),
            str(found.scored),
        ]
        for task, found in standings(rows).items()
    ]


def judge_remark(rows: Sequence[ReproductionRow]) -> str:
    """Who judged, in a sentence; stand-ins are named as such."""
    names = sorted({name for row in rows for name in row.judges})
    return f"judged by: {', '.join(names)}" if names else "nothing was judged"


def _earned(rows: Sequence[ReproductionRow], category: Category) -> str:
    """Earned over possible in per cent, over the tasks that have this stage."""
    stages = [row.stages[category] for row in rows if category in row.stages]
    shares = [(s.low / s.possible, s.high / s.possible) for s in stages if s.possible]
    if not shares:
        return "-"
    low, high = (sum(x, Fraction(0)) / len(shares) for x in zip(*shares, strict=True))
    return f"{100 * float(low):.0f} %" if low == high else f"{_percent(low)}-{_percent(high)} %"


def _percent(share: Fraction) -> str:
    return f"{100 * float(share):.0f}"


def _between(score: Fraction | None, low: Fraction, high: Fraction) -> str:
    if score is not None:
        return f"{float(score):.3f}"
    return f"{float(low):.3f}-{float(high):.3f}"


def _counts(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _listed(counts: Mapping[str, int]) -> str:
    """Names in words, which a narrow column can break."""
    words = {name.replace("_", " "): n for name, n in counts.items()}
    return ", ".join(name if n == 1 else f"{name} {n}" for name, n in words.items()) or "-"


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
