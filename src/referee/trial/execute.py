"""The life of a trial: run the agent, collect what it hands in, grade it, record it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from referee.agent.protocol import Agent, AgentReport, Session
from referee.environment.store import remove_tree
from referee.grade.repair import grade_repair
from referee.grade.reproduction.grading import Places, grade_reproduction
from referee.grade.workspace import Bench, open_scratch
from referee.record.fault import BadInput, Infrastructure
from referee.record.model_call import ModelUse
from referee.record.plan import Arm
from referee.record.reproduction import ReproductionScore
from referee.record.trial import AgentFacts, SubmissionFacts, Trial, TrialIdentity, withheld_from
from referee.record.verdict import Scores, Verdict
from referee.submission.apply import tree_reader
from referee.submission.gate import Handed, from_patch, from_workspace
from referee.submission.policy import Policy
from referee.task.package import TaskPackage
from referee.trial.layout import JUDGE, REPLAY
from referee.trial.model import Models, ModelSession, model_session, write_transcript
from referee.trial.rubrics import Rubrics, open_leaves
from referee.trial.run_folder import PartialTrial, RunFolder
from referee.trial.schedule import Capacity, Need, machine_capacity, next_fitting
from referee.trial.workspace import agent_sandbox, full_instruction

_NOT_AGAIN = ("internal_error",)
"""Faults that another try would only meet again."""


@dataclass(frozen=True)
class Contest:
    """Everything that the trials of one run need, prepared before the first of them. A trial that
    the machine failed is tried again up to `retries` times. `rubrics` is about the reproduction
    tasks."""

    tasks: Mapping[str, TaskPackage]
    benches: Mapping[str, Bench]
    agents: Mapping[str, Agent]
    arms: Mapping[str, Arm]
    models: Models = field(default_factory=Models)
    retries: int = 0
    rubrics: Mapping[str, Rubrics] = field(default_factory=dict)

    def need(self, identity: TrialIdentity) -> Need:
        """What a trial may use at a time."""
        environment = self.tasks[identity.task_id].agent.file.environment
        memory = environment.memory_mb + self.agents[identity.arm].memory_mb
        return Need(environment.cpus, memory << 20)


@dataclass(frozen=True)
class TrialEvent:
    """Something to show: a trial began (`outcome` is None), is `retried` because the machine failed
    it, stays `pending` because the budget of the run is used up, or ended."""

    identity: TrialIdentity
    outcome: str | None = None
    scores: Scores | None = None
    reason: str | None = None
    model: ModelUse | None = None
    reproduction: ReproductionScore | None = None


@dataclass
class _Progress:
    """What one trial has come to so far; a machine fault withholds it with what there is."""

    timing: dict[str, float] = field(default_factory=dict)
    report: AgentReport | None = None
    model: ModelSession | None = None
    handed_in: Handed | None = None
    verdict: Verdict | None = None

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        finally:
            self.timing[name] = round(time.monotonic() - start, 6)


def run_trials(
    run: RunFolder,
    contest: Contest,
    *,
    jobs: int,
    on_event: Callable[[TrialEvent], None],
    capacity: Capacity | None = None,
) -> None:
    """Run every pending trial of the plan, at most `jobs` at a time and no more than the machine
    has cores and memory for, and seal the run at the end. Trials of a task without a bench stay
    pending, and then the run is not sealed.

    Raises:
        BadInput: the run cannot go on (the disk is full); trials that ended are recorded.
    """
    capacity = machine_capacity() if capacity is None else capacity
    waiting = [identity for identity in run.pending() if identity.task_id in contest.benches]
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="trial")
    running: dict[Future[None], Need] = {}
    try:
        while waiting or running:
            place = None
            if len(running) < jobs:
                needs = list(running.values())
                place = next_fitting(waiting, needs, capacity, contest.need)
            if place is None:
                _settle(running)
                continue
            if _is_out_of_budget(contest, waiting[place]):
                del waiting[place]  # it stays pending
                continue
            identity = waiting.pop(place)
            future = pool.submit(_one, run, contest, identity, on_event)
            running[future] = contest.need(identity)
    finally:
        # After a fault or an interrupt nobody waits for the trials that are still running.
        pool.shutdown(wait=False, cancel_futures=True)
    run.seal()


def _is_out_of_budget(contest: Contest, identity: TrialIdentity) -> bool:
    """Whether the budget of the run is used up for a trial that needs a model."""
    models = contest.models
    return identity.arm in models.profiles and models.run.spent() is not None


def _settle(running: dict[Future[None], Need]) -> None:
    done, _rest = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        del running[future]
        future.result()


def _one(
    run: RunFolder,
    contest: Contest,
    identity: TrialIdentity,
    on_event: Callable[[TrialEvent], None],
) -> None:
    on_event(TrialEvent(identity))
    for left in range(contest.retries, -1, -1):
        partial = run.begin_trial(identity)
        progress, fault = _tried(contest, partial)
        trial = _recorded(identity, progress, fault)
        if fault is not None and fault.reason == "model_budget_of_run":
            # it stays pending, for a run with a larger budget to go on with
            run.put_try_aside(partial, trial)
            on_event(TrialEvent(identity, "pending", None, fault.reason, trial.model))
            return
        if fault is None or left == 0 or fault.reason in _NOT_AGAIN:
            break
        run.put_try_aside(partial, trial)
        on_event(TrialEvent(identity, "retried", None, fault.reason, trial.model))
    patch = progress.handed_in[1] if progress.handed_in is not None else None
    run.commit_trial(
        partial, trial, verdict=progress.verdict if fault is None else None, patch=patch
    )
    on_event(ended(trial))


def ended(trial: Trial) -> TrialEvent:
    """The event of a recorded trial."""
    reason = None if trial.withheld is None else trial.withheld.reason
    return TrialEvent(
        trial.identity, trial.outcome, trial.scores, reason, trial.model, trial.reproduction
    )


def _tried(contest: Contest, partial: PartialTrial) -> tuple[_Progress, Infrastructure | None]:
    progress = _Progress()
    try:
        _perform(contest, partial, progress)
    except Infrastructure as fault:
        return progress, fault
    except BadInput:
        raise
    except Exception as defect:
        # A defect of ours decides nothing about the candidate, and stops no other trial.
        return progress, Infrastructure("internal_error", f"{type(defect).__name__}: {defect}")
    return progress, None


def _perform(contest: Contest, partial: PartialTrial, progress: _Progress) -> None:
    identity = partial.identity
    task, bench = contest.tasks[identity.task_id], contest.benches[identity.task_id]
    scratch = open_scratch(bench.store, "trial")
    try:
        with progress.phase("agent"):
            upper = _work(contest, partial, scratch, progress)
        with progress.phase("collect"):
            progress.handed_in = _collect(task, bench, upper, progress)
    finally:
        remove_tree(scratch)
    with progress.phase("grade"):
        progress.verdict = _graded(contest, partial, bench, progress.handed_in)


def _graded(contest: Contest, partial: PartialTrial, bench: Bench, handed_in: Handed) -> Verdict:
    identity = partial.identity
    submission, _patch, applied = handed_in
    rubrics = contest.rubrics.get(identity.task_id)
    if rubrics is None:
        task = contest.tasks[identity.task_id]
        return grade_repair(bench, task, submission, applied, seed=identity.seed)
    places = Places(partial.path / REPLAY, partial.path / JUDGE)
    return grade_reproduction(
        bench, rubrics.scheme, submission, applied, judge=rubrics.judge, places=places
    )


def _work(contest: Contest, partial: PartialTrial, scratch: Path, progress: _Progress) -> Path:
    """Let the agent work; returns the upper directory of its workspace, where nothing lives."""
    identity = partial.identity
    task, bench = contest.tasks[identity.task_id], contest.benches[identity.task_id]
    agent, arm = contest.agents[identity.arm], contest.arms[identity.arm]
    sandbox, upper = agent_sandbox(bench, task.agent, arm.condition, agent, scratch)
    timeout = bench.file.agent.timeout_sec
    logs = partial.path / "agent"
    logs.mkdir()
    sandbox.start()
    try:
        with model_session(contest.models, arm.name, sandbox, logs) as model:
            progress.model = model
            link = None if model is None else model.link()
            progress.report = agent.work(
                Session(task.label, sandbox, full_instruction(task.agent), timeout, logs, link)
            )
    finally:
        sandbox.stop()
    if model is not None:
        write_transcript(
            logs,
            session=f"{task.label}/{arm.name}/{identity.attempt}",
            agent=agent.name,
            version=agent.version,
            model=model.profile.table.model,
        )
        model.require_answered()
    return upper


def _collect(task: TaskPackage, bench: Bench, upper: Path, progress: _Progress) -> Handed:
    snapshot = bench.prepared.snapshot
    policy = Policy.of_task(task)
    patch = progress.report.patch if progress.report is not None else None
    if patch is not None:
        read = tree_reader(snapshot.manifest, snapshot.tree)
        return from_patch(snapshot.manifest, read, patch, policy)
    return from_workspace(snapshot.manifest, snapshot.tree, upper, policy)


def _recorded(identity: TrialIdentity, progress: _Progress, fault: Infrastructure | None) -> Trial:
    """The record of a trial; one that cannot be made of what an agent reported is made without."""
    try:
        return _trial_record(identity, progress, fault)
    except ValueError as defect:
        progress.report = None
        fault = fault or Infrastructure("internal_error", f"{type(defect).__name__}: {defect}")
        return _trial_record(identity, progress, fault)


def _trial_record(
    identity: TrialIdentity, progress: _Progress, fault: Infrastructure | None
) -> Trial:
    verdict = progress.verdict if fault is None else None
    total = None
    if verdict is not None and verdict.reproduction is not None:
        total, fault = verdict.reproduction.total, open_leaves(verdict.reproduction)
    report, handed_in = progress.report, progress.handed_in
    return Trial(
        identity=identity,
        outcome="withheld" if fault is not None else "scored",
        withheld=withheld_from(fault) if fault is not None else None,
        submission=None if handed_in is None else _submission_facts(handed_in),
        agent=None if report is None else AgentFacts(ended=report.ended, exit=report.exit_code),
        model=None if progress.model is None else progress.model.use(report),
        verdict_digest=None if verdict is None else verdict.content_digest,
        scores=None if verdict is None else verdict.scores,
        reproduction=total,
        timing=progress.timing,
    )


def _submission_facts(handed_in: Handed) -> SubmissionFacts:
    submission, patch, _applied = handed_in
    return SubmissionFacts(
        submission_digest=submission.patch,
        bytes=len(patch),
        files=len(submission.files),
        refusal=None if submission.refusal is None else submission.refusal.reason,
    )
