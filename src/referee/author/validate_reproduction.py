"""Validation of a reproduction task: known submissions must get their exact scores."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from referee.author.validation import CaseRow, Conditions, MutationScore, Validation
from referee.author.validation import Problem as Shortfall
from referee.environment.store import Store, remove_tree
from referee.grade.facts import grader_facts
from referee.grade.reproduction.grading import Places, grade_reproduction
from referee.grade.workspace import Bench, bench_in_use, open_scratch
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput, Infrastructure
from referee.record.text import bounded_text
from referee.record.verdict import Verdict
from referee.task.package import TaskPackage
from referee.task.reproduction.expected import Expected, read_expected
from referee.trial.rubrics import Rubrics, rubrics_for
from referee.trial.workspace import bench_for, hand_in

NEEDED_REFERENCE = Fraction(19, 20)
KnownKind = Literal["reference", "nop", "partial", "wrong"]
_NOTHING = Expected(score="0")


@dataclass(frozen=True)
class Known:
    """A submission with what it must score; `repeat` counts gradings of the same one from 1."""

    name: str
    kind: KnownKind
    patch: bytes
    expected: Expected
    repeat: int = 1

    @property
    def id(self) -> str:
        """The name of its row."""
        return self.name if self.repeat == 1 else f"{self.name}#{self.repeat}"


def known_submissions(task: TaskPackage, repeats: int) -> tuple[Known, ...]:
    """The untouched starter, the reference `repeats` times, and each partial and wrong one.

    Raises:
        BadInput: `expected.toml` or a patch that it names is missing or unusable, a patch is named
            nowhere, or what is expected could tell nothing apart.
    """
    solution = task.evaluator.solution
    told = read_expected(task.root)
    patches = {name: solution / f"{name}.patch" for name in told.by_patch}
    for name, path in patches.items():
        if not path.is_file():
            raise BadInput("the patch is missing", where=path, hint=f"expected.toml names {name}")
    for path in sorted(solution.glob("*/*.patch")):
        if path not in patches.values():
            raise BadInput("expected.toml does not name this patch", where=path, hint="add it")
    kinds: dict[str, KnownKind] = {"partial": "partial", "wrong": "wrong"}
    made = [
        Known(n, kinds.get(n.partition("/")[0], "reference"), patches[n].read_bytes(), one)
        for n, one in told.by_patch.items()
    ]
    again = [
        Known("reference", "reference", made[0].patch, told.reference, number)
        for number in range(2, repeats + 1)
    ]
    return (*made[:1], *again, Known("nop", "nop", b"", _NOTHING), *made[1:])


def validate_reproduction(
    store: Store,
    task: TaskPackage,
    *,
    repeats: int,
    jobs: int,
    only: tuple[str, ...] = (),
    say: Callable[[str], None] = lambda _line: None,
    on_row: Callable[[CaseRow, int, int], None] = lambda _row, _done, _planned: None,
) -> tuple[tuple[CaseRow, ...], tuple[Shortfall, ...]]:
    """Grade the known submissions; `only` names some of them. The scripted judge knows them, where
    the package has its rules: else the suite's judge decides.

    Raises:
        BadInput: the package has a fault, or there is no such submission.
    """
    rules = task.evaluator.tests / "config" / "scripted_judge.toml"
    rubrics = rubrics_for(task, "scripted" if rules.is_file() else None)
    cases = known_submissions(task, repeats)
    if only:
        named = {case.name for case in cases}
        for name in only:
            if name not in named:
                hint = f"there are {', '.join(sorted(named))}"
                raise BadInput(f"--only: there is no submission {name!r}", hint=hint)
        cases = tuple(case for case in cases if case.name in only)
    bench = bench_for(store, task, say=say)
    rows: dict[str, CaseRow] = {}
    contents: dict[str, str] = {}
    with bench_in_use(bench), ThreadPoolExecutor(jobs, thread_name_prefix="validate") as pool:
        futures = {pool.submit(_graded, bench, task, rubrics, case): case for case in cases}
        try:
            for future in as_completed(futures):
                row, content = future.result()
                rows[row.id] = row
                contents[row.id] = content
                on_row(row, len(rows), len(cases))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    ordered = tuple(rows[case.id] for case in cases)
    return ordered, _shortfalls(task, ordered, contents)


def _graded(bench: Bench, task: TaskPackage, rubrics: Rubrics, case: Known) -> tuple[CaseRow, str]:
    """The row of a submission, and the digest of its verdict (empty without one)."""
    start = time.monotonic()
    submission, _kept, applied = hand_in(bench, task, case.patch)
    scratch = open_scratch(bench.store, "evidence")
    try:
        verdict = grade_reproduction(
            bench,
            rubrics.scheme,
            submission,
            applied,
            judge=rubrics.judge,
            places=Places(scratch / "replay", scratch / "judge"),
        )
    except Infrastructure as fault:
        return _row(case, start, problem=f"withheld: {fault}", withheld=fault.reason), ""
    finally:
        remove_tree(scratch)
    made = verdict.reproduction
    assert made is not None
    problem = shortfall_of(case, verdict)
    withheld = made.withheld[0].reason if made.withheld else None
    row = _row(case, start, problem=problem, withheld=withheld, score=made.total.score)
    return row, verdict.content_digest


def _row(
    case: Known,
    start: float,
    *,
    problem: str | None,
    withheld: str | None,
    score: str | None = None,
) -> CaseRow:
    return CaseRow(
        id=case.id,
        kind=case.kind,
        what=f"the {case.kind} {case.name}",
        seed=0,
        conditions=Conditions(),
        submission=sha256_bytes(case.patch),
        seconds=round(time.monotonic() - start, 3),
        problem=None if problem is None else bounded_text(problem, 500),
        withheld=withheld,
        expected=case.expected.score,
        score=score,
    )


def shortfall_of(case: Known, verdict: Verdict) -> str | None:
    """What in a verdict is not as the author expects it; None if all is."""
    made = verdict.reproduction
    assert made is not None
    if verdict.refusal is not None:
        return f"the gate refuses it ({verdict.refusal})"
    if made.total.score is None:
        names = ", ".join(f"{leaf.id} ({leaf.reason})" for leaf in made.withheld)
        return f"it has no score: {names}"
    scores = {leaf.id: leaf.score for leaf in made.leaves}
    for name, value in case.expected.judged.items():
        if scores.get(name) != str(value):
            return f"the judge decides {name} as {scores.get(name)}, and {value} is right"
    if Fraction(made.total.score) != Fraction(case.expected.score):
        return f"it scores {made.total.score}, and {case.expected.score} is expected"
    if case.kind == "reference" and not Fraction(made.total.score) >= NEEDED_REFERENCE:
        return f"the reference scores {made.total.score}, and needs {NEEDED_REFERENCE}"
    if case.kind == "wrong" and made.total.complete is not False:
        return "a wrong submission is complete"
    return None


def _shortfalls(
    task: TaskPackage, rows: tuple[CaseRow, ...], contents: dict[str, str]
) -> tuple[Shortfall, ...]:
    found = [(row.id, row.problem) for row in rows if row.problem is not None]
    again = {row.id for row in rows if row.kind == "reference" and row.problem is None}
    if len({contents[name] for name in again}) > 1:
        found.append(("reference", "gradings of the same submission disagree about a leaf"))
    return tuple(Shortfall(row=n, what=what, command=_command(task, n)) for n, what in found)


def _command(task: TaskPackage, row: str) -> str:
    words = ["referee", "task", "validate", str(task.root), "--only", row.partition("#")[0]]
    return shlex.join(words)


def no_mutants() -> MutationScore:
    """What stands for a mutation score where no mutants are made."""
    return MutationScore(candidates=0, graded=0, caught=0, equivalent=0, score=None, adjusted=None)


def as_validation(
    task: TaskPackage,
    rows: tuple[CaseRow, ...],
    problems: tuple[Shortfall, ...],
    *,
    mode: Literal["full", "quick", "partial"],
    parts: dict[str, str],
    canary: str | None,
    repeats: int,
    jobs: int,
    seconds: float,
) -> Validation:
    """The outcome in the form of `validation.json`."""
    return Validation(
        canary=canary,
        task=task.label,
        mode=mode,
        passed=not problems,
        parts=parts,
        grader=grader_facts(),
        seed=0,
        repeats=repeats,
        mutation=no_mutants(),
        contracts=(),
        checks=(),
        problems=problems,
        notes=(),
        rows=rows,
        seconds=round(seconds, 1),
        jobs=jobs,
    )
