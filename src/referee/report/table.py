"""The table of a run: one row per arm, every mean with its coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.metric.counts import TrialCounts
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.record.plan import RunPlan
from referee.record.text import bounded_text
from referee.report.usage import usage_of
from referee.stats.aggregate import SCORES, ArmRow, PlannedCell, aggregate
from referee.stats.estimate import Estimate
from referee.trial.index import load_plan, trial_counts

if TYPE_CHECKING:
    from rich.table import Table

SPLITS = ("paradigm", "domain")
Row = dict[str, Any]


def table_rows(run: Path | Sequence[Path], by: str | None = None) -> list[Row]:
    """Rows as plain data: `arm`, `planned`, `scored`, `withheld`, the five means (None when nothing
    was scored), then `condition`, `pending`, `withheld_by_reason`, `tasks_planned`, `tasks_scored`,
    `pass1_of_planned`, `comparability`, `confidence` (for each mean its interval: `low`, `high`,
    `level`, `method`, `n`, `planned`; None where nothing can be estimated), the split's own key
    when `by` is given, else `usage` (the fields of `report.usage.Usage`), and `unvalidated`: the
    tasks of the runs that had not passed validation.

    Several runs share a table when their comparability keys are equal.

    Raises:
        BadInput: no run, a damaged one, an unknown split, or runs that cannot be compared.
    """
    runs = [run] if isinstance(run, Path) else list(run)
    if by is not None and by not in SPLITS:
        raise BadInput(f"rows cannot be split by {by!r}", hint=f"use one of {', '.join(SPLITS)}")
    plans = {place: load_plan(place) for place in runs}
    require_same_contest(plans)
    names = arm_names(plans)
    trials: list[TrialCounts] = []
    cells: list[PlannedCell] = []
    conditions: dict[str, str] = {}
    usage: dict[str, dict[str, Any]] = {}
    unvalidated = sorted({label for plan in plans.values() for label in plan.unvalidated})
    for place, plan in plans.items():
        trials += [renamed(trial, names[place]) for trial in trial_counts(place)]
        cells += _planned(plan, names[place], by)
        if by is None:
            usage |= {names[place][arm]: asdict(used) for arm, used in usage_of(place).items()}
        conditions |= {names[place][arm.name]: arm.condition_text for arm in plan.arms}
    key = comparability(next(iter(plans.values())))
    return [
        _as_row(row, by, condition=conditions[row.arm], key=key)
        | ({"usage": usage[row.arm]} if by is None else {})
        | {"unvalidated": unvalidated}
        for row in aggregate(cells, trials)
    ]


def comparability(plan: RunPlan) -> str:
    """The key under which scores may share a table: task digests, grader and limits, hashed."""
    return sha256_json(_contest(plan))


def require_same_contest(plans: Mapping[Path, RunPlan]) -> None:
    """Refuse runs of different tasks, graders or limits.

    Raises:
        BadInput: two runs differ; the sentence says in what.
    """
    (first, ours), *others = plans.items()
    for place, plan in others:
        here, there = _contest(plan), _contest(ours)
        differs = ", ".join(name for name in here if here[name] != there[name])
        if differs:
            raise BadInput(
                f"{place} and {first} cannot share a table: they differ in {differs}",
                hint="compare runs of one suite that were graded alike",
            )


def render_table(rows: Sequence[Row]) -> Table:
    """The rows for people, at most 100 columns wide: the condition is shown where it varies, the
    interval is that of Pass@1, and what was withheld is said below."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    split = next((name for name in SPLITS if rows and name in rows[0]), None)
    # rows that are split have no room for it: arms are named after their conditions
    conditions = split is None and len({row["condition"] for row in rows}) > 1
    made = Table(box=box.SIMPLE_HEAD, caption=_caption(rows) or None, caption_justify="left")
    made.collapse_padding = True
    made.add_column("arm", overflow="fold")
    for extra in ([split] if split else []) + (["condition"] if conditions else []):
        made.add_column(extra, overflow="fold")
    for head in ("scored", "withheld", *SCORES):
        made.add_column(head, justify="right", no_wrap=True)
    made.add_column("95 %", justify="right", no_wrap=True)
    for row in rows:
        texts = [row["arm"]]
        texts += [row[split]] if split else []
        texts += [row["condition"]] if conditions else []
        withheld = row["withheld"]
        texts += [f"{row['scored']}/{row['planned']}", "-" if withheld is None else str(withheld)]
        texts += ["-" if row[name] is None else f"{row[name]:.3f}" for name in SCORES]
        found = row["confidence"]["pass1"]
        texts.append("-" if found is None else f"{found['low']:.2f}-{found['high']:.2f}")
        # a plan may come from anywhere: no name in it may steer the terminal
        made.add_row(*(Text(bounded_text(text, 200)) for text in texts))
    return made


