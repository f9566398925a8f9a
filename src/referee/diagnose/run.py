"""Findings on the artifact trials of a run of ours, from its records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.diagnose.case import case_of
from referee.diagnose.integrity import Standing, standing
from referee.diagnose.registry import all_rules
from referee.diagnose.rules import STAGES, Finding, RuleSet
from referee.diagnose.trial_case import TrialCase, trial_case
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.record.load import load_record, read_regular
from referee.record.plan import Arm, RunPlan
from referee.record.verdict import Verdict
from referee.trial.layout import PATCH_FILE, TrialEntry, read_run, trial_entries, verdict_path

_ARTIFACT = "artifact"
_OWN = ("nop", "oracle", "baseline")
"""Agents that write what the authors of a task wrote: nobody copies from himself."""


@dataclass(frozen=True)
class TrialFindings:
    """The findings on one trial, and what they leave of it; `remarks` say what was not read."""

    task: str
    arm: str
    attempt: int
    findings: tuple[Finding, ...]
    standing: Standing
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class RunFindings:
    """All trials, in order of task, arm and attempt; `withheld` names those without a grading, and
    `unread` trials of other kinds of task, about which no rule says anything."""

    trials: tuple[TrialFindings, ...]
    withheld: tuple[str, ...]
    unread: int
    rules: str


def diagnose_run(
    run: Path,
    *,
    task: str | None = None,
    arm: str | None = None,
    rules: RuleSet | None = None,
) -> RunFindings:
    """Look at every artifact trial of a run, or at those of one task or arm. The same records give
    the same findings. A trial counts by the first verdict that it got. Copies are looked for in
    what every other arm of the run handed in for the task.

    Raises:
        BadInput: this is no run, it is damaged, a patch is not the one that was graded, there are
            no artifact trials, none of the given name, or rules cannot be loaded.
    """
    chosen = rules or all_rules()
    plan, text = read_run(run)
    entries = trial_entries(text.lines)
    _known(plan, task, arm, run)
    artifacts = {t.task_id for t in plan.selection if t.paradigm == _ARTIFACT}
    ours = {key: e for key, e in sorted(entries.items()) if key[0] in artifacts}
    cases = {key: _case(run, e) for key, e in ours.items() if e.verdicts}
    arms = {a.name: a for a in plan.arms}
    wanted = [k for k in cases if task in (None, k[0]) and arm in (None, k[1])]
    return RunFindings(
        trials=tuple(_findings(key, cases, arms, chosen) for key in wanted),
        withheld=tuple(e.path for e in ours.values() if not e.verdicts),
        unread=len(entries) - len(ours),
        rules=chosen.version,
    )


def _known(plan: RunPlan, task: str | None, arm: str | None, run: Path) -> None:
    tasks = [t.task_id for t in plan.selection if t.paradigm == _ARTIFACT]
    if not tasks:
        raise BadInput(
            "this run has no artifact task, and the rules are about those",
            where=run,
            hint="`referee table` shows the scores of the others",
        )
    for what, name, names in (
        ("artifact task", task, tasks),
        ("arm", arm, [a.name for a in plan.arms]),
    ):
        if name is not None and name not in names:
            hint = f"there are {', '.join(names)}"
            raise BadInput(f"this run has no {what} {name}", where=run, hint=hint)


def _case(run: Path, entry: TrialEntry) -> TrialCase:
    folder = run / entry.path
    verdict = load_record(folder / verdict_path(entry.verdicts[0]), Verdict)
    try:
        patch = read_regular(folder / PATCH_FILE)
    except OSError as error:
        raise BadInput(
            f"cannot be read ({error.strerror})",
            where=folder / PATCH_FILE,
            hint="run `referee audit` on the run",
        ) from None
    if sha256_bytes(patch) != verdict.submission_digest:
        raise BadInput(
            "is not the submission that was graded",
            where=folder / PATCH_FILE,
            hint="run `referee audit` on the run",
        )
    return trial_case(entry.identity.task_id, entry.identity.arm, patch, verdict)


def _findings(
    key: tuple[str, str, int],
    cases: dict[tuple[str, str, int], TrialCase],
    arms: dict[str, Arm],
    rules: RuleSet,
) -> TrialFindings:
    own = cases[key]
    others = {
        f"{arm} {attempt}": case
        for (task, arm, attempt), case in cases.items()
        if task == key[0] and _may_copy(arms[key[1]], arms[arm])
    }
    case = case_of(
        own.work,
        task=own.task,
        canonical=own.canonical,
        probes=own.probes,
        others=tuple(c.work for c in others.values()),
        other_scores={
            name: c.canonical.scores for name, c in others.items() if c.canonical is not None
        },
    )
    findings = rules.diagnose(case)
    return TrialFindings(*key, findings, standing(findings), own.remarks)


def _may_copy(arm: Arm, other: Arm) -> bool:
    """Whether equal work of two arms is worth a word: not of one agent under two conditions, which
    may well do the same twice, and not of agents that hand in what the task's authors wrote."""
    if arm.agent in _OWN or arm.agent.startswith("baseline-"):
        return False
    return (arm.agent, arm.model, arm.settings) != (other.agent, other.model, other.settings)


def stage_counts(trials: Sequence[TrialFindings]) -> dict[str, dict[str, int]]:
    """How many findings each arm has in each stage, as in figure 3 of arXiv 2605.11269."""
    counts: dict[str, Counter[str]] = {}
    for trial in trials:
        counts.setdefault(trial.arm, Counter()).update(f.stage for f in trial.findings)
    return {arm: {stage: found[stage] for stage in STAGES} for arm, found in counts.items()}
