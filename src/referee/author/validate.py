"""Validation: is the hidden oracle sound? Every case is graded as a submission would be."""

from __future__ import annotations

import dataclasses
import re
import shlex
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from referee.author.cases import NO_SPECIAL_CASES, Case, Plan, plan_cases, select_cases
from referee.author.evidence import VALIDATION, append_evidence, require_ready
from referee.author.judge import catch_tables, judged_row, withheld_row
from referee.author.overlap import measure_overlap
from referee.author.parts import package_parts
from referee.author.reuse import earlier_validation, still_holding
from referee.author.special import special_cases
from referee.author.validate_reproduction import as_validation, validate_reproduction
from referee.author.validation import (
    CaseRow,
    Conditions,
    MutationScore,
    Problem,
    Validation,
)
from referee.author.variant import Workpiece, open_workpiece
from referee.environment.store import Store
from referee.grade.facts import grader_facts
from referee.grade.repair import grade_repair
from referee.grade.variation import Variation
from referee.grade.workspace import Bench, bench_in_use
from referee.record.atomic import write_atomic
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput, Infrastructure
from referee.record.verdict import Verdict
from referee.submission.gate import from_patch
from referee.task.package import TaskPackage
from referee.trial.workspace import bench_for

REPEATS = 3
NEEDED_SCORE = 0.9
_TIGHT = 4.0
_LEAST_CALL_S = 3.0
_LEAST_PHASE_S = 30.0
_PASS1_ONLY = Variation(pass1_only=True)
_CANARY = re.compile(rb"referee-canary [A-Za-z0-9._-]+ [0-9a-f-]{36}")

OnRow = Callable[[CaseRow, int, int], None]
"""Called with each finished row, how many are done, and how many are planned."""


@dataclass(frozen=True)
class Settings:
    """What a validation was asked for. `only` grades the cases named and keeps nothing; without
    `keep`, the package is left as it is. `reuse` grades only what changed since the last
    validation, with its seed and its repeats."""

    seed: int
    repeats: int = REPEATS
    jobs: int = 1
    quick: bool = False
    only: tuple[str, ...] = ()
    keep: bool = True
    reuse: bool = False

    @property
    def generated(self) -> bool:
        """True if any generated mutant may be graded."""
        return not self.only or any(name.startswith("generated") for name in self.only)

    @property
    def mode(self) -> Literal["partial", "full", "quick"]:
        """What kind of validation it is."""
        return "partial" if self.only else "full" if self.full else "quick"

    @property
    def full(self) -> bool:
        """True for a validation of every case."""
        return not self.quick and not self.only and self.repeats >= REPEATS

    @property
    def counts(self) -> bool:
        """True for a validation that becomes a stage of the chain of evidence."""
        return self.full and self.keep


def validate_task(
    store: Store,
    task: TaskPackage,
    settings: Settings,
    *,
    say: Callable[[str], None] = lambda _line: None,
    on_row: OnRow = lambda _row, _done, _planned: None,
) -> Validation:
    """Grade every case of a task, and keep `validation.json` and a line of evidence if it counts.

    Raises:
        BadInput: the stages before do not hold, the task cannot be scored, or a declaration in
            `reference.toml` names nothing.
        Infrastructure: the store or the reference could not be had.
    """
    if task.agent.file.referee.kind == "reproduction":
        return _known_scores(store, task, settings, say, on_row)
    task.checked_baseline()
    if settings.counts:
        require_ready(task, "validate")
    start = time.monotonic()
    parts = package_parts(task)
    last = earlier_validation(task.root, parts) if settings.reuse else None
    if last is not None:
        settings = dataclasses.replace(settings, seed=last.seed, repeats=last.repeats)
    bench = bench_for(store, task, say=say)
    with bench_in_use(bench):
        work = open_workpiece(store, task, bench.prepared.snapshot)
        makes_mutants = settings.generated and task.agent.file.referee.kind == "repair"
        say("making mutants")
        plan = plan_cases(
            task,
            work,
            seed=settings.seed,
            repeats=settings.repeats,
            quick=settings.quick,
            special=special_cases(bench, task, work) if makes_mutants else NO_SPECIAL_CASES,
        )
        cases = plan.cases
        if settings.only:
            cases = select_cases(plan, settings.only, task.root)
        held = {} if last is None else still_holding(cases, last)
        new = tuple(case for case in cases if case.id not in held)
        graded = _grade_cases(_Grading(bench, task, work), new, plan.cases[0], settings, on_row)
        rows = tuple((held | graded)[case.id] for case in cases)
        told = () if settings.only else measure_overlap(task, work).problems()
    _require_unchanged(task, settings, parts)
    seconds = time.monotonic() - start + (0.0 if last is None else last.seconds)
    validation = _summary(task, plan, rows, told, settings, parts, seconds)
    validation = validation.model_copy(update={"reused": len(held)})
    if settings.counts:
        _keep(task, validation)
    return validation


