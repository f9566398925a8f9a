"""What the agent is told: the task's instruction, and the rules that its work is held to."""

from __future__ import annotations

from pathlib import Path

from referee.environment.store import open_store
from referee.task.package import load_task
from referee.trial.workspace import full_instruction, visible_mounts


def test_an_agent_is_told_what_it_may_hand_in(tiny_task: Path, store_root: Path) -> None:
    view = load_task(tiny_task).agent
    text = full_instruction(view)
    assert text.startswith(view.instruction.rstrip())
    for rule in ("`tiny/**/*.py`", "60 seconds", "64 of them", "1024 KiB", "`/tmp`"):
        assert rule in " ".join(text.split())
    task, _tools = visible_mounts(open_store(store_root), view, {"science": "with"})
    assert (task.source / "instruction.md").read_text() == text
