"""The single samples of artifact tasks, from the records of a run alone: where half of them, and
where nine tenths of them lie, beside requirement, floor and published values."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.record.fault import BadInput
from referee.record.measure import Better, Measure, SampleId, Scale
from referee.report.measures import measures_of
from referee.report.published import PublishedRow, PublishedTask, published_task

_DIGEST = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True)
class NamedSample:
    """One sample in the valid trials of an arm, in the order of attempts; None is no value."""

    id: SampleId
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class WorstSample:
    """A single sample by its id, and the worst value that a valid trial has there; None: none."""

    id: SampleId
    value: float | None


@dataclass(frozen=True)
class ArmSamples:
    """One arm at one task. `aggregate` is the median of the measures of its valid trials; `median`,
    `p05` and `p95` are quantiles of all their single samples together. A sample without a value
    (`without_value` of them) counts as the worst there can be: a quantile that falls on one is
    None. Trials that are not valid have no rank, and no part in any number. `by_id` has the values
    of each sample that the task names, one of each valid trial; `worst` has the worst of these
    samples first, as many as were asked for."""

    arm: str
    planned: int
    scored: int
    valid: int
    met: int | None
    aggregate: float | None
    median: float | None
    p05: float | None
    p95: float | None
    without_value: int
    by_id: tuple[NamedSample, ...] = ()
    worst: tuple[WorstSample, ...] = ()


@dataclass(frozen=True)
class TaskSamples:
    """One artifact task. `samples` is how many single values a measure has; `data` is what the plan
    says that scores rest on, `facts` what the measures themselves say, by name."""

    task: str
    measure: str
    units: str
    scale: Scale
    better: Better
    samples: int
    requirement: float | None
    floor: float | None
    data: str | None
    facts: dict[str, str]
    arms: tuple[ArmSamples, ...]
    published: PublishedTask | None = None


def samples_of_run(
    run: Path, *, published: bool = False, worst: int = 0
) -> tuple[TaskSamples, ...]:
    """Tasks and arms in the plan's order; with `published` the published rows, where there are any,
    and with `worst` so many of the worst samples of each arm.

    Raises:
        BadInput: this is no run, it is damaged, or no trial of it has a measure.
    """
    plan, found = measures_of(run)
    if not found:
        raise BadInput(
            "no trial of this run has a measure",
            where=run,
            hint="artifact tasks have one; `referee table` shows the scores of the others",
        )
    data = {label: facts.text for label, facts in plan.data.items()}
    return tuple(
        _task(
            task,
            {arm: measures for (t, arm), measures in found.items() if t == task},
            planned=plan.attempts,
            data=data.get(task),
            published=published,
            worst=worst,
        )
        for task in dict.fromkeys(task for task, _ in found)
    )


def _task(
    task: str,
    arms: dict[str, tuple[Measure, ...]],
    *,
    planned: int,
    data: str | None,
    published: bool,
    worst: int,
) -> TaskSamples:
    first = next(iter(arms.values()))[0]
    return TaskSamples(
        task=task,
        measure=first.name,
        units=first.units,
        scale=first.scale,
        better=first.better,
        samples=first.planned,
        requirement=first.requirement,
        floor=first.floor,
        data=data,
        facts=_facts(m for measures in arms.values() for m in measures),
        arms=tuple(_arm(arm, measures, planned, worst) for arm, measures in arms.items()),
        published=published_task(task, first.scale, first.better) if published else None,
    )


def _facts(measures: Iterable[Measure]) -> dict[str, str]:
    """What the measures say that they rest on; where they do not agree, all that was said."""
    found: dict[str, list[str]] = {}
    for measure in measures:
        for name, said in (measure.reported.data if measure.reported else {}).items():
            found.setdefault(name, []).append(said)
    return {name: " or ".join(dict.fromkeys(said)) for name, said in sorted(found.items())}


def _arm(arm: str, measures: Sequence[Measure], planned: int, most: int) -> ArmSamples:
    valid = [m for m in measures if m.valid and m.value is not None]
    samples = [s for m in valid for s in (m.reported.samples if m.reported else ())]
    worst = math.inf if measures[0].better == "lower" else -math.inf
    ordered = sorted(worst if s is None else s for s in samples)
    named = _named(valid)
    return ArmSamples(
        arm=arm,
        planned=planned,
        scored=len(measures),
        valid=len(valid),
        met=None if measures[0].requirement is None else sum(bool(m.met) for m in measures),
        aggregate=statistics.median(m.value for m in valid if m.value is not None)
        if valid
        else None,
        median=quantile(ordered, 0.5),
        p05=quantile(ordered, 0.05),
        p95=quantile(ordered, 0.95),
        without_value=sum(s is None for s in samples),
        by_id=named,
        worst=_worst(named, worst)[:most],
    )


def _named(measures: Sequence[Measure]) -> tuple[NamedSample, ...]:
    """Values by id, in the evaluator's order."""
    found: dict[SampleId, list[float | None]] = {}
    for measure in measures:
        if measure.reported is not None and measure.reported.ids:
            for name, value in zip(measure.reported.ids, measure.reported.samples, strict=True):
                found.setdefault(name, []).append(value)
    return tuple(NamedSample(name, tuple(values)) for name, values in found.items())


