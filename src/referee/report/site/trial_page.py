"""What the page of one trial shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.record.atif import Step, Trajectory
from referee.record.fault import BadInput
from referee.record.load import load_record, read_regular
from referee.record.verdict import CheckResult, Verdict
from referee.report.site import privacy
from referee.report.site.model import Site, SiteTrial
from referee.report.site.patch import PatchFile, patch_files
from referee.report.site.text import Cut, cut, written_size
from referee.trial.layout import PATCH_FILE

PATCH_BYTES = 400_000
TRANSCRIPT_BYTES = 800_000
TURN_BYTES = 30_000
LOG_BYTES = 20_000
MESSAGE_BYTES = 4_000
CHECKS_SHOWN = 400
MOST_FILE = 64 << 20
"""Bytes of a file of the record that is read at all."""


@dataclass(frozen=True)
class CheckLine:
    """One check as it is shown; `name` is a number among its kind where the name is not told."""

    name: str
    kind: str
    outcome: str
    baseline: str
    reason: str
    message: str
    trust: str
    time: float | None


@dataclass(frozen=True)
class Contract:
    """The checks of one contract: those that did not pass come first, and `left_out` are counted,
    but not listed."""

    name: str
    kind: str
    passed: int
    total: int
    lines: tuple[CheckLine, ...]
    left_out: int


@dataclass(frozen=True)
class Turn:
    """One step of a transcript: who spoke, and parts with a head each."""

    number: int
    source: str
    summary: str
    parts: tuple[tuple[str, Cut], ...]
    tokens: str


@dataclass(frozen=True)
class Transcript:
    """The turns that are shown, and how many are not."""

    turns: tuple[Turn, ...]
    left_out: int
    calls: int


@dataclass(frozen=True)
class Log:
    """What a process of the agent printed."""

    name: str
    text: Cut


def trial_page(
    site: Site, trial: SiteTrial, read: Callable[[SiteTrial], Verdict | None]
) -> dict[str, Any]:
    """The values of `trial.html`; `read` gives the verdict of a trial.

    Raises:
        BadInput: a record cannot be read.
    """
    verdict = read(trial)
    hidden = not site.internal and privacy.of_evaluators(trial.arm.arm)
    task = next(task for task in site.tasks if task.task_id == trial.key[0])
    return {
        "trial": trial,
        "task": task,
        "verdict": verdict,
        "why_withheld": _why_withheld(site, trial),
        "contracts": contracts(verdict, internal=site.internal) if verdict else (),
        "measure": verdict.measure if verdict else None,
        "reproduction": verdict.reproduction if verdict else None,
        "leaves": _leaves(site, verdict),
        "hidden": hidden,
        "patch": None if hidden else _patch(trial, internal=site.internal),
        "transcript": None if hidden else _transcript(trial, internal=site.internal),
        "logs": () if hidden else _logs(trial, internal=site.internal),
        "phases": phases(verdict, trial.trial.timing),
        "enforcement": verdict.enforcement if verdict else (),
        "gradings": trial.verdicts,
    }


def contracts(verdict: Verdict, *, internal: bool) -> tuple[Contract, ...]:
    """The checks by kind and contract; what only evaluators may see is left out unless `internal`.
    Checks that are not named are numbered among those of their kind, in the verdict's order."""
    numbers: Counter[str] = Counter()
    groups: dict[tuple[str, str], list[CheckLine]] = {}
    for check in verdict.checks:
        numbers[check.kind] += 1
        contract = privacy.contract_of(check, internal=internal)
        line = _check(check, verdict, numbers[check.kind], internal=internal)
        groups.setdefault((check.kind, contract), []).append(line)
    order = {"public": 0, "private": 1, "regression": 2}
    return tuple(
        _contract(kind, name, lines)
        for (kind, name), lines in sorted(groups.items(), key=lambda g: (order[g[0][0]], g[0][1]))
    )


def _contract(kind: str, name: str, lines: Sequence[CheckLine]) -> Contract:
    shown = sorted(lines, key=lambda line: line.outcome == "passed")[:CHECKS_SHOWN]
    passed = sum(line.outcome == "passed" for line in lines)
    return Contract(name, kind, passed, len(lines), tuple(shown), len(lines) - len(shown))


def _check(check: CheckResult, verdict: Verdict, number: int, *, internal: bool) -> CheckLine:
    tells = privacy.tells_all(check, internal=internal)
    message = shown(check.message, MESSAGE_BYTES, internal=internal).text if tells else ""
    return CheckLine(
        name=check.id if tells else f"{check.kind} check {number}",
        kind=check.kind,
        outcome=check.outcome,
        baseline="passed" if check.baseline_passed else "failed",
        reason=privacy.reason_of(check, internal=internal),
        message=message,
        trust=check.trust,
        time=verdict.timing.get(check.id),
    )


