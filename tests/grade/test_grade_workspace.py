"""What every command in a task's sandboxes has in its environment."""

from __future__ import annotations

from pathlib import Path

from referee.grade.workspace import variables_of
from referee.task.package import load_task


def test_a_tasks_own_variables_stand_beside_those_of_referee(tiny_task: Path) -> None:
    file = tiny_task / "task.toml"
    before = variables_of(load_task(tiny_task).agent.file)
    env = 'env = { NUMBA_DISABLE_JIT = "1", OMP_NUM_THREADS = "2" }'
    file.write_text(file.read_text().replace("memory_mb = 512", f"memory_mb = 512\n{env}"))
    after = variables_of(load_task(tiny_task).agent.file)
    assert after == {**before, "NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "2"}
    assert after["PYTHONHASHSEED"] == "0"
