"""Conditions: paired arms on the tasks that allow every level; views that differ in one folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.environment.store import open_store
from referee.record.fault import BadInput
from referee.record.tree import scan_tree
from referee.task.package import load_task
from referee.trial.conditions import FULL, arms_of, read_conditions, tasks_that_allow
from referee.trial.workspace import TASK_INSIDE, visible_mounts


def test_texts_become_levels() -> None:
    assert read_conditions([]) == FULL
    assert read_conditions(["science=with,without"]) == {"science": ("with", "without")}
    assert arms_of({"science": ("with", "without")}) == [
        {"science": "with"},
        {"science": "without"},
    ]


@pytest.mark.parametrize(
    "texts",
    [
        *(["science"], ["science="], ["science=maybe"], ["science=with,with"], ["weather=fair"]),
        ["science=with", "science=without"],
    ],
)
def test_bad_texts(texts: list[str]) -> None:
    with pytest.raises(BadInput, match="--condition"):
        read_conditions(texts)


def test_tasks_that_do_not_allow_a_level_are_left_out(
    tmp_path: Path, write_tiny_task: Callable[..., Path]
) -> None:
    allows, refuses = (write_tiny_task(tmp_path / name / "001-tiny") for name in "ab")
    text = (refuses / "task.toml").read_text()
    (refuses / "task.toml").write_text(
        text.replace('conditions = { science = ["with", "without"] }\n', "")
    )
    tasks = {"a": load_task(allows), "b": load_task(refuses)}
    said: list[str] = []
    kept = tasks_that_allow(tasks, {"science": ("with", "without")}, said.append)
    assert list(kept) == ["a"]
    assert said == ["b is left out: it does not allow science=without"]
    assert list(tasks_that_allow(tasks, FULL, said.append)) == ["a", "b"]
    with pytest.raises(BadInput, match="no task allows"):
        tasks_that_allow({"b": tasks["b"]}, {"science": ("without",)}, said.append)


def test_the_two_views_differ_in_the_science_folder_and_nowhere_else(
    store_root: Path, tiny_task: Path
) -> None:
    store, view = open_store(store_root), load_task(tiny_task).agent

    def seen(level: str) -> dict[str, tuple[str, str]]:
        found = {}
        for mount in visible_mounts(store, view, {"science": level}):
            for name, entry in scan_tree(mount.source).files.items():
                found[f"{mount.target}/{name}"] = (entry.mode, entry.sha256)
        return found

    full, bare = seen("with"), seen("without")
    extra = {name for name in full if name not in bare}
    assert extra
    assert all(name.startswith(f"{TASK_INSIDE}/science/") for name in extra)
    assert {name: full[name] for name in bare} == bare
    assert f"{TASK_INSIDE}/context/circle.md" in bare