def phases(verdict: Verdict | None, timing: dict[str, float]) -> list[tuple[str, float]]:
    """Seconds by phase of the trial, then of its grading; times of single checks are not phases."""
    found = list(timing.items())
    if verdict is not None:
        names = {check.id for check in verdict.checks}
        plain = [(k, v) for k, v in verdict.timing.items() if k not in names and "::" not in k]
        found += [(f"grade: {name}", value) for name, value in plain if _is_phase(name)]
    return found


def _is_phase(name: str) -> bool:
    return name.isidentifier() and len(name) <= 40


def shown(text: str, most: int, *, internal: bool) -> Cut:
    """A text that came from a candidate or a log, unless it bears the mark of hidden files."""
    if not internal and privacy.is_marked(text):
        return Cut(f"[{privacy.NOT_SHOWN}]")
    return cut(text, most)


def _why_withheld(site: Site, trial: SiteTrial) -> tuple[str, str] | None:
    why = trial.trial.withheld
    if why is None:
        return None
    return why.reason, why.detail if site.internal else ""


def _leaves(site: Site, verdict: Verdict | None) -> list[dict[str, str]]:
    """The leaves of a reproduction. The rubric is the evaluators': without `internal` a leaf is a
    number with its category, share and score."""
    if verdict is None or verdict.reproduction is None:
        return []
    return [
        {
            "name": leaf.id if site.internal else f"leaf {number}",
            "category": leaf.category,
            "share": leaf.share,
            "by": leaf.by,
            "score": leaf.score or f"{leaf.low} to {leaf.high}",
            "reason": (leaf.reason or "") if site.internal else "",
            "detail": leaf.detail if site.internal else "",
        }
        for number, leaf in enumerate(verdict.reproduction.leaves, 1)
    ]


def _patch(trial: SiteTrial, *, internal: bool) -> tuple[tuple[PatchFile, ...], int] | None:
    text = _text(trial.folder / PATCH_FILE)
    if text is None:
        return None
    found = shown(text, PATCH_BYTES, internal=internal)
    return patch_files(found.text), found.left_out


def _transcript(trial: SiteTrial, *, internal: bool) -> Transcript | None:
    path = trial.folder / "agent" / "transcript.json"
    if not path.is_file():
        return None
    try:
        found = load_record(path, Trajectory)
    except BadInput:
        return None  # an agent that is replaced midway may leave a part: the logs stand below
    turns: list[Turn] = []
    room = TRANSCRIPT_BYTES
    for step in found.steps:
        turn = _turn(step, internal=internal)
        room -= sum(written_size(part.text) for _, part in turn.parts) + 400
        if room < 0:
            break
        turns.append(turn)
    calls = sum(step.source == "agent" for step in found.steps)
    return Transcript(tuple(turns), len(found.steps) - len(turns), calls)


def _turn(step: Step, *, internal: bool) -> Turn:
    parts: list[tuple[str, str]] = []
    if step.reasoning_content:
        parts.append(("thought", step.reasoning_content))
    if step.message:
        parts.append(("said", step.message))
    for call in step.tool_calls or ():
        told = [f"{key}: {value}" for key, value in call.arguments.items()]
        parts.append((f"asked for {call.function_name}", "\n".join(told)))
    for result in step.observation.results if step.observation else ():
        parts.append(("observed", result.content or ""))
    cuts = tuple((head, shown(text, TURN_BYTES, internal=internal)) for head, text in parts)
    used = step.metrics
    tokens = "" if used is None else f"{used.prompt_tokens or 0} in, {used.completion_tokens or 0}"
    first = " ".join(cuts[0][1].text.split())[:110] if cuts else ""
    names = ", ".join(call.function_name for call in step.tool_calls or ())
    summary = f"{names}: {first}" if names else first
    return Turn(step.step_id, step.source, summary, cuts, f"{tokens} out" if tokens else "")


def _logs(trial: SiteTrial, *, internal: bool) -> tuple[Log, ...]:
    logs = []
    for name in ("stdout.log", "stderr.log"):
        text = _text(trial.folder / "agent" / name)
        if text:
            logs.append(Log(name, shown(text, LOG_BYTES, internal=internal)))
    return tuple(logs)


def _text(path: Path) -> str | None:
    try:
        return read_regular(path, MOST_FILE).decode("utf-8", "backslashreplace")
    except OSError:
        return None