def _worst(named: Sequence[NamedSample], nothing: float) -> tuple[WorstSample, ...]:
    """Every sample that has an id, the worst first; `nothing` stands for no value."""
    sign = 1 if nothing > 0 else -1
    found = [
        (max((nothing if v is None else v for v in one.values), key=lambda v: sign * v), one.id)
        for one in named
    ]
    ordered = sorted(found, key=lambda pair: (-sign * pair[0], str(pair[1])))
    return tuple(WorstSample(name, v if math.isfinite(v) else None) for v, name in ordered)


def quantile(ordered: Sequence[float], level: float) -> float | None:
    """The quantile of values in ascending order, linear between neighbours (numpy's default); None
    of nothing, and where an infinite value has any weight."""
    if not ordered:
        return None
    place = level * (len(ordered) - 1)
    low = math.floor(place)
    share = place - low
    value = ordered[low]
    if share:
        value = (1 - share) * value + share * ordered[low + 1]
    return value if math.isfinite(value) else None


def as_json(task: TaskSamples) -> dict[str, Any]:
    """Plain values; `published` only where it was asked for and there is any."""
    value = {**vars(task), "arms": [_plain(arm) for arm in task.arms]}
    shown = task.published.as_json() if task.published is not None else None
    del value["published"]
    return value if shown is None else {**value, "published": shown}


def _plain(arm: ArmSamples) -> dict[str, Any]:
    named = {"by_id": arm.by_id, "worst": arm.worst}
    return {**vars(arm), **{key: [vars(one) for one in part] for key, part in named.items()}}


HEADS = ("arm", "median>", "p05>", "p95>", "aggregate>", "met>", "valid>")
PUBLISHED_HEADS = ("published agent", "median>", "p05>", "p95>")


def title(task: TaskSamples) -> str:
    """What the table of a task shows."""
    scale = "" if task.scale == "linear" else f", {task.scale}"
    units = "" if task.units == "1" else f" in {task.units}"
    parts = [
        f"{task.task}: {task.measure}{units}{scale}, {task.better} is better",
        f"{task.samples} samples",
        *([f"required {_shown(task.requirement)}"] if task.requirement is not None else []),
        *([f"floor {_shown(task.floor)}"] if task.floor is not None else []),
    ]
    return "; ".join(parts)


def cells(task: TaskSamples) -> list[list[str]]:
    """One row for each arm."""
    return [
        [
            arm.arm,
            *(_shown(v) for v in (arm.median, arm.p05, arm.p95, arm.aggregate)),
            "-" if arm.met is None else f"{arm.met}/{arm.planned}",
            f"{arm.valid}/{arm.scored}",
        ]
        for arm in task.arms
    ]


WORST_HEADS = ("arm", "sample", "value>")


def worst_cells(task: TaskSamples) -> list[list[str]]:
    """The worst samples of each arm."""
    return [[a.arm, str(sample.id), _shown(sample.value)] for a in task.arms for sample in a.worst]


def published_cells(task: TaskSamples) -> list[list[str]]:
    """One row for each published agent that has a number; a star where it cannot be compared."""
    return [
        [r.agent if r.comparable else f"{r.agent} *", *map(_shown, (r.median, r.p05, r.p95))]
        for r in ranked(task)
    ]


def ranked(task: TaskSamples) -> list[PublishedRow]:
    """Published rows with a number: those that can be compared first, best first."""
    rows = [r for r in (task.published.rows if task.published else ()) if r.median is not None]
    sign = 1 if task.better == "lower" else -1
    return sorted(rows, key=lambda r: (not r.comparable, sign * (r.median or 0.0), r.agent))


def remarks(task: TaskSamples) -> list[str]:
    """Sentences on the scores: what they rest on, and samples without a value."""
    said = [f"{name} {_short(value)}" for name, value in task.facts.items() if name != "data"]
    told = "; ".join([*([task.data] if task.data else []), *said]) or "what the task holds itself"
    return [
        f"These scores rest on: {told}.",
        *(
            f"{arm.arm}: {arm.without_value} samples without a value, counted as the worst."
            for arm in task.arms
            if arm.without_value
        ),
    ]


def published_remarks(task: TaskSamples) -> list[str]:
    """Sentences on the published values: how far they can be compared with one's own."""
    if task.published is None:
        return []
    general = [task.published.note] if task.published.note else []
    notes = [r for r in ranked(task) if r.note is not None]
    by_note = {r.note: [o.agent for o in notes if o.note == r.note] for r in notes}
    return [
        "Published values rest on the published data and no others.",
        *general,
        *(
            f"{'' if all(r.comparable for r in notes if r.note == note) else '* '}"
            f"{', '.join(agents)}: {note}."
            for note, agents in by_note.items()
        ),
    ]


def _short(value: str) -> str:
    """A digest by its first twelve characters; anything else as it is."""
    return value[:12] if _DIGEST.fullmatch(value) else value


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
