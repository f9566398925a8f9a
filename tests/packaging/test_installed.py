"""What `pip install` puts in place: the command, its data, and the suites by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which referee was installed from this tree, without its dependencies."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(target), str(ROOT)], check=True, timeout=300)
    return target


def test_suites_are_found_by_name_after_an_installation(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "referee", "suite", "list", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    tasks = json.loads(done.stdout)["tasks"]
    assert {task["id"] for task in tasks} >= {"029", "079", "119"}
    assert all(task["path"].startswith(str(installed)) for task in tasks)


def test_an_installed_task_is_the_task_of_the_clone(installed: Path) -> None:
    from referee.author.evidence import require_validated
    from referee.task.package import load_task
    from referee.task.suite import open_suite

    for task in open_suite(ROOT / "suites/repair").load():
        copy = installed / "referee/_suites/repair" / task.label
        assert load_task(copy).digest == task.digest
        load_task(copy).checked_baseline()
        require_validated(load_task(copy))


def test_programs_that_lie_in_sandboxes_are_installed(installed: Path) -> None:
    for name in ("wall/worker.py", "wall/local.py", "sandbox/server.py", "py.typed"):
        assert (installed / "referee" / name).is_file()