def _require_unchanged(task: TaskPackage, settings: Settings, parts: dict[str, str]) -> None:
    if settings.counts and package_parts(task) != parts:
        raise BadInput(
            "the package changed while it was validated",
            where=task.root,
            hint=f"run `{_command(task, settings)}` again",
        )


def _known_scores(
    store: Store,
    task: TaskPackage,
    settings: Settings,
    say: Callable[[str], None],
    on_row: OnRow,
) -> Validation:
    """The validation of a reproduction task."""
    start = time.monotonic()
    parts = package_parts(task)
    rows, problems = validate_reproduction(
        store,
        task,
        repeats=settings.repeats,
        jobs=settings.jobs,
        only=settings.only,
        say=say,
        on_row=on_row,
    )
    _require_unchanged(task, settings, parts)
    validation = as_validation(
        task,
        rows,
        problems,
        mode=settings.mode,
        parts=parts,
        canary=_canary(task.evaluator.solution),
        repeats=settings.repeats,
        jobs=settings.jobs,
        seconds=time.monotonic() - start,
    )
    if settings.counts:
        _keep(task, validation)
    return validation


def _keep(task: TaskPackage, validation: Validation) -> None:
    """Write the outcome; only a passed validation gets a line of evidence.

    A failed one takes the place of the old file as well, so the old line no longer holds.
    """
    data = validation.model_dump_json(indent=1).encode() + b"\n"
    write_atomic(task.root / VALIDATION, data)
    if validation.passed:
        score = validation.mutation
        append_evidence(
            task,
            "validate",
            {
                "validation": sha256_bytes(data),
                "grader": validation.grader.code_digest,
                "cases": len(validation.rows),
                "mutants_caught": score.caught,
                "mutants_graded": score.graded,
            },
        )


