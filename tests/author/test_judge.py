"""What a verdict says about a task, case by case, without any sandbox."""

from __future__ import annotations

import dataclasses

import pytest

from referee.author.cases import Case
from referee.author.judge import catch_tables, judged_row, problem_of
from referee.author.validation import CaseKind, Conditions
from referee.metric.repair import repair_scores
from referee.record.verdict import CheckResult, GraderFacts, Verdict
from referee.task.model import Baseline, BaselineCheck

LOCKED = {
    "public/test_p.py::test_case": ("public", "case", False),
    "private/test_a.py::test_one": ("private", "scaling", False),
    "private/test_a.py::test_two": ("private", "scaling", False),
    "private/test_a.py::test_name": ("private", "interface", True),
    "regression/tests/test_x.py::test_y": ("regression", None, True),
}
ONE, TWO, NAME, UPSTREAM = list(LOCKED)[1:]
BASELINE = Baseline(
    task_digest="0" * 64,
    checks={
        name: BaselineCheck(kind=kind, contract=contract, passed=passed)  # type: ignore[arg-type]
        for name, (kind, contract, passed) in LOCKED.items()
    },
)


def verdict(*failed: str, refusal: str | None = None) -> Verdict:
    """A verdict in which all checks passed but these."""
    checks = tuple(
        CheckResult(
            id=name,
            kind=kind,  # type: ignore[arg-type]
            contract=contract,
            outcome="failed" if name in failed or refusal else "passed",
            reason="assertion" if name in failed or refusal else None,
            trust="in-process" if kind == "regression" else "wall",
            baseline_passed=before,
        )
        for name, (kind, contract, before) in LOCKED.items()
    )
    return Verdict(
        task_id="001-tiny",
        task_digest="0" * 64,
        submission_digest="0" * 64,
        base_tree="0" * 64,
        result_tree=None if refusal else "0" * 64,
        grader=GraderFacts(version="1", code_digest="0" * 64),
        checks=checks,
        scores=repair_scores(checks),
        refusal=refusal,  # type: ignore[arg-type]
    )


def case(kind: CaseKind, **fields: object) -> Case:
    made = Case(f"{kind}/x", kind, "the reference without a.py:3", b"patch", 1)
    return dataclasses.replace(made, **fields)  # type: ignore[arg-type]


UNTOUCHED = ("public/test_p.py::test_case", ONE, TWO)


@pytest.mark.parametrize(
    ("kind", "failed"),
    [
        ("reference", ()),
        ("alternative", ()),
        ("budget", ()),
        ("nop", UNTOUCHED),
        ("mutant", (ONE,)),
        ("mutant", (UPSTREAM,)),
        ("hunk", (TWO,)),
        ("generated", ()),
        ("generated", (ONE,)),
        ("null", (*UNTOUCHED, NAME, UPSTREAM)),
        ("null", UNTOUCHED),
    ],
)
def test_what_is_as_it_should_be(kind: CaseKind, failed: tuple[str, ...]) -> None:
    assert problem_of(case(kind), verdict(*failed), BASELINE) is None


@pytest.mark.parametrize(
    ("kind", "failed", "why"),
    [
        ("reference", (NAME,), "it does not pass private/test_a.py::test_name (assertion)"),
        ("reference", UNTOUCHED[:1], "public/test_p.py::test_case"),
        ("alternative", (UPSTREAM,), "regression/tests/test_x.py::test_y"),
        ("budget", (ONE,), "test_one"),
        ("nop", (ONE, TWO), "not as locked in the baseline: public/test_p.py::test_case"),
        ("nop", (*UNTOUCHED, NAME), "not as locked in the baseline: private/test_a.py::test_name"),
        ("mutant", UNTOUCHED[:1], "no private or regression check fails"),
        ("hunk", (), "the reference without a.py:3: no private or regression check fails"),
        ("null", (), "it earns"),
        ("null", (TWO, NAME), "it earns private/test_a.py::test_one"),
    ],
)
def test_what_falls_short(kind: CaseKind, failed: tuple[str, ...], why: str) -> None:
    assert why in str(problem_of(case(kind), verdict(*failed), BASELINE))


