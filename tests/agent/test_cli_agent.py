"""What a command-line agent says of its own use: it may say anything."""

from __future__ import annotations

import json

import pytest

from referee.agent.cli_agent import _told
from referee.agent.gateway.usage import Usage
from referee.agent.launch import KINDS


def trajectory(**usage: object) -> dict[str, bytes]:
    rows = [{"extra": {"response": {"usage": usage}}}]
    return {"trajectory.json": json.dumps({"messages": rows}).encode()}


def test_the_sum_over_the_messages_of_mini_swe_agent() -> None:
    found = _told(KINDS["mini-swe-agent"], b"", trajectory(prompt_tokens=7, completion_tokens=3))
    assert found == Usage(7, 3)


@pytest.mark.parametrize("count", [-1, 2**60, "many", [1], {"a": 1}, 1e400, "1e3"])
def test_counts_that_are_none_are_not_believed(count: object) -> None:
    logs = trajectory(prompt_tokens=count, completion_tokens=3)
    assert _told(KINDS["mini-swe-agent"], b"", logs) is None
    line = {"type": "step_finish", "part": {"tokens": {"input": count, "output": 1}}}
    assert _told(KINDS["opencode"], json.dumps(line).encode(), {}) is None


@pytest.mark.parametrize("agent", KINDS)
@pytest.mark.parametrize("said", [b"", b"\xff\x00", b"[" * 100_000, b'{"type": "result"}', b"null"])
def test_whatever_an_agent_prints_is_no_fault_of_ours(agent: str, said: bytes) -> None:
    assert _told(KINDS[agent], said, {"trajectory.json": said}) is None
