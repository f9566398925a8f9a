"""The repair suite itself: ceiling, floor, wrong repairs, and what an agent can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.environment.store import open_store, remove_tree
from referee.grade.workspace import open_scratch
from referee.record.verdict import Verdict
from referee.report.table import table_rows
from referee.task.package import TaskPackage
from referee.task.suite import open_suite
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.grade_one import grade_patch
from referee.trial.workspace import agent_sandbox, bench_for

SUITE = Path(__file__).resolve().parents[2] / "suites" / "repair"
TASKS = {task.label: task for task in open_suite(SUITE).load()}
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


def run_suite(store_root: Path, out: Path, attempts: int) -> dict[str, dict[str, float]]:
    """The table of nop and oracle on the whole suite, by arm."""
    request = RunRequest(str(SUITE), ("nop", "oracle"), attempts=attempts, out=out)
    prepared = prepare_contest(request, say=print, store=open_store(store_root))
    run_contest(prepared, jobs=2, on_event=lambda _event: None)
    return {row["arm"]: row for row in table_rows(out)}


@pytest.mark.parametrize(
    "attempts", [1, pytest.param(5, marks=pytest.mark.slow)], ids=["once", "five-times"]
)
def test_the_oracle_scores_one_and_nop_zero(
    store_root: Path, tmp_path: Path, attempts: int
) -> None:
    rows = run_suite(store_root, tmp_path / "run", attempts)
    for row in rows.values():
        assert row["scored"] == row["planned"] == len(TASKS) * attempts
    assert rows["oracle"]["pass1"] == rows["oracle"]["public"] == 1.0
    assert rows["nop"]["pass1"] == rows["nop"]["fail2pass"] == 0.0


@pytest.mark.parametrize("label", TASKS)
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
    assert len({check.contract for check in private}) >= 3
    assert all(check.contract for check in private)


def test_every_hidden_file_carries_the_canary() -> None:
    for task in TASKS.values():
        for folder in (task.evaluator.tests, task.evaluator.solution):
            for path in folder.rglob("*"):
                if path.is_file() and path.name != "baseline.json" and path.suffix != ".pyc":
                    assert b"referee-canary" in path.read_bytes(), path


@pytest.mark.parametrize("label", TASKS)
def test_the_agent_sees_no_hidden_file_and_no_fix(store_root: Path, label: str) -> None:
    task = TASKS[label]
    store = open_store(store_root)
    bench = bench_for(store, task)
    scratch = open_scratch(store, "look")
    # The words below stand in no file of the sandbox but in LOOK's own argument list.
    words = ["referee-can" + "ary", label]
    try:
        sandbox, _upper = agent_sandbox(bench, task.agent, {"science": "with"}, (), scratch)
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