@pytest.mark.parametrize("kind", ["reference", "nop", "mutant", "hunk", "null", "generated"])
def test_a_refused_submission_falls_short_whatever_it_is(kind: CaseKind) -> None:
    refused = verdict(refusal="too_large")
    assert problem_of(case(kind), refused, BASELINE) == "the gate refuses it (too_large)"


def test_declarations_must_be_true() -> None:
    cosmetic = case("hunk", cosmetic="a matter of taste", declared=True)
    assert problem_of(cosmetic, verdict(), BASELINE) is None
    assert "called cosmetic" in str(problem_of(cosmetic, verdict(ONE), BASELINE))
    equal = case("generated", equivalent="no input tells them apart")
    assert problem_of(equal, verdict(), BASELINE) is None
    assert "judged equivalent" in str(problem_of(equal, verdict(ONE), BASELINE))


def test_rows_keep_what_an_author_needs() -> None:
    survivor = judged_row(case("generated"), verdict(), BASELINE, Conditions(), 1.0)
    assert (survivor.caught, survivor.note, survivor.patch) == (False, "it survived", "patch")
    upstream = judged_row(case("mutant"), verdict(UPSTREAM), BASELINE, Conditions(), 1.0)
    assert (upstream.note, upstream.patch) == ("only upstream tests catch it", None)
    assert upstream.caught_by == (UPSTREAM,)


def test_tables_count_what_only_one_check_catches() -> None:
    failed = [(ONE,), (ONE, TWO), (NAME,), (UPSTREAM,), ()]
    rows = [
        judged_row(case("generated", id=f"generated/{n}"), verdict(*f), BASELINE, Conditions(), 1.0)
        for n, f in enumerate(failed)
    ]
    rows.append(judged_row(case("null"), verdict(ONE), BASELINE, Conditions(), 1.0))
    contracts, checks = catch_tables(rows, BASELINE)
    assert {c.name: (c.checks, c.caught, c.only) for c in contracts} == {
        "scaling": (2, 2, 2),
        "interface": (1, 1, 1),
        "regression (upstream tests)": (1, 1, 1),
    }
    assert {c.name: (c.caught, c.only) for c in checks} == {
        ONE: (2, 1),
        TWO: (1, 0),
        NAME: (1, 1),
        UPSTREAM: (1, 1),
    }


def test_a_grading_cut_short_says_only_what_it_asked() -> None:
    short = Conditions(pass1_only=True)
    tight = case("generated", tight=True)
    row = judged_row(tight, verdict(ONE, UPSTREAM, *UNTOUCHED[:1]), BASELINE, short, 1.0)
    assert row.scores is not None
    assert (row.scores.public, row.scores.pass2pass, row.scores.pass1) == (None, None, 0)
    assert row.caught_by == (ONE,)
    whole = judged_row(tight, verdict(UPSTREAM), BASELINE, short, 1.0)
    assert whole.caught_by == (UPSTREAM,)
    passed = judged_row(tight, verdict(), BASELINE, short, 1.0)
    assert passed.scores is not None
    assert (passed.scores.public, passed.scores.pass2pass, passed.scores.pass1) == (None, 1, 1)


def test_a_special_case_counts_only_if_it_passes_in_public() -> None:
    special = case("generated", special=True)
    good = judged_row(special, verdict(ONE), BASELINE, Conditions(), 1.0)
    assert (good.caught, good.caught_by, good.note) == (True, (ONE,), None)
    bad = judged_row(special, verdict(*UNTOUCHED), BASELINE, Conditions(), 1.0)
    assert (bad.scores, bad.caught, bad.caught_by) == (None, False, ())
    assert bad.note == "not counted: it does not pass the public checks"


def test_a_mutant_that_does_not_build_is_not_counted() -> None:
    failed = verdict(*LOCKED)
    checks = tuple(c.model_copy(update={"reason": "build_failed"}) for c in failed.checks)
    broken = failed.model_copy(update={"checks": checks})
    row = judged_row(case("generated"), broken, BASELINE, Conditions(), 1.0)
    assert (row.scores, row.note) == (None, "not counted: it does not build")
    by_hand = judged_row(case("mutant"), broken, BASELINE, Conditions(), 1.0)
    assert by_hand.caught
