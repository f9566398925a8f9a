"""From a request to a prepared run: plan frozen, environments built, then the trials."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from referee.agent.gateway.budget import Budget, Meter
from referee.agent.gateway.usage import Usage
from referee.agent.profile import Profile, load_profile
from referee.agent.protocol import Agent
from referee.agent.scripted import Replay
from referee.environment.store import Store, open_store
from referee.grade.workspace import Bench, bench_in_use
from referee.record.fault import BadInput, Infrastructure
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.task.model import DataSize
from referee.task.package import TaskPackage
from referee.task.selection import Criteria
from referee.task.suite import resolve_suite
from referee.trial.agents import make_agent, make_arms
from referee.trial.conditions import FULL, Levels, arms_of, tasks_that_allow
from referee.trial.execute import Contest, TrialEvent, ended, run_trials
from referee.trial.model import Models
from referee.trial.plan import locked_digest, make_plan
from referee.trial.reference import baseline_scripts, reference_of
from referee.trial.rubrics import judge_facts, rubrics_of
from referee.trial.run_folder import open_run
from referee.trial.select import EVERYTHING, select_tasks
from referee.trial.spent import spent
from referee.trial.workspace import bench_for


@dataclass(frozen=True)
class RunRequest:
    """What a user asked for; `seed` and `out` are chosen if they are None. `unvalidated` allows
    tasks that have not passed validation; the plan names them. `models` are profiles; a trial may
    use of its model what `trial_budget` says, and all trials together what `run_budget` says; a
    trial that the machine failed is tried again `retries` times. `size` is that of the data, for
    tasks that have any; `judge` decides leaves that code cannot (None: what the suite says)."""

    suite: str
    agents: tuple[str, ...]
    criteria: Criteria = EVERYTHING
    attempts: int = 1
    conditions: Levels = field(default_factory=lambda: FULL)
    seed: int | None = None
    out: Path | None = None
    unvalidated: bool = False
    models: tuple[str, ...] = ()
    trial_budget: Budget = field(default_factory=Budget)
    run_budget: Budget = field(default_factory=Budget)
    retries: int = 0
    size: DataSize = "small"
    judge: str | None = None


@dataclass(frozen=True)
class PreparedRun:
    """A plan, what its trials need, and where the records go."""

    plan: RunPlan
    contest: Contest
    out: Path
    unprepared: Mapping[str, BadInput | Infrastructure]
    """Why tasks could not be prepared, by label: their trials stay pending."""


def prepare_contest(
    request: RunRequest,
    *,
    say: Callable[[str], None],
    store: Store | None = None,
    require: Callable[[TaskPackage], None] = lambda _task: None,
) -> PreparedRun:
    """Check the request, build what is missing in the store, and freeze the plan. `require` refuses
    tasks that have not been proven, and is asked unless the request allows such tasks.

    A task that cannot be prepared is told, and the others go on, unless there is no other.

    Raises:
        BadInput: anything in the request, a task, an agent or the machine does not allow the run.
    """
    selected = {task.label: task for task in select_tasks(request.suite, request.criteria)}
    tasks = tasks_that_allow(selected, request.conditions, say)
    unproven = _unproven(tasks, require, request.unvalidated)
    rubrics = rubrics_of(tasks, request.judge)
    store = store or open_store()
    profiles = [load_profile(text) for text in request.models]
    agents = _agents(request, store, tasks, say)
    arms, with_model = make_arms(list(agents.values()), arms_of(request.conditions), profiles)
    models = _models(request, with_model, len(tasks) * request.attempts)
    out = request.out or _new_folder(tasks)
    seed = _kept_seed(out) if request.seed is None else request.seed
    benches, unprepared = prepare_benches(store, tasks, say, request.size)
    plan = make_plan(
        _suite_name(request.suite, tasks),
        list(tasks.values()),
        arms,
        attempts=request.attempts,
        seed=seed,
        unvalidated=unproven,
        limits=_limits(request) if with_model else {},
        data={label: b.data.facts for label, b in benches.items() if b.data is not None},
        judge=judge_facts(rubrics),
    )
    by_arm = {name: agents[arm.agent] for name, arm in arms.items()}
    contest = Contest(tasks, benches, by_arm, arms, models, request.retries, rubrics)
    return PreparedRun(plan, contest, out, unprepared)


def _models(request: RunRequest, profiles: Mapping[str, Profile], each: int) -> Models:
    """The models of a run. Limits in dollars are refused where a price is not known.

    Raises:
        BadInput: there is such a limit, and a profile without a price.
    """
    costly = (request.run_budget.cost, request.trial_budget.cost) != (None, None)
    unpriced = sorted({p.name for p in profiles.values() if p.price is None})
    if costly and unpriced:
        raise BadInput(
            f"a limit in dollars cannot be held: {', '.join(unpriced)} has no price",
            hint="write its price into the profile, or limit calls or tokens",
        )
    run = Meter(request.run_budget)
    return Models(profiles, request.trial_budget, run, trials=each * len(profiles))


def _limits(request: RunRequest) -> dict[str, JsonValue]:
    """What trials of this run may use, as it stands in the plan; only what is limited."""
    told = {name: value for name, value in vars(request.trial_budget).items() if value is not None}
    return {"model": told} if told else {}


def prepare_benches(
    store: Store,
    tasks: Mapping[str, TaskPackage],
    say: Callable[[str], None],
    size: DataSize = "small",
) -> tuple[dict[str, Bench], dict[str, BadInput | Infrastructure]]:
    """The benches of tasks by label, and why there is none.

    Raises:
        BadInput, Infrastructure: no task could be prepared, or the disk is full.
    """
    benches: dict[str, Bench] = {}
    faults: dict[str, BadInput | Infrastructure] = {}
    for label, task in tasks.items():
        say(f"{label}: preparing")
        try:
            benches[label] = bench_for(store, task, size=size, say=lambda line: say(f"  {line}"))
        except (BadInput, Infrastructure) as fault:
            full = isinstance(fault, Infrastructure) and fault.reason == "disk_full"
            if full or len(tasks) == 1:
                raise
            faults[label] = fault
            say(f"{label}: cannot be prepared, the others go on: {fault}")
    if not benches:
        raise next(iter(faults.values()))
    return benches, faults


def _unproven(
    tasks: Mapping[str, TaskPackage], require: Callable[[TaskPackage], None], allowed: bool
) -> tuple[str, ...]:
    unproven = []
    for label, task in tasks.items():
        locked_digest(task)
        try:
            require(task)
        except BadInput as fault:
            if not allowed:
                hint = f"{fault.hint}, or allow it with --allow-unvalidated"
                raise BadInput(fault.what, where=fault.where, hint=hint) from None
            unproven.append(label)
    return tuple(unproven)


def run_contest(
    prepared: PreparedRun, *, jobs: int, on_event: Callable[[TrialEvent], None]
) -> None:
    """Run what is pending, and seal the run."""
    contest = prepared.contest
    with ExitStack() as held:
        for bench in contest.benches.values():
            held.enter_context(bench_in_use(bench))
        folder = held.enter_context(open_run(prepared.out, prepared.plan))
        _count_earlier(contest.models.run, folder.path)
        for key in folder.finished:
            on_event(_finished_event(folder.path, key))
        run_trials(folder, contest, jobs=jobs, on_event=on_event)


def _count_earlier(run: Meter, path: Path) -> None:
    """A resumed run has used a part of its budget, if it has one."""
    if run.budget == Budget():
        return
    used = spent(path)
    usage = Usage(**used.charged.as_json())
    run.begin_with(used.calls - used.refused, usage, used.charged_cost, used.uncounted)


def _finished_event(run: Path, key: tuple[str, str, int]) -> TrialEvent:
    from referee.record.trial import Trial

    task, arm, attempt = key
    trial = load_record(run / "trials" / task / arm / str(attempt) / "trial.json", Trial)
    return ended(trial)


def _agents(
    request: RunRequest,
    store: Store,
    tasks: Mapping[str, TaskPackage],
    say: Callable[[str], None],
) -> dict[str, Agent]:
    reference = reference_of(store, tasks)
    baselines = partial(baseline_scripts, tasks)
    agents: dict[str, Agent] = {}
    for text in request.agents:
        agent = make_agent(text, store, reference, say, baselines)
        if agent.name in agents:
            raise BadInput(f"--agent: {agent.name} is given twice", hint="rename one program")
        if isinstance(agent, Replay):
            agent.require(tasks)
        agents[agent.name] = agent
    return agents


def _suite_name(text: str, tasks: Mapping[str, TaskPackage]) -> str:
    if (Path(text) / "task.toml").is_file():
        return next(iter(tasks.values())).agent.file.referee.suite
    return resolve_suite(text).table.name


def _kept_seed(out: Path) -> int | None:
    """The seed of the run that is already in `out`, so that the same command resumes it."""
    if not (out / "run.json").is_file():
        return None
    return load_record(out / "run.json", RunPlan).seed


def _new_folder(tasks: Mapping[str, TaskPackage]) -> Path:
    suite = next(iter(tasks.values())).agent.file.referee.suite
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    names = (f"{suite}-{stamp}" + (f"-{n}" if n > 1 else "") for n in itertools.count(1))
    return next(path for name in names if not (path := Path("runs") / name).exists())