@dataclass(frozen=True)
class _Grading:
    """Grades single cases."""

    bench: Bench
    task: TaskPackage
    work: Workpiece
    tight: Variation = _PASS1_ONLY

    def grade(self, case: Case) -> tuple[CaseRow, Verdict | None]:
        """The row of a case; the verdict is None if it was withheld. What the machine failed once
        is graded once more, and the row says so."""
        bench, variation = self.bench, case.variation
        if case.tight:
            variation = dataclasses.replace(self.tight, pass1_only=not case.special)
        if case.half:
            bench, variation = self._half()
        variation = dataclasses.replace(variation, sensible=True)
        conditions = _conditions(variation, bench, self.bench)
        try:
            return self._graded(case, bench, variation, conditions)
        except Infrastructure as first:
            try:
                row, verdict = self._graded(case, bench, variation, conditions)
            except Infrastructure as fault:
                return withheld_row(case, fault, conditions), None
            return row.model_copy(update={"again": first.reason}), verdict

    def _graded(
        self, case: Case, bench: Bench, variation: Variation, conditions: Conditions
    ) -> tuple[CaseRow, Verdict]:
        start = time.monotonic()
        submission, _kept, applied = from_patch(
            self.work.base, self.work.read, case.patch, self.work.policy
        )
        verdict = grade_repair(
            bench, self.task, submission, applied, seed=case.seed, variation=variation
        )
        seconds = time.monotonic() - start
        baseline = self.task.checked_baseline()
        return judged_row(case, verdict, baseline, conditions, seconds), verdict

    def _half(self) -> tuple[Bench, Variation]:
        file = self.bench.file
        memory = max(1, file.environment.memory_mb // 2)
        environment = file.environment.model_copy(update={"memory_mb": memory})
        smaller = dataclasses.replace(
            self.bench, file=file.model_copy(update={"environment": environment})
        )
        return smaller, Variation(
            call_timeout_s=file.referee.limits.call_timeout_sec / 2,
            timeout_s=file.verifier.timeout_sec / 2,
        )


def _conditions(variation: Variation, bench: Bench, usual: Bench) -> Conditions:
    memory = bench.file.environment.memory_mb
    return Conditions(
        order=variation.order,
        env=dict(variation.env),
        call_timeout_s=variation.call_timeout_s,
        timeout_s=variation.timeout_s,
        memory_mb=None if bench is usual else memory,
        pass1_only=variation.pass1_only,
    )


def _grade_cases(
    grading: _Grading, cases: Sequence[Case], first: Case, settings: Settings, on_row: OnRow
) -> dict[str, CaseRow]:
    """The rows by case. The plain reference goes first: it tells how long a right
    repair takes, which bounds how long a wrong one is waited for."""
    rows: dict[str, CaseRow] = {}
    tight = grading
    if first in cases or any(case.tight for case in cases):
        row, verdict = grading.grade(first)
        tight = dataclasses.replace(grading, tight=_tight_limits(verdict))
        if first in cases:
            rows[first.id] = row
            on_row(row, 1, len(cases))
    with ThreadPoolExecutor(settings.jobs, thread_name_prefix="validate") as pool:
        futures = {pool.submit(tight.grade, case): case for case in cases if case is not first}
        try:
            for future in as_completed(futures):
                row, _verdict = future.result()
                rows[row.id] = row
                on_row(row, len(rows), len(cases))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return rows


def _tight_limits(verdict: Verdict | None) -> Variation:
    if verdict is None or not verdict.passed:
        return _PASS1_ONLY
    ids = {check.id for check in verdict.checks}
    calls = [seconds for name, seconds in verdict.timing.items() if name in ids]
    phases = [verdict.timing.get(kind, 0.0) for kind in ("public", "private", "regression")]
    return Variation(
        call_timeout_s=round(max(_LEAST_CALL_S, _TIGHT * max(calls, default=0.0)), 1),
        timeout_s=round(max(_LEAST_PHASE_S, _TIGHT * max(phases)), 1),
        pass1_only=True,
    )


def _summary(
    task: TaskPackage,
    plan: Plan,
    rows: tuple[CaseRow, ...],
    told: Sequence[str],
    settings: Settings,
    parts: dict[str, str],
    seconds: float,
) -> Validation:
    score = mutation_score(plan, rows)
    problems = [
        Problem(row=row.id, what=row.problem, command=_command(task, settings, row.id))
        for row in rows
        if row.problem is not None
    ]
    again = shlex.join(["referee", "task", "abstract", _place(task)])
    problems += [Problem(row="public-text", what=what, command=again) for what in told]
    if settings.full and score.adjusted is not None and score.adjusted < NEEDED_SCORE:
        what = (
            f"the checks catch {score.caught} of {score.graded - score.equivalent} generated "
            f"mutants; {NEEDED_SCORE:.0%} are needed"
        )
        problems.append(
            Problem(row="generated", what=what, command=_command(task, settings, "generated"))
        )
    contracts, checks = catch_tables(rows, task.checked_baseline())
    return Validation(
        canary=_canary(task.evaluator.solution),
        task=task.label,
        mode=settings.mode,
        passed=not problems,
        parts=parts,
        grader=grader_facts(),
        seed=settings.seed,
        repeats=settings.repeats,
        mutation=score,
        contracts=contracts,
        checks=checks,
        problems=tuple(problems),
        notes=plan.notes,
        rows=rows,
        seconds=round(seconds, 1),
        jobs=settings.jobs,
    )


def mutation_score(plan: Plan, rows: Sequence[CaseRow]) -> MutationScore:
    """The mutation score of the generated mutants that were graded."""
    judged = {case.id for case in plan.cases if case.equivalent is not None}
    graded = [row for row in rows if row.kind == "generated" and row.scores is not None]
    caught = sum(row.caught for row in graded)
    equivalent = sum(row.id in judged and not row.caught for row in graded)
    real = len(graded) - equivalent
    return MutationScore(
        candidates=plan.candidates,
        graded=len(graded),
        caught=caught,
        equivalent=equivalent,
        score=caught / len(graded) if graded else None,
        adjusted=caught / real if real else None,
    )


def _command(task: TaskPackage, settings: Settings, only: str | None = None) -> str:
    words = ["referee", "task", "validate", _place(task), "--seed", str(settings.seed)]
    if settings.quick:
        words.append("--quick")
    elif settings.repeats != REPEATS:
        words += ["--repeats", str(settings.repeats)]
    return shlex.join([*words, *(["--only", only] if only else [])])


def _place(task: TaskPackage) -> str:
    """The folder as seen from here where it is below: what is kept names no machine's paths."""
    here = Path.cwd()
    return str(task.root.relative_to(here) if task.root.is_relative_to(here) else task.root)


def _canary(solution: Path) -> str | None:
    """The canary of the package's hidden files, which `validation.json` must carry as well."""
    found = _CANARY.search((solution / "reference.toml").read_bytes())
    return None if found is None else found.group().decode()
