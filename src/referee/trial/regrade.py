"""Grading recorded submissions again: what was withheld, from the very same submission.

The agent is never asked again. A reproduction whose frozen evidence is whole is judged again from
that evidence; any other submission is graded as it was the first time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from referee.environment.store import Store, remove_tree
from referee.grade.repair import grade_repair
from referee.grade.reproduction.grading import Places, grade_reproduction, judge_frozen
from referee.grade.workspace import Bench, bench_in_use
from referee.record.fault import BadInput, Infrastructure
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.trial import Trial, TrialIdentity
from referee.record.verdict import Verdict
from referee.replay.record import RECORD, ReplayRecord
from referee.replay.verify import verify
from referee.submission.gate import Handed
from referee.task.package import TaskPackage, load_task
from referee.task.suite import resolve_suite
from referee.trial.layout import JUDGE, PARTIAL, PATCH_FILE, REPLAY, TRIAL_FILE
from referee.trial.rubrics import Rubrics, open_leaves, rubrics_of
from referee.trial.run_folder import RunFolder
from referee.trial.workspace import bench_for, hand_in


@dataclass(frozen=True)
class Regraded:
    """What came of one trial: `scored` by a new verdict (`added` is False if the same one was there
    already), or still `withheld`, for `reason`."""

    identity: TrialIdentity
    outcome: str
    added: bool = False
    reason: str | None = None
    detail: str = ""


def chosen_trials(run: RunFolder, *, everything: bool) -> list[TrialIdentity]:
    """The trials to grade again: the withheld ones that no later verdict has decided, or all."""
    chosen = []
    for identity in run.plan.trials():
        entry = run.finished.get(identity.key)
        if entry is None:
            continue
        trial = load_record(run.path / entry.path / TRIAL_FILE, Trial)
        decided = set(entry.verdicts) - {trial.verdict_digest}
        if everything or (trial.outcome == "withheld" and not decided):
            chosen.append(identity)
    return chosen


def tasks_of(plan: RunPlan, suite: str | None) -> dict[str, TaskPackage]:
    """The packages of a plan's tasks at the content that the plan names.

    Raises:
        BadInput: the suite is not found, lacks a task, or a task has changed since.
    """
    alone = suite is not None and (Path(suite) / "task.toml").is_file()
    name = suite or plan.suite.name
    packages = (load_task(Path(name)),) if alone else resolve_suite(name).load()
    found = {task.label: task for task in packages}
    for selected in plan.selection:
        task = found.get(selected.task_id)
        if task is None:
            hint = "name the run's suite by --suite"
            raise BadInput(f"the suite has no task {selected.task_id}", hint=hint)
        if task.digest != selected.task_digest:
            raise BadInput(
                f"{selected.task_id} is not the task of the run: it has changed since",
                where=task.root,
                hint="regrade with the package that the run had",
            )
    return {selected.task_id: found[selected.task_id] for selected in plan.selection}


def regrade(
    run: RunFolder,
    store: Store,
    tasks: Mapping[str, TaskPackage],
    identities: list[TrialIdentity],
    *,
    judge: str | None = None,
    say: Callable[[str], None] = lambda _line: None,
    on_done: Callable[[Regraded], None] = lambda _done: None,
) -> list[Regraded]:
    """Grade recorded trials again, and put each new verdict beside the earlier ones.

    Raises:
        BadInput: a task cannot be prepared, or there is no such judge.
    """
    rubrics = rubrics_of({i.task_id: tasks[i.task_id] for i in identities}, judge)
    done = []
    for identity in identities:
        bench = _bench(store, run.plan, tasks[identity.task_id], say)
        with bench_in_use(bench):
            one = _one(run, bench, tasks[identity.task_id], rubrics, identity)
        done.append(one)
        on_done(one)
    return done


def _bench(
    store: Store,
    plan: RunPlan,
    task: TaskPackage,
    say: Callable[[str], None],
) -> Bench:
    facts = plan.data.get(task.label)
    bench = bench_for(store, task, size="small" if facts is None else facts.size, say=say)
    if facts is not None and (bench.data is None or bench.data.facts != facts):
        hint = "make them with the seed that the run had"
        raise BadInput(f"the data of {task.label} are not those of the run", hint=hint)
    return bench


def _one(
    run: RunFolder,
    bench: Bench,
    task: TaskPackage,
    rubrics: Mapping[str, Rubrics],
    identity: TrialIdentity,
) -> Regraded:
    folder = run.path / identity.folder
    trial = load_record(folder / TRIAL_FILE, Trial)
    if trial.submission is None:
        told = "the machine failed before anything was handed in"
        return Regraded(identity, "withheld", reason="no_submission", detail=told)
    if trial.submission.refusal is not None:
        return Regraded(identity, trial.outcome, reason="refused", detail=trial.submission.refusal)
    handed_in = hand_in(bench, task, (folder / PATCH_FILE).read_bytes())
    scratch = Path(tempfile.mkdtemp(prefix=f"{PARTIAL}evidence-", dir=folder.parent))
    try:
        verdict = _verdict(
            bench, task, rubrics.get(identity.task_id), handed_in, folder, scratch, identity
        )
        fault = None if verdict.reproduction is None else open_leaves(verdict.reproduction)
        if fault is not None:
            return Regraded(identity, "withheld", reason=fault.reason, detail=fault.detail)
        kept = {name: scratch / name for name in (REPLAY, JUDGE) if (scratch / name).is_dir()}
        added = run.add_regrade(identity, verdict, kept)
        return Regraded(identity, "scored", added)
    except Infrastructure as fault:
        return Regraded(identity, "withheld", reason=fault.reason, detail=fault.detail)
    finally:
        remove_tree(scratch)


def _verdict(
    bench: Bench,
    task: TaskPackage,
    rubrics: Rubrics | None,
    handed_in: Handed,
    folder: Path,
    scratch: Path,
    identity: TrialIdentity,
) -> Verdict:
    submission, _patch, applied = handed_in
    if rubrics is None:
        return grade_repair(bench, task, submission, applied, seed=identity.seed)
    scheme, judge = rubrics.scheme, rubrics.judge
    record = frozen_record(folder / REPLAY)
    if record is None:
        places = Places(scratch / REPLAY, scratch / JUDGE)
        return grade_reproduction(bench, scheme, submission, applied, judge=judge, places=places)
    places = Places(folder / REPLAY, scratch / JUDGE)
    return judge_frozen(bench, scheme, submission, record, judge=judge, places=places)


def frozen_record(folder: Path) -> ReplayRecord | None:
    """The receipt of evidence that is whole; None if there is none that may be used."""
    if not verify(folder).ok:
        return None
    try:
        return ReplayRecord.model_validate_json((folder / RECORD).read_bytes())
    except (OSError, ValidationError):
        return None
