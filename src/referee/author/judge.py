"""What a verdict on one case of a validation says about the task."""

from __future__ import annotations

from collections.abc import Sequence

from referee.author.cases import Case
from referee.author.validation import SURVIVED, WRONG, CaseRow, CaseScores, CatchRow, Conditions
from referee.record.canonical import sha256_bytes
from referee.record.fault import Infrastructure
from referee.record.text import bounded_text
from referee.record.verdict import CheckResult, Verdict
from referee.task.model import Baseline

_NAMED = 3


def judged_row(
    case: Case, verdict: Verdict, baseline: Baseline, conditions: Conditions, seconds: float
) -> CaseRow:
    """The row of a case that was graded."""
    scores = verdict.check_scores.model_dump(include=set(CaseScores.model_fields))
    if conditions.pass1_only:
        scores |= {"public": None} | ({} if scores["pass1"] else {"pass2pass": None})
    passed = scores["pass1"] == 1
    stillborn = _stillborn(case, verdict)
    uncaught = case.kind == "nop" or stillborn is not None
    return CaseRow(
        id=case.id,
        kind=case.kind,
        what=case.what,
        seed=case.seed,
        conditions=conditions,
        submission=sha256_bytes(case.patch),
        scores=None if stillborn else CaseScores(**scores),
        caught_by=() if uncaught else tuple(c.id for c in _caught_by(verdict, case)),
        seconds=round(seconds, 3),
        problem=problem_of(case, verdict, baseline),
        note=stillborn or _note(case, verdict),
        patch=case.patch.decode("utf-8", "replace") if passed and case.kind in WRONG else None,
    )


def _stillborn(case: Case, verdict: Verdict) -> str | None:
    """Why a generated mutant is no wrong repair at all, so that it does not count."""
    if case.kind != "generated":
        return None
    if all(c.reason == "build_failed" for c in verdict.checks):
        return "not counted: it does not build"
    if case.special and verdict.check_scores.public < 1:
        return "not counted: it does not pass the public checks"
    return None


def _caught_by(verdict: Verdict, case: Case) -> list[CheckResult]:
    """The private and regression checks that were asked and did not pass."""
    failed = [c for c in verdict.checks if not c.passed and c.kind != "public"]
    if case.tight and any(c.kind == "private" for c in failed):
        return [c for c in failed if c.kind == "private"]
    return failed


def withheld_row(case: Case, fault: Infrastructure, conditions: Conditions) -> CaseRow:
    """The row of a case that this machine could not grade."""
    return CaseRow(
        id=case.id,
        kind=case.kind,
        what=case.what,
        seed=case.seed,
        conditions=conditions,
        submission=sha256_bytes(case.patch),
        problem=f"withheld: {bounded_text(str(fault), 300)}",
        withheld=fault.reason,
    )


def problem_of(case: Case, verdict: Verdict, baseline: Baseline) -> str | None:
    """What fell short in this case, or None."""
    if verdict.refusal is not None:
        return f"the gate refuses it ({verdict.refusal})"
    passed = verdict.passed
    if case.kind == "nop":
        return _not_as_locked(verdict.checks, baseline)
    if case.kind in ("reference", "alternative", "budget"):
        failed = [c for c in verdict.checks if not c.passed]
        return f"it does not pass {_names(failed)}" if failed else None
    if case.kind == "mutant":
        return "no private or regression check fails" if passed else None
    if case.kind == "hunk":
        return _hunk_problem(case, verdict)
    if case.kind == "null":
        earned = [
            c for c in verdict.checks if c.kind == "private" and c.passed and not c.baseline_passed
        ]
        if passed or earned:
            return f"it earns {_names(earned) if earned else 'Pass@1'}"
    if case.kind == "generated" and case.equivalent is not None and not passed:
        failed = _caught_by(verdict, case)
        return f"it is judged equivalent, and it does not pass {_names(failed)}"
    return None


def _hunk_problem(case: Case, verdict: Verdict) -> str | None:
    passed = verdict.passed
    if case.cosmetic is None:
        return f"{case.what}: no private or regression check fails" if passed else None
    if passed:
        return None
    failed = _caught_by(verdict, case)
    return f"{case.what}: it is called cosmetic, and {_names(failed)} does not pass"


def _not_as_locked(checks: Sequence[CheckResult], baseline: Baseline) -> str | None:
    differ = [c for c in checks if c.passed != baseline.checks[c.id].passed]
    return f"not as locked in the baseline: {_names(differ)}" if differ else None


def _note(case: Case, verdict: Verdict) -> str | None:
    if verdict.passed:
        if case.kind == "generated":
            return f"judged equivalent: {case.equivalent}" if case.equivalent else SURVIVED
        return case.cosmetic if case.kind == "hunk" else None
    caught = _caught_by(verdict, case)
    if case.kind in WRONG and all(c.kind == "regression" for c in caught):
        return "only upstream tests catch it"
    return None


def _names(checks: Sequence[CheckResult]) -> str:
    shown = [f"{c.id} ({c.reason or c.outcome})" for c in checks[:_NAMED]]
    more = len(checks) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def catch_tables(
    rows: Sequence[CaseRow], baseline: Baseline
) -> tuple[tuple[CatchRow, ...], tuple[CatchRow, ...]]:
    """What contracts and what checks caught among the wrong repairs; regression checks count as
    one contract and only those that caught something are listed. They were asked only where every
    private check passed, except of wrong repairs by hand."""
    wrong = [set(row.caught_by) for row in rows if row.kind in WRONG and row.caught]
    contract = {
        name: "regression (upstream tests)" if check.kind == "regression" else check.contract or ""
        for name, check in baseline.checks.items()
        if check.kind != "public"
    }
    checks = tuple(
        CatchRow(
            name=name,
            contract=contract[name],
            checks=1,
            caught=sum(name in caught for caught in wrong),
            only=sum(caught == {name} for caught in wrong),
        )
        for name in contract
        if baseline.checks[name].kind == "private" or any(name in caught for caught in wrong)
    )
    by_contract = [{contract[name] for name in caught} for caught in wrong]
    contracts = tuple(
        CatchRow(
            name=name or "(none)",
            contract=None,
            checks=sum(of == name for of in contract.values()),
            caught=sum(name in found for found in by_contract),
            only=sum(found == {name} for found in by_contract),
        )
        for name in sorted(set(contract.values()))
    )
    return contracts, checks
