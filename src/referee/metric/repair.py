"""Scores of a repair trial from its checks: pure, exact, over a closed world.

With public checks U, private checks V, regression checks R, outcome on the untouched snapshot b and
outcome on the candidate o (1 = passed, everything else = 0):

    PublicScore  = mean of o over U
    PrivateScore = mean of o over V
    Fail2Pass    = mean of o over the v in V with b(v) = 0
    Pass2Pass    = mean of o over the v in V or R with b(v) = 1; 1 if there is none, and flagged
    Pass@1       = 1 if every check of V and of R passed, else 0

Regression checks run in the candidate's process, so nothing may be earned by them: each has b = 1,
and each stands only where a pass keeps a score and a fail lowers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from referee.record.fault import BadInput, Infrastructure
from referee.record.verdict import CheckKind, CheckResult, Scores, Trust

TRUST: Mapping[CheckKind, Trust] = {
    "public": "wall",
    "private": "wall",
    "regression": "in-process",
}
_ORDER = ("public", "private", "regression")


class ExpectedCheck(Protocol):
    """A row of the task's baseline: what must come back."""

    @property
    def kind(self) -> CheckKind: ...

    @property
    def contract(self) -> str | None: ...

    @property
    def passed(self) -> bool: ...


def require_scorable(expected: Mapping[str, ExpectedCheck]) -> None:
    """Refuse a task whose scores would be means over nothing.

    Raises:
        BadInput: no public check, no private check that fails on the untouched snapshot, or a
            regression check that fails there.
    """
    _require_scorable([(name, check.kind, check.passed) for name, check in expected.items()])


def close_world(
    expected: Mapping[str, ExpectedCheck], observed: Sequence[CheckResult]
) -> tuple[CheckResult, ...]:
    """The checks of a verdict: exactly the expected ids, sorted by kind and id.

    An expected check that did not come back is `missing`. Public and private checks are reported by
    the trusted side, so an unknown or doubled id among them is a fault of the grader. Regression
    checks are reported from the candidate's own process: there an unknown id is dropped, and a
    doubled one is `errored`, because a candidate must gain nothing by a grader's confusion.
    Contract, trust and baseline are taken from `expected`, never from what came back.

    Raises:
        Infrastructure: `grader_ids`, when the trusted side reported ids that are not locked.
    """
    found: dict[str, CheckResult] = {}
    doubled: set[str] = set()
    for result in observed:
        lock = expected.get(result.id)
        if lock is None or lock.kind != result.kind:
            if result.kind == "regression":
                continue
            raise Infrastructure("grader_ids", f"{result.kind} check {result.id!r} is not locked")
        if result.trust != TRUST[result.kind]:
            raise Infrastructure("grader_ids", f"{result.id!r} came back as {result.trust}")
        if result.id in found:
            if result.kind != "regression":
                raise Infrastructure("grader_ids", f"{result.id!r} came back twice")
            doubled.add(result.id)
        found[result.id] = result
    return tuple(
        _closed(name, lock, found.get(name), name in doubled) for name, lock in _in_order(expected)
    )


def refused_checks(expected: Mapping[str, ExpectedCheck], reason: str) -> tuple[CheckResult, ...]:
    """The checks of a submission that was not applied: each has failed for `reason`."""
    return tuple(
        CheckResult(
            id=name,
            kind=lock.kind,
            contract=lock.contract,
            outcome="failed",
            reason=f"refused:{reason}",
            trust=TRUST[lock.kind],
            baseline_passed=lock.passed,
        )
        for name, lock in _in_order(expected)
    )


def repair_scores(checks: Iterable[CheckResult]) -> Scores:
    """The five scores of one repair trial.

    Raises:
        BadInput: as `require_scorable`.
    """
    rows = list(checks)
    _require_scorable([(check.id, check.kind, check.baseline_passed) for check in rows])
    private = [c for c in rows if c.kind == "private"]
    guarded = [c for c in rows if c.kind != "public"]
    kept = [c for c in guarded if c.baseline_passed]
    return Scores(
        public=_mean([c for c in rows if c.kind == "public"]),
        private=_mean(private),
        fail2pass=_mean([c for c in private if not c.baseline_passed]),
        pass2pass=_mean(kept) if kept else 1.0,
        pass1=1 if all(c.passed for c in guarded) else 0,
        pass2pass_empty=not kept,
    )


def _in_order(expected: Mapping[str, ExpectedCheck]) -> list[tuple[str, ExpectedCheck]]:
    return sorted(expected.items(), key=lambda item: (_ORDER.index(item[1].kind), item[0]))


def _closed(
    name: str, lock: ExpectedCheck, result: CheckResult | None, doubled: bool
) -> CheckResult:
    outcome: str
    reason: str | None
    if result is None:
        outcome, reason, message = "missing", "missing", ""
    elif doubled:
        outcome, reason, message = "errored", "doubled", "the id came back more than once"
    else:
        outcome, reason, message = result.outcome, result.reason, result.message
    return CheckResult.model_validate(
        {
            "id": name,
            "kind": lock.kind,
            "contract": lock.contract,
            "outcome": outcome,
            "reason": reason,
            "message": message,
            "trust": TRUST[lock.kind],
            "baseline_passed": lock.passed,
        }
    )


def _mean(checks: Sequence[CheckResult]) -> float:
    # Division of two whole numbers rounds once, so equal counts give equal bits.
    return sum(check.passed for check in checks) / len(checks)


def _require_scorable(rows: Sequence[tuple[str, CheckKind, bool]]) -> None:
    if not any(kind == "public" for _, kind, _ in rows):
        raise BadInput("the task has no public check", hint="add one to environment/public")
    if not any(kind == "private" and not passed for _, kind, passed in rows):
        raise BadInput(
            "no private check fails on the untouched snapshot, so a repair has nothing to earn",
            hint="add a private check that the anomaly breaks",
        )
    for name, kind, passed in rows:
        if kind == "regression" and not passed:
            raise BadInput(
                f"regression check {name!r} does not pass on the untouched snapshot",
                hint="take it out of tests/regression.toml",
            )
