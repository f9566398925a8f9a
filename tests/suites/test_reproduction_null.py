"""Fixtures on the tasks that are shipped: who does nothing, or hands in what may not be, gets
nothing; no script runs here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.environment.store import Store, open_store, remove_tree
from referee.grade.reproduction.findings import Judging, findings_of
from referee.grade.reproduction.scheme import load_scheme
from referee.judge.choose import judge_for
from referee.metric.rubric.grade import Grade, grade
from referee.replay.engine import Request, replay
from referee.replay.failures import consequence_of
from referee.replay.record import Isolation
from referee.replay.roots import evidence_of
from referee.replay.sandboxed import Stage
from referee.replay.verify import verify
from referee.sandbox.protocol import Completed
from referee.task.package import load_task

SUITE = Path(__file__).parents[2] / "suites" / "reproduction"
TASKS = sorted(path.parent for path in SUITE.glob("*/task.toml"))


def says_done(
    stage: Stage, store: object, budget_s: float, grace_s: float
) -> tuple[Completed, Isolation]:
    """A script that ends well and leaves a report, whatever it was."""
    (stage.upper / "outputs").mkdir()
    (stage.upper / "outputs" / "report.md").write_text("All results agree with the paper.\n")
    done = Completed(("bash",), "exit", 0, None, b"", b"", False, 0.1, 0.1, 0)
    return done, Isolation(backend="none, for tests", network="none", uid=65534, limits=())


def nothing_to_do(tree: Path) -> None:
    (tree / "reproduce.sh").write_text("# everything is there already\n")
    (tree / "outputs").mkdir()
    (tree / "outputs" / "evidence_manifest.json").write_text('{"observations": {}}')


def no_entry(tree: Path) -> None:
    (tree / "reproduce.sh").unlink()


def a_link(tree: Path) -> None:
    (tree / "src" / "link").symlink_to("/etc/passwd")


def another_input(tree: Path) -> None:
    first = sorted(path for path in (tree / "inputs").rglob("*") if path.is_file())[0]
    first.write_bytes(first.read_bytes() + b"\n")


def touched(tree: Path) -> None:
    (tree / "reproduce.sh").touch()


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (nothing_to_do, None),
        (no_entry, "missing_entrypoint"),
        (a_link, "symlink"),
        (another_input, "reserved_input_changed"),
        (touched, "starter_only"),
    ],
)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_nothing_earns_nothing(
    tmp_path: Path,
    store_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    task: Path,
    harm: Callable[[Path], None],
    reason: str | None,
) -> None:
    monkeypatch.setattr("referee.replay.engine.run_script", says_done)
    tree = tmp_path / "submission"
    shutil.copytree(task / "environment/starter_submission", tree)
    harm(tree)
    try:
        done = graded(task, tree, tmp_path, open_store(store_root), reason)
    finally:
        remove_tree(tmp_path)
        tmp_path.mkdir()
    assert done.score == 0, {name: leaf for name, leaf in done.leaves.items() if leaf.high}


def graded(task: Path, tree: Path, place: Path, store: Store, reason: str | None) -> Grade:
    scheme = load_scheme(load_task(task))
    request = Request(
        task=scheme.task.label,
        task_digest=scheme.task.digest,
        submission=tree,
        starter=task / "environment/starter_submission",
        policy=scheme.package.policy,
        folder=place / "evidence",
    )
    record = replay(request, store)
    assert record.reason == reason
    assert verify(request.folder).ok
    effect = "judge_prefix" if reason is None else consequence_of(reason).effect
    judging = Judging(judge_for("scripted", task / "tests/config"), place / "audit")
    evidence = evidence_of(request.folder, task)
    return grade(scheme.rubric, findings_of(scheme, record, effect, evidence, judging).of_leaf)
