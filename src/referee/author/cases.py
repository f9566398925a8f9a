"""What a validation grades: one case for each submission and each way of grading it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.author.ablate import Ablation, ablations, cosmetic_lines
from referee.author.mutate import CAP, Mutant, generate_mutants
from referee.author.null import null_submissions
from referee.author.special import KIND as SPECIAL
from referee.author.special import SpecialCases
from referee.author.validation import CaseKind
from referee.author.variant import Workpiece
from referee.grade.variation import PLAIN, Variation
from referee.record.fault import BadInput
from referee.submission.apply import Applied, apply_patch
from referee.task.package import TaskPackage

QUICK_CAP = 8
NO_SPECIAL_CASES = SpecialCases((), ())

_ELSEWHERE: tuple[Mapping[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "LANG": "C", "TZ": "<+0545>-05:45"},
    {"PYTHONHASHSEED": "20011", "LC_ALL": "POSIX", "LANG": "POSIX", "TZ": "<-0930>+09:30"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "C.UTF-8", "LANG": "C", "TZ": "<+13>-13"},
)
"""Hash seed, locale and time zone of repeated gradings; time zones in a form that needs no tables
in the sandbox."""


@dataclass(frozen=True)
class Case:
    """One grading. `tight` asks for the lower limits that made-up wrong repairs get, and
    for no more than Pass@1; `half` for half the memory and time of the task. `cosmetic` and
    `equivalent` are the author's reasons. `special` cases answer public inputs alone: they are
    graded in full."""

    id: str
    kind: CaseKind
    what: str
    patch: bytes
    seed: int
    variation: Variation = PLAIN
    tight: bool = False
    half: bool = False
    cosmetic: str | None = None
    declared: bool = False
    equivalent: str | None = None
    special: bool = False


@dataclass(frozen=True)
class Plan:
    """All cases of a validation, the first of which is the plain reference, and what was left out
    of them."""

    cases: tuple[Case, ...]
    candidates: int
    notes: tuple[str, ...] = field(default=())


def plan_cases(
    task: TaskPackage,
    work: Workpiece,
    *,
    seed: int,
    repeats: int,
    quick: bool = False,
    special: SpecialCases = NO_SPECIAL_CASES,
) -> Plan:
    """Every case of a validation with `repeats` gradings of reference and baseline; `special` are
    special cases beside the mutants that the source alone gives. An artifact has no cases made from
    its reference: a model with another constant, or without a part, may be as good.

    Raises:
        BadInput: a declaration in `reference.toml` names nothing.
    """
    if task.agent.file.referee.kind == "artifact":
        by_hand = _patches(task.evaluator.solution)
        cases = [
            *_repeated(work, seed, repeats),
            *(_of_patch(name, patch, seed) for name, patch in by_hand),
            *_nulls(work, seed),
        ]
        return Plan(tuple(cases), 0)
    return _plan_of_repair(task, work, seed, repeats, QUICK_CAP if quick else CAP, special)


def _plan_of_repair(
    task: TaskPackage,
    work: Workpiece,
    seed: int,
    repeats: int,
    cap: int,
    special: SpecialCases,
) -> Plan:
    where = task.evaluator.solution / "reference.toml"
    reference = task.evaluator.reference
    dropped = ablations(work, reference.cosmetic, where)
    by_hand = dict(_patches(task.evaluator.solution))
    known = {row.applied.tree.digest for row in dropped}
    known |= _trees(work, by_hand.values())
    generated = generate_mutants(
        work,
        cap=cap,
        known=known,
        without=cosmetic_lines(dropped),
    )
    reasons = {row.mutant: row.reason for row in reference.equivalent}
    mutants = (*generated.mutants, *special.mutants)
    unknown = sorted(set(reasons) - {m.id for m in mutants})
    notes = [*generated.notes, *special.notes]
    if unknown and cap == CAP:
        notes.append(f"judged equivalent and not generated any more: {', '.join(unknown)}")
    cases = [
        *_repeated(work, seed, repeats),
        *(_of_patch(name, patch, seed) for name, patch in by_hand.items()),
        *(_of_hunk(row, seed) for row in dropped),
        *_nulls(work, seed),
        *_generated(mutants, reasons, seed),
    ]
    return Plan(tuple(cases), generated.candidates + len(special.mutants), tuple(notes))


def case_seed(seed: int, name: str) -> int:
    """The seed of one case's private inputs; the same whichever other cases are graded."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{name}".encode()).digest()[:7], "big")