def _contest(plan: RunPlan) -> dict[str, Any]:
    return {
        "tasks": sorted(
            [task.task_id, task.task_digest, task.baseline_digest] for task in plan.selection
        ),
        "grader": plan.grader.code_digest,
        "limits": [plan.limits, plan.grader.limits],
        "data": {label: facts.as_json() for label, facts in sorted(plan.data.items())},
        "judge": plan.judge,
    }


def arm_names(plans: Mapping[Path, RunPlan]) -> dict[Path, dict[str, str]]:
    """How arms are called in the table: by name, with the run's name when two runs share one."""
    every = [arm.name for plan in plans.values() for arm in plan.arms]
    return {
        place: {
            arm.name: arm.name if every.count(arm.name) == 1 else f"{arm.name} ({place})"
            for arm in plan.arms
        }
        for place, plan in plans.items()
    }


def renamed(trial: TrialCounts, names: Mapping[str, str]) -> TrialCounts:
    name = names.get(trial.arm, trial.arm)
    return trial if name == trial.arm else replace(trial, arm=name)


def _planned(plan: RunPlan, names: Mapping[str, str], by: str | None) -> list[PlannedCell]:
    return [
        PlannedCell(
            names[arm.name],
            task.task_id,
            plan.attempts,
            None if by is None else (task.paradigm if by == "paradigm" else task.domain),
        )
        for arm in plan.arms
        for task in plan.selection
    ]


def _as_row(row: ArmRow, by: str | None, *, condition: str, key: str) -> Row:
    made: Row = {
        "arm": row.arm,
        "planned": row.planned,
        "scored": row.scored,
        "withheld": row.withheld,
        **row.means,
        "condition": condition,
        "pending": row.pending,
        "withheld_by_reason": dict(row.withheld_by_reason),
        "tasks_planned": row.tasks_planned,
        "tasks_scored": row.tasks_scored,
        "pass1_of_planned": row.pass1_of_planned,
        "comparability": key,
        "confidence": {name: _plain_interval(found) for name, found in row.intervals.items()},
    }
    return made if by is None else made | {by: row.group}


def _plain_interval(found: Estimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "low": found.low,
        "high": found.high,
        "level": found.level,
        "method": found.method,
        "n": found.n,
        "planned": found.planned,
    }


def _caption(rows: Sequence[Row]) -> str:
    reasons: dict[str, int] = {}
    for row in rows:
        for reason, count in row["withheld_by_reason"].items():
            reasons[reason] = reasons.get(reason, 0) + count
    lines = []
    if reasons:
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        lines.append(f"withheld by: {told}; means are over scored trials only")
    if any(row["pass1"] is not None and row["confidence"]["pass1"] is None for row in rows):
        lines.append("no estimate of an interval: fewer than two scored tasks, or no spread")
    pending = sum(row["pending"] for row in rows)
    if pending:
        lines.append(f"{pending} planned trials are not recorded yet")
    sources = sorted({row["published"] for row in rows if "published" in row})
    lines += [f"published: {source}; other tasks, no shared rank" for source in sources]
    if unvalidated := (rows[0]["unvalidated"] if rows else []):
        lines.append(f"not validated: {bounded_text(', '.join(unvalidated), 300)}")
    return "\n".join(lines)
