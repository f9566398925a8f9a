"""A submission becomes a verdict in fresh sandboxes, over a closed world."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.environment.store import Store, open_store
from referee.record.fault import BadInput
from referee.record.verdict import Verdict
from referee.task.package import load_task
from referee.trial.grade_one import grade_patch

HEAD = "diff --git a/tiny/shapes.py b/tiny/shapes.py\n--- a/tiny/shapes.py\n+++ b/tiny/shapes.py\n"


@pytest.fixture
def store(store_root: Path) -> Store:
    """The shared test store."""
    return open_store(store_root)


def body(*lines: str) -> bytes:
    """A patch that replaces the whole of tiny/shapes.py."""
    old = ["def area(radius):", "    return 3.141592653589 * radius"]
    rows = [f"-{line}" for line in old] + [f"+{line}" for line in lines]
    return (HEAD + f"@@ -1,2 +1,{len(lines)} @@\n" + "\n".join(rows) + "\n").encode()


def grade(store: Store, task: Path, patch: bytes, seed: int = 11) -> Verdict:
    """The verdict on a patch."""
    return grade_patch(store, load_task(task), patch, seed=seed)[1]


def outcomes(verdict: Verdict) -> dict[str, str]:
    """Outcome and reason by the last part of a check's id."""
    return {c.id.rsplit("::")[-1]: f"{c.outcome} {c.reason}" for c in verdict.checks}


def test_the_reference_scores_one_and_nothing_scores_zero(
    store: Store, locked_tiny_task: Path
) -> None:
    reference = (locked_tiny_task / "solution/reference.patch").read_bytes()
    good = grade(store, locked_tiny_task, reference)
    assert good.scores.model_dump() == {
        "public": 1.0,
        "private": 1.0,
        "fail2pass": 1.0,
        "pass2pass": 1.0,
        "pass1": 1,
        "pass2pass_empty": False,
    }
    nothing = grade(store, locked_tiny_task, b"")
    assert (nothing.scores.public, nothing.scores.pass1) == (0.0, 0)
    assert nothing.scores.fail2pass == 0.0
    assert nothing.scores.pass2pass == 1.0
    assert nothing.result_tree == nothing.base_tree
    assert good.result_tree != good.base_tree


def test_two_gradings_of_one_patch_have_the_same_content(
    store: Store, locked_tiny_task: Path
) -> None:
    patch = body("def area(radius):", "    return 3.0 * radius")
    first, second = (grade(store, locked_tiny_task, patch, seed) for seed in (1, 2))
    assert first.content_digest == second.content_digest


def test_a_patch_for_the_public_case_alone_fails_the_private_checks(
    store: Store, locked_tiny_task: Path
) -> None:
    patch = body("def area(radius):", "    return 3.141592653589793 * radius")
    verdict = grade(store, locked_tiny_task, patch)
    assert verdict.scores.public == 1.0
    assert verdict.scores.fail2pass == 0.0
    assert verdict.scores.pass1 == 0


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["def area(radius):", "    raise ValueError('no')"], "failed exception:ValueError"),
        (["import time", "def area(radius):", "    time.sleep(60)"], "timeout timeout"),
        (["def area(radius):", "    return b'x' * (1 << 31)"], "resource resource"),
        (["import os", "def area(radius):", "    os._exit(0)"], "failed died"),
        (["def area(radius):", "    return object()"], "failed protocol"),
        (["def area(radius):", "    return float('nan')"], "failed assertion"),
    ],
    ids=["raises", "sleeps", "eats-memory", "exits", "odd-value", "nan"],
)
def test_what_a_candidate_causes_is_a_failed_check(
    store: Store, locked_tiny_task: Path, lines: list[str], expected: str
) -> None:
    verdict = grade(store, locked_tiny_task, body(*lines))
    assert outcomes(verdict)["test_area_of_two"] == expected
    assert outcomes(verdict)["test_name_stays"] == "passed None"
    assert verdict.scores.fail2pass == 0.0


def test_a_package_that_cannot_be_imported_fails_every_check(
    store: Store, locked_tiny_task: Path
) -> None:
    verdict = grade(store, locked_tiny_task, body("def area(radius:"))
    private = [c for c in verdict.checks if c.kind == "private"]
    assert {c.outcome for c in private} == {"failed"}
    assert {c.reason for c in private} == {"exception:SyntaxError"}
    regression = [c for c in verdict.checks if c.kind == "regression"]
    assert len(regression) == 2
    assert not any(c.passed for c in regression)


def test_a_broken_upstream_test_lowers_pass2pass(store: Store, locked_tiny_task: Path) -> None:
    patch = body("import math", "def area(radius):", "    return math.pi * radius**2 or 1e-300")
    verdict = grade(store, locked_tiny_task, patch)
    assert verdict.scores.private == 1.0
    assert outcomes(verdict)["test_zero"] == "failed assertion"
    assert verdict.scores.pass2pass == pytest.approx(2 / 3)
    assert verdict.scores.pass1 == 0


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (b"not a patch\n", "malformed_patch"),
        (body("x = 1").replace(b"tiny/shapes.py", b"conftest.py"), "forbidden_name"),
        (body("x = 1").replace(b"tiny/shapes.py", b"README.md"), "outside_writable"),
        (body("x = 1").replace(b"radius\n", b"radios\n"), "context_mismatch"),
    ],
)
def test_a_refused_patch_scores_zero_with_its_reason(
    store: Store, locked_tiny_task: Path, patch: bytes, reason: str
) -> None:
    verdict = grade(store, locked_tiny_task, patch)
    assert verdict.refusal == reason
    assert {c.outcome for c in verdict.checks} == {"failed"}
    assert {c.reason for c in verdict.checks} == {f"refused:{reason}"}
    assert verdict.scores.private == verdict.scores.pass2pass == 0.0


def test_a_task_without_a_baseline_is_not_scored(store: Store, tiny_task: Path) -> None:
    with pytest.raises(BadInput, match="no baseline"):
        grade(store, tiny_task, b"")