def _repeated(work: Workpiece, seed: int, repeats: int) -> Iterator[Case]:
    patch = work.reference.patch
    for n in range(1, repeats + 1):
        yield _case(f"reference/{n}", "reference", "the reference", patch, seed)
    yield _case("nop/1", "nop", "the untouched snapshot", b"", seed)
    for n in range(1, repeats + 1):
        elsewhere = "other order of checks, hash seed, locale and time zone"
        variation = Variation(order=n - 1, env=_ELSEWHERE[(n - 1) % len(_ELSEWHERE)])
        yield _case(f"reference/varied-{n}", "reference", elsewhere, patch, seed, variation)
        yield _case(f"nop/varied-{n}", "nop", elsewhere, b"", seed, variation)
    name = "budget/half"
    what = "the reference with half the time and memory"
    yield Case(name, "budget", what, patch, case_seed(seed, name), half=True)


def _case(
    name: str,
    kind: CaseKind,
    what: str,
    patch: bytes,
    seed: int,
    variation: Variation = PLAIN,
) -> Case:
    return Case(name, kind, what, patch, case_seed(seed, name), variation)


def _patches(solution: Path) -> Iterator[tuple[str, bytes]]:
    for folder, kind in (("alternatives", "alternative"), ("mutants", "mutant")):
        for path in sorted((solution / folder).glob("*.patch")):
            yield f"{kind}/{path.stem}", path.read_bytes()


def _trees(work: Workpiece, patches: object) -> set[str]:
    found = set()
    for patch in patches:  # type: ignore[attr-defined]
        made = apply_patch(work.base, work.read, patch, work.policy)
        if isinstance(made, Applied):
            found.add(made.tree.digest)
    return found


def _of_patch(name: str, patch: bytes, seed: int) -> Case:
    kind: CaseKind = "mutant" if name.startswith("mutant/") else "alternative"
    what = "a wrong repair by hand" if kind == "mutant" else "another right repair"
    return _case(name, kind, what, patch, seed)


def _of_hunk(row: Ablation, seed: int) -> Case:
    name = f"hunk/{row.hunk.name}"
    return Case(
        name,
        "hunk",
        f"the reference without {row.hunk.label}",
        row.applied.patch,
        case_seed(seed, name),
        tight=row.cosmetic is None,
        cosmetic=row.cosmetic,
        declared=row.declared,
    )


def _nulls(work: Workpiece, seed: int) -> Iterator[Case]:
    for null in null_submissions(work):
        name = f"null/{null.id}"
        patch = null.applied.patch
        yield Case(name, "null", null.what, patch, case_seed(seed, name), tight=True)


def _generated(mutants: Sequence[Mutant], reasons: Mapping[str, str], seed: int) -> Iterator[Case]:
    for mutant in mutants:
        name = f"generated/{mutant.id}"
        yield Case(
            name,
            "generated",
            f"{mutant.path}:{mutant.line}: {mutant.what}",
            mutant.applied.patch,
            case_seed(seed, name),
            tight=True,
            equivalent=reasons.get(mutant.id),
            special=mutant.kind == SPECIAL,
        )


def select_cases(plan: Plan, names: tuple[str, ...], where: Path) -> tuple[Case, ...]:
    """The cases named, or all cases of a kind named by its first word.

    Raises:
        BadInput: a name names nothing.
    """
    chosen: dict[str, Case] = {}
    for name in names:
        found = [c for c in plan.cases if name in (c.id, c.id.split("/")[0])]
        if not found:
            kinds = ", ".join(dict.fromkeys(c.id.split("/")[0] for c in plan.cases))
            raise BadInput(
                f"--only {name!r} names no case",
                where=where,
                hint=f"give an id of validation.json, or one of {kinds}",
            )
        chosen |= {case.id: case for case in found}
    return tuple(chosen.values())
