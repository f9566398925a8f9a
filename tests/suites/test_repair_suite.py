"""The repair suite itself: ceiling, floor, wrong repairs, and what an agent can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.author.evidence import VALIDATION, require_validated
from referee.author.validate import Settings, validate_task
from referee.author.validation import Validation
from referee.environment.store import open_store, remove_tree
from referee.grade.workspace import open_scratch
from referee.record.verdict import Verdict
from referee.report.table import table_rows
from referee.task.licence import licence_restriction
from referee.task.package import TaskPackage
from referee.task.selection import Criteria
from referee.task.strict import read_json
from referee.task.suite import open_suite
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.grade_one import grade_patch
from referee.trial.workspace import agent_sandbox, bench_for

SUITE = Path(__file__).resolve().parents[2] / "suites" / "repair"
TASKS = {task.label: task for task in open_suite(SUITE).load()}
LIGHT = ("029-biopython-unstranded", "079-selfies-aromatic", "119-qcengine-hessian")
"""Tasks that every test run grades; the others are slow."""
SOME = [
    pytest.param(label, marks=() if label in LIGHT else pytest.mark.slow, id=label)
    for label in TASKS
]
CONTRACTS = {"knowledge", "exploration", "coverage", "generalization", "regression"}
PATCHES = {
    f"{label}/{path.parent.name}/{path.stem}": (label, path)
    for label, task in TASKS.items()
    for path in sorted(task.evaluator.solution.glob("*/*.patch"))
}

LOOK = r"""
import os, pathlib, sys
target, words = sys.argv[1], [word.encode() for word in sys.argv[2:]]
found = []
for folder, folders, names in os.walk("/"):
    if folder == "/":
        folders[:] = [name for name in folders if name not in ("proc", "sys", "dev")]
    found += [os.path.join(folder, n) for n in names + folders if n.lower().startswith(target)]
    for name in names:
        path = pathlib.Path(folder, name)
        try:
            data = path.read_bytes() if path.is_file() else b""
        except OSError:
            continue
        found += [str(path) for word in words if word in data]
for path in pathlib.Path("/proc").glob("[0-9]*/*"):
    if path.name in ("environ", "cmdline", "mountinfo", "status"):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        found += [str(path) for word in words if word in data]
