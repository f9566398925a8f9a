"""What a run has used of its models, read from whatever an interruption left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.record.model_call import ModelCall, Tokens
from referee.trial.spent import spent


def call(number: int, output: int, cost: float | None = 0.5) -> bytes:
    made = ModelCall(
        number=number,
        protocol="openai-chat",
        outcome="answered",
        status=200,
        tokens=Tokens(input=10, output=output),
        cost=cost,
        begun="2026-01-01T00:00:00+00:00",
        seconds=1.0,
    )
    return made.canonical() + b"\n"


def attempt(run: Path, name: str, data: bytes) -> Path:
    folder = run / name
    (folder / "agent").mkdir(parents=True)
    (folder / "agent" / "model-calls.jsonl").write_bytes(data)
    return folder


def test_calls_of_what_was_cut_off_count(tmp_path: Path) -> None:
    attempt(tmp_path, "trials/t/a/.partial-1-x", call(1, 5) + call(2, 6) + call(3, 7)[:40])
    attempt(tmp_path, "interrupted/t/a/1.1", call(1, 8) + b"no json\n" + b"{}\n")
    (tmp_path / "trials/t/a/2").mkdir()
    found = spent(tmp_path)
    assert (found.calls, found.tokens.output, found.tokens.input, found.cost) == (3, 19, 30, 1.5)


@pytest.mark.parametrize("torn", ["", "{", json.dumps({"record_version": 1})])
def test_a_record_that_was_cut_off_while_it_was_written_is_no_obstacle(
    tmp_path: Path, torn: str
) -> None:
    folder = attempt(tmp_path, "interrupted/t/a/1.1", call(1, 8, cost=None))
    (folder / "trial.json").write_text(torn)
    found = spent(tmp_path)
    assert (found.calls, found.tokens.output, found.cost) == (1, 8, None)


def test_an_empty_run_has_used_nothing(tmp_path: Path) -> None:
    found = spent(tmp_path)
    assert (found.calls, found.cost) == (0, 0.0)
