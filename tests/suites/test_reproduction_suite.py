"""The reproduction tasks: sound packages, and what code decides of each known submission.

The submissions are ours, so they run here as they are; that they run the same in the sandbox is for
the tests of the replay.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from referee.author.evidence import require_validated
from referee.author.judge_variants import CONTAINERS, in_container
from referee.grade.reproduction.code import ReplayFacts, decide_by_code
from referee.grade.reproduction.module import load_metrics
from referee.grade.reproduction.plans import read_plans
from referee.grade.reproduction.scheme import load_scheme
from referee.metric.rubric.grade import grade
from referee.metric.rubric.leaf import Finding, score_leaf
from referee.metric.rubric.tree import rubric_of
from referee.replay.roots import evidence_of
from referee.task.package import load_task
from referee.task.reproduction.audit import audit_package
from referee.task.reproduction.load import load_reproduction

SUITE = Path(__file__).parents[2] / "suites" / "reproduction"
TASKS = sorted(path.parent for path in SUITE.glob("*/task.toml"))
RAN = ReplayFacts(True, 0, 1.0, False, True, 1, 1)


def expected(task: Path) -> dict[str, dict[str, object]]:
    """What each known submission scores, by the name of its patch."""
    told = tomllib.loads((task / "solution/expected.toml").read_text())
    found = {"reference": told["reference"]}
    for kind in ("partial", "wrong"):
        found |= {f"{kind}/{name}": facts for name, facts in told.get(kind, {}).items()}
    return found


CASES = [
    pytest.param(task, name, id=f"{task.name}: {name}", marks=[pytest.mark.slow])
    for task in TASKS
    for name in expected(task)
]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_package_is_sound(task: Path) -> None:
    package = load_reproduction(load_task(task))
    assert [(f.code, f.where, f.what) for f in audit_package(package)] == []
    rubric = rubric_of(package.rubric)
    assert rubric.warnings == ()
    by_code = [leaf for leaf in rubric.leaves if leaf.node.how.by == "code"]
    assert 8 <= len(rubric.leaves) <= 15
    assert len(by_code) >= 0.75 * len(rubric.leaves)
    assert len(expected(task)) >= 4
    for name in expected(task):
        assert (task / "solution" / f"{name}.patch").is_file()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_is_validated_at_its_present_content(task: Path) -> None:
    require_validated(load_task(task))
    value = json.loads((task / "validation.json").read_text())
    scores = {row["id"]: row["score"] for row in value["rows"] if "#" not in row["id"]}
    assert scores == {
        "nop": "0",
        **{name: facts["score"] for name, facts in expected(task).items()},
    }
    assert Fraction(scores["reference"]) >= Fraction(95, 100)


def test_the_suite_lists_every_task() -> None:
    listed = tomllib.loads((SUITE / "suite.toml").read_text())["suite"]["tasks"]
    assert listed == [task.name for task in TASKS]


def replayed(task: Path, name: str, folder: Path) -> Path:
    """Evidence as a replay leaves it."""
    run = folder / "run"
    folder.mkdir(exist_ok=True)
    shutil.copytree(task / "environment/starter_submission", run)
    patch = task / "solution" / f"{name}.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=run, check=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(sys.executable)
    env = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if "site-packages" in path),
    }
    subprocess.run(["bash", "reproduce.sh"], cwd=run, env=env, check=True, timeout=300)
    (folder / "outputs").mkdir()
    (run / "outputs").rename(folder / "outputs" / "outputs")
    return folder


def found_in(task: Path, folder: Path) -> dict[str, object]:
    """What code finds for each leaf in frozen evidence."""
    scheme = load_scheme(load_task(task))
    evidence = evidence_of(folder, task)
    return dict(decide_by_code(scheme.rubric, scheme.plans, evidence, scheme.module, RAN).findings)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_container_of_the_data_moves_no_leaf(task: Path, tmp_path: Path) -> None:
    frozen = replayed(task, "reference", tmp_path / "run")
    (frozen / "run" / "src").rename(frozen / "source")
    scores = found_in(task, frozen)
    rewritten = 0
    for container in CONTAINERS:
        folder, count = in_container(frozen, tmp_path / container, container)
        assert scored(task, found_in(task, folder)) == scored(task, scores)
        rewritten += count
    assert rewritten >= 3


def scored(task: Path, findings: dict[str, object]) -> dict[str, Fraction | None]:
    """The score of each leaf by itself: numbers in text may differ in their last digit."""
    nodes = rubric_of(load_reproduction(load_task(task)).rubric).by_id
    return {name: score_leaf(nodes[name].node, found).score for name, found in findings.items()}


@pytest.mark.parametrize(("task", "name"), CASES)
def test_a_known_submission_scores_exactly_what_it_must(
    task: Path, name: str, tmp_path: Path
) -> None:
    package = load_reproduction(load_task(task))
    rubric = rubric_of(package.rubric)
    module = load_metrics(task / "tests/src/metrics.py")
    plans = read_plans(task / "tests/config/plans.json", rubric, module)
    evidence = evidence_of(replayed(task, name, tmp_path), task)
    decided = decide_by_code(rubric, plans, evidence, module, RAN)
    facts = expected(task)[name]
    judged = {leaf: Finding(score) for leaf, score in facts["judged"].items()}
    done = grade(rubric, {**decided.findings, **judged})
    shown = {leaf: str(score.score) for leaf, score in done.leaves.items()}
    assert done.score == Fraction(facts["score"]), (shown, dict(decided.faults))
    if name == "reference":
        assert done.score >= Fraction(95, 100)
