"""The suites of artifacts: proven, with data that can be made again, and baselines that agree."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from referee.author.evidence import VALIDATION, require_validated
from referee.author.validation import Validation
from referee.data.build import build_data
from referee.environment.store import open_store
from referee.report.measures import MeasureRow, measure_rows
from referee.task.package import TaskPackage
from referee.task.selection import Criteria
from referee.task.strict import read_json
from referee.task.suite import open_suite
from referee.trial.audit import audit_run
from referee.trial.contest import RunRequest, prepare_contest, run_contest

SUITES = Path(__file__).resolve().parents[2] / "suites"
GW = {task.label: task for task in open_suite(SUITES / "gw").load()}
TASKS = GW | {task.label: task for task in open_suite(SUITES / "climate").load()}
WITH_DATA = [label for label, task in TASKS.items() if task.agent.file.referee.data is not None]
SEED = 1729
LEAST_MUTANTS = 8
SMALL_SETS_S = 300.0


@pytest.mark.parametrize("label", TASKS)
def test_a_task_is_proven_and_has_baselines(label: str) -> None:
    task = TASKS[label]
    require_validated(task)
    validation = read_json(task.root / VALIDATION, Validation)
    mutants = [row for row in validation.rows if row.kind == "mutant"]
    assert len(mutants) >= LEAST_MUTANTS
    assert all(row.caught for row in mutants)
    for name in ("sensible", "trivial"):
        assert (task.evaluator.solution / "baseline" / f"{name}.py").is_file()


@pytest.mark.parametrize("label", TASKS)
def test_a_task_says_what_moves_its_score(label: str) -> None:
    text = (TASKS[label].evaluator.solution / "README.md").read_text("utf-8")
    assert re.search(r"mov\w* the score|the mismatch cannot see", text)


def build_all(store_root: Path, labels: list[str]) -> float:
    """Seconds in which the small data of some tasks are made."""
    store, begun = open_store(store_root), time.monotonic()
    for label in labels:
        build_data(store, TASKS[label], "small", hidden_seed=SEED)
    return time.monotonic() - begun


def run_baselines(store_root: Path, out: Path, agent: str, tasks: str | None) -> list[MeasureRow]:
    request = RunRequest(
        str(SUITES / "gw"), (agent,), Criteria(tasks), out=out, unvalidated=True, seed=1
    )
    contest = prepare_contest(request, say=print, store=open_store(store_root))
    run_contest(contest, jobs=2, on_event=lambda _event: None)
    assert audit_run(out).ok
    return measure_rows(out)


def is_sensible(task: TaskPackage, row: MeasureRow) -> bool:
    """Whether a value is at least as good as the task's sensible baseline should be."""
    table = task.agent.file.referee.artifact
    assert table is not None
    wanted = table.sensible if table.sensible is not None else table.requirement
    if row.median is None or wanted is None:
        return False
    return row.median <= wanted if table.better == "lower" else row.median >= wanted


@pytest.mark.xdist_group("gw-data")
def test_one_small_set_and_its_baselines(store_root: Path, tmp_path: Path) -> None:
    label = "004-ringdown" if "004-ringdown" in GW else "008-new-physics"
    build_all(store_root, [label] if label in WITH_DATA else [])
    (sensible,) = run_baselines(store_root, tmp_path / "one", "baseline", label[:3])
    (trivial,) = run_baselines(store_root, tmp_path / "two", "baseline:trivial", label[:3])
    assert is_sensible(GW[label], sensible)
    assert not is_sensible(GW[label], trivial)


@pytest.mark.slow
@pytest.mark.xdist_group("gw-data")
def test_the_baselines_of_all_tasks_score_alike_in_two_stores(
    store_root: Path, open_folder: Path, tmp_path: Path
) -> None:
    names = [label for label in WITH_DATA if label in GW]
    assert build_all(open_folder / "store", names) < SMALL_SETS_S
    build_all(store_root, names)
    here = run_baselines(store_root, tmp_path / "here", "baseline", None)
    there = run_baselines(open_folder / "store", tmp_path / "there", "baseline", None)
    assert {row.task for row in here} == set(GW)
    for one, other in zip(here, there, strict=True):
        assert one.median is not None
        assert other.median == pytest.approx(one.median, rel=0, abs=1e-9), one.task
        assert is_sensible(GW[one.task], one), (one.task, one.median)
