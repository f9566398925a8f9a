"""The small real model: its profile, what it needs, and an answer of it through the gateway."""

from __future__ import annotations

import contextlib
import importlib.util
import socket
import tomllib
from pathlib import Path

import httpx
import pytest

from referee.agent.gateway.app import Access
from referee.agent.gateway.budget import Budget, Meter
from referee.agent.gateway.exchange import CallLog
from referee.agent.gateway.server import serving
from referee.agent.local_model import (
    NAME,
    WEIGHTS_SHA256,
    fetch_weights,
    local_model,
    profile_table,
    profile_toml,
    with_local_model,
)
from referee.agent.profile import ModelsFile, load_profile
from referee.environment.store import open_store
from referee.record.canonical import sha256_file
from referee.record.fault import BadInput


def test_the_printed_profile_is_the_profile() -> None:
    text = profile_toml("http://127.0.0.1:9", "small")
    assert ModelsFile.model_validate(tomllib.loads(text)).models == {
        "small": profile_table("http://127.0.0.1:9")
    }


def test_a_missing_server_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with (
        pytest.raises(BadInput, match=r"xllamacpp; install referee with its extra.*local-model"),
        local_model(tmp_path / "weights"),
    ):
        pass


def test_only_its_name_stands_for_the_local_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def never() -> Path:
        raise AssertionError("the weights are not needed")

    with with_local_model(("small", "big.env"), never) as profiles:
        assert profiles == ("small", "big.env")
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text("a profile of the user's")
    with with_local_model((NAME,), never) as profiles:
        assert profiles == (NAME,)


def servers(weights: Path) -> set[str]:
    """The processes that serve these weights; another test run may have its own."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(weights).encode() in path.read_bytes():
                found.add(path.parent.name)
    return found


def test_the_model_answers_in_the_form_that_is_asked_for(store_root: Path, tmp_path: Path) -> None:
    """Real weights in a real server: an action, counted, in the words of the grammar."""
    weights = fetch_weights(open_store(store_root))
    before = servers(weights)
    assert sha256_file(weights) == WEIGHTS_SHA256
    with with_local_model(("other", NAME), lambda: weights) as (other, text):
        assert other == "other"
        profile = load_profile(text, {})
        url = profile.table.base_url
        assert profile.name == NAME
        log = CallLog(tmp_path / "calls.jsonl")
        listener = socket.create_server(("127.0.0.1", 0))
        access = Access(profile, "t", Meter(Budget()), Meter(Budget()), log)
        asked = {"model": "smollm2-135m", "messages": [{"role": "user", "content": "List files."}]}
        with serving(access, listener):
            gateway = f"http://127.0.0.1:{listener.getsockname()[1]}/v1/chat/completions"
            head = {"x-api-key": "t"}
            first, second = (
                httpx.post(gateway, json=asked, headers=head, timeout=120).json() for _ in range(2)
            )
    text = first["choices"][0]["message"]["content"]
    assert text.startswith("THOUGHT: ")
    assert "```mswea_bash_command\n" in text
    assert second["choices"][0]["message"]["content"] == text
    totals = log.totals
    assert (totals.answered, totals.uncounted, totals.cost) == (2, 0, 0.0)
    assert totals.tokens.output == sum(a["usage"]["completion_tokens"] for a in (first, second))
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, timeout=5)
    assert servers(weights) <= before