print("\n".join(found))
"""


def verdict_on(store_root: Path, task: TaskPackage, patch: Path, seed: int = 3) -> Verdict:
    """The verdict on a patch of the package."""
    return grade_patch(open_store(store_root), task, patch.read_bytes(), seed=seed)[1]


def run_suite(
    store_root: Path, out: Path, attempts: int, tasks: str | None
) -> dict[str, dict[str, float]]:
    """The table of nop and oracle on the suite, by arm."""
    request = RunRequest(str(SUITE), ("nop", "oracle"), Criteria(tasks), attempts, out=out)
    prepared = prepare_contest(request, say=print, store=open_store(store_root))
    run_contest(prepared, jobs=2, on_event=lambda _event: None)
    return {row["arm"]: row for row in table_rows(out)}


@pytest.mark.parametrize(
    ("attempts", "labels"),
    [(1, LIGHT), pytest.param(2, tuple(TASKS), marks=pytest.mark.slow)],
    ids=["once", "everything-twice"],
)
def test_the_oracle_scores_one_and_nop_zero(
    store_root: Path, tmp_path: Path, attempts: int, labels: tuple[str, ...]
) -> None:
    rows = run_suite(store_root, tmp_path / "run", attempts, ",".join(labels))
    for row in rows.values():
        assert row["scored"] == row["planned"] == len(labels) * attempts
    assert rows["oracle"]["pass1"] == rows["oracle"]["public"] == 1.0
    assert rows["nop"]["pass1"] == rows["nop"]["fail2pass"] == 0.0


@pytest.mark.parametrize("label", SOME)
def test_a_repair_of_the_public_case_alone_is_caught(store_root: Path, label: str) -> None:
    task = TASKS[label]
    patch = task.evaluator.solution / "mutants" / "hardcode-public.patch"
    scores = verdict_on(store_root, task, patch).scores
    assert scores.public == 1.0
    assert scores.private < 1.0
    assert scores.pass1 == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", PATCHES)
def test_wrong_repairs_fail_and_other_right_ones_pass(store_root: Path, name: str) -> None:
    label, path = PATCHES[name]
    verdict = verdict_on(store_root, TASKS[label], path)
    assert verdict.refusal is None
    assert verdict.scores.pass1 == (1 if path.parent.name == "alternatives" else 0)


@pytest.mark.parametrize("label", TASKS)
def test_a_task_has_checks_enough(label: str) -> None:
    checks = TASKS[label].checked_baseline().checks.values()
    private = [check for check in checks if check.kind == "private"]
    assert len(private) >= 8
    contracts = {check.contract for check in private}
    assert len(contracts) >= 3
    assert contracts <= CONTRACTS


@pytest.mark.parametrize("label", TASKS)
def test_a_task_is_validated_at_its_present_content(label: str) -> None:
    task = TASKS[label]
    require_validated(task)
    done = read_json(task.root / VALIDATION, Validation)
    assert done.survivors == (), "judge them, or answer them with a check"
    assert done.passed
    assert done.mode == "full"
    assert done.mutation.adjusted is not None
    assert done.mutation.adjusted >= 0.9
    by_hand = [row for row in done.rows if row.kind == "mutant"]
    assert len(by_hand) >= 3
    assert "mutant/hardcode-public" in {row.id for row in by_hand}


@pytest.mark.slow
@pytest.mark.parametrize("label", LIGHT)
def test_three_tasks_pass_a_quick_validation(store_root: Path, label: str) -> None:
    settings = Settings(seed=11, repeats=1, jobs=2, quick=True)
    done = validate_task(open_store(store_root), TASKS[label], settings)
    assert done.problems == ()
    assert {row.kind for row in done.rows} >= {"reference", "nop", "mutant", "generated", "null"}


@pytest.mark.parametrize("label", TASKS)
def test_a_task_keeps_its_number_of_the_paper(label: str) -> None:
    task = TASKS[label]
    assert label.startswith(f"{task.id}-")
    assert 1 <= int(task.id) <= 119
    assert licence_restriction(task.agent.file.referee.licence) is None


def test_every_hidden_file_carries_the_canary() -> None:
    for task in TASKS.values():
        for folder in (task.evaluator.tests, task.evaluator.solution):
            for path in folder.rglob("*"):
                if path.is_file() and path.name != "baseline.json" and path.suffix != ".pyc":
                    assert b"referee-canary" in path.read_bytes(), path


@pytest.mark.parametrize("label", SOME)
def test_the_agent_sees_no_hidden_file_and_no_fix(store_root: Path, label: str) -> None:
    task = TASKS[label]
    store = open_store(store_root)
    bench = bench_for(store, task)
    scratch = open_scratch(store, "look")
    # The words below stand in no file of the sandbox but in LOOK's own argument list.
    words = ["referee-can" + "ary", label]
    try:
        sandbox, _upper = agent_sandbox(bench, task.agent, {"science": "with"}, None, scratch)
        sandbox.start()
        try:
            target = task.agent.source.source.name.lower()
            script = ["import sys", f"sys.argv[1:] = {[target, *words]!r}", LOOK]
            sandbox.write("/tmp/look.py", "\n".join(script).encode())
            done = sandbox.run(["/opt/env/bin/python", "/tmp/look.py"], timeout_s=120)
        finally:
            sandbox.stop()
    finally:
        remove_tree(scratch)
    assert done.exit_code == 0, done.stderr
    found = set(done.stdout.decode().splitlines())
    assert "/tmp/look.py" in found  # the search finds what is there
    found.remove("/tmp/look.py")
    others = {line for line in found if not line.startswith(("/workspace", "/opt/target"))}
    assert not others
    hidden = {line for line in found if "tests/private" in line or "solution" in line}
    assert not hidden
