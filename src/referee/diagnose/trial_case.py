"""The case of one trial of ours: what its records say, put where the rules look for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isclose

from referee.diagnose.alternatives import aggregate
from referee.diagnose.case import Canonical, Probes
from referee.diagnose.components import probes_of
from referee.diagnose.handed import handed_in
from referee.diagnose.published import read_account
from referee.diagnose.tasks import PUBLISHED, Aggregate, TaskFacts
from referee.diagnose.work import WorkRecord
from referee.metric.artifact import REQUIREMENT
from referee.record.measure import Measure
from referee.record.text import bounded_text
from referee.record.verdict import CheckResult, Verdict

_NUMBER = re.compile(r"^\d+-")
_SAME = 1e-6
_ROOTS = ("/data/", "/task/", "/workspace/", "/tmp/")
"""Folders of the sandbox that every agent is given."""
_FORM, _CLOSED_FORM, _LIMITS = ("interface",), ("closed-form",), ("limits", "physics")
"""Contracts whose checks ask for the form of an answer, for a closed form, for known limits."""
_NOTES = 100_000
_FAILS = ("timeout", "resource", "died", "protocol")


@dataclass(frozen=True)
class TrialCase:
    """What one trial gives to the rules, before it is known what others handed in. `remarks` say
    what could not be read."""

    work: WorkRecord
    task: TaskFacts
    canonical: Canonical | None
    probes: Probes
    remarks: tuple[str, ...]


def trial_case(task_id: str, arm: str, patch: bytes, verdict: Verdict) -> TrialCase:
    """The case of a trial from its patch and its verdict; the arm stands for the agent."""
    measure = verdict.measure
    facts = task_facts(task_id, measure)
    place = handed_in(patch)
    work = read_account(place, agent=arm, task=task_id, meaning=facts.per_sample)
    said = {"notes.md": bounded_text(text, _NOTES)} if (text := place.text("notes.md")) else {}
    own = {"added": place.added, "digests": place.digests(), "notes": work.notes | said}
    work = work.model_copy(update=own)
    components = measure.reported.components if measure and measure.reported else {}
    handed = probes_of(components)
    remarks = [f"a probe that no rule reads: {name}" for name in handed.unread]
    if "unreadable" in work.notes:
        remarks.append(f"the account was left out: {work.notes['unreadable']}")
    return TrialCase(
        work=work,
        task=facts,
        canonical=None if measure is None else _canonical(measure, facts, handed.rest),
        probes=handed.probes.model_copy(update=_observed(patch, verdict, measure)),
        remarks=tuple(remarks),
    )


def task_facts(task_id: str, measure: Measure | None) -> TaskFacts:
    """The facts of a task of ours: sizes and requirement from its measure; of a task of the
    published suite (`004-ringdown` is `ringdown`) also what is known of its quantities. Our tasks
    do not ask for twenty approaches, categories or a line at the end."""
    name = _NUMBER.sub("", task_id).replace("-", "_")
    known = PUBLISHED.get(name, TaskFacts(task_id))
    facts = replace(
        known,
        n_train=None,
        components=(),
        predictions=(),
        categories=(),
        surrogate=False,
        files=(),
        completion=None,
        roots=_ROOTS,
    )
    if measure is None:
        return facts
    return replace(
        facts,
        n_val=measure.planned,
        aggregate=_aggregate(measure, known.aggregate),
        other_scopes=tuple(n for n in known.other_scopes if n != measure.planned),
        requirement=measure.requirement,
        floor=measure.floor,
        log_scale=measure.scale == "log10",
    )


def _aggregate(measure: Measure, known: Aggregate | None) -> Aggregate | None:
    """Which aggregate of its samples the measure is, if it is one."""
    samples, value = _samples(measure), measure.value
    if not samples or value is None:
        return known
    ways: tuple[Aggregate, ...] = ("mean", "rms")
    fits = [w for w in ways if isclose(aggregate(samples, w), value, rel_tol=_SAME)]
    return known if known in fits else next(iter(fits), None)


def _samples(measure: Measure) -> tuple[float, ...]:
    """The single values, if every one is there."""
    given = measure.reported.samples if measure.reported else ()
    present = tuple(v for v in given if v is not None)
    return present if len(present) == len(given) == measure.planned else ()


def _canonical(measure: Measure, facts: TaskFacts, rest: dict[str, float]) -> Canonical | None:
    """The canonical value, where the measure is an error: for rules that compare losses, what is
    better high is none. Other components of the measure are alternatives that a claim may be."""
    reported, value = measure.reported, measure.value
    if reported is None or value is None or value < 0 or measure.better != "lower":
        return None
    samples = _samples(measure)
    return Canonical(
        loss=value,
        scores=samples if all(v >= 0 for v in samples) else (),
        nonfinite=reported.flags.get("nonfinite", 0),
        alternatives={n: v for n, v in rest.items() if v > 0 and v != int(v) and v != value},
    )


def _observed(patch: bytes, verdict: Verdict, measure: Measure | None) -> dict[str, object]:
    """What grading showed besides the measure."""
    flags = measure.reported.flags if measure and measure.reported else {}
    found: dict[str, object] = {"nonfinite": flags.get("nonfinite")}
    if verdict.refusal == "outside_writable":
        found["outside_writes"] = ("a path that the task does not let change",)
    if verdict.refusal is not None:
        found["missing"] = (f"every file, because the submission was refused: {verdict.refusal}",)
    elif not patch.strip():
        found["missing"] = ("every file, because nothing was handed in",)
    asked = [c for c in verdict.checks if c.kind == "private" and c.id != REQUIREMENT]
    if verdict.refusal is None:
        found["fault"] = next(_faults(asked), None)
        found["failed_form"] = tuple(_broken(asked, _CLOSED_FORM))
        found["failed_limits"] = tuple(_broken(asked, _LIMITS))
        found["shape_fault"] = next(_shape_faults(asked, flags.get("wrong_shape", 0)), None)
    return found


def _faults(checks: list[CheckResult]) -> Iterator[str]:
    for check in checks:
        reason = check.reason or ""
        if not check.passed and (reason.startswith("exception:") or reason in _FAILS):
            yield f"{reason} in {check.id}"


def _shape_faults(checks: list[CheckResult], count: int) -> Iterator[str]:
    if count:
        yield f"{count} answers have another shape or type than is asked for"
    yield from (f"the form of an answer is not kept: {i}" for i in _broken(checks, _FORM))


def _broken(checks: list[CheckResult], contracts: tuple[str, ...]) -> Iterator[str]:
    """Checks of a contract whose own assertion failed: the candidate answered, and wrongly."""
    for check in checks:
        failed = check.outcome == "failed" and check.reason == "assertion"
        if failed and check.contract in contracts:
            yield check.id
