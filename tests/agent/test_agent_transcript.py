"""Transcripts from recorded calls: the same conversation in all protocols gives the same steps."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.agent.gateway.app import Access
from referee.agent.gateway.budget import Budget, Meter
from referee.agent.gateway.exchange import CallLog
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.plain import clean
from referee.agent.gateway.reading import reply_of, said_in
from referee.agent.gateway.server import serving
from referee.agent.profile import Profile, ProfileTable
from referee.agent.standin import Turn, scripted_upstream
from referee.agent.transcript import transcript_of
from referee.record.model_call import ModelCall

Body = dict[str, Any]
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
}
TALK = [
    ("system", "You are careful.", None),
    ("user", "Make it right.", None),
    ("call", "ls", "call_1"),
    ("tool", "a.py", "call_1"),
    ("call", "cat a.py", "call_1"),
    ("tool", "x = 1", "call_1"),
]
SCRIPT = [Turn("first", command="ls"), Turn("second", command="cat a.py"), Turn("all done")]


def request(protocol: str, talk: Sequence[tuple[str, str, str | None]]) -> Body:
    """A request as an agent of that protocol sends it, with the whole history."""
    if protocol == "anthropic-messages":
        return {"model": "m", "max_tokens": 9, **_messages(talk)}
    rows: list[Body] = []
    for role, text, call in talk:
        if protocol == "openai-chat":
            rows.append(_chat(role, text, call))
        else:
            rows.append(_responses(role, text, call))
    return {"model": "m", "messages" if protocol == "openai-chat" else "input": rows}


def _chat(role: str, text: str, call: str | None) -> Body:
    if role == "call":
        function = {"name": "bash", "arguments": "{}"}
        made = [{"id": call, "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": made}
    return {"role": role, "content": text, **({"tool_call_id": call} if call else {})}


def _responses(role: str, text: str, call: str | None) -> Body:
    if role == "call":
        return {"type": "function_call", "call_id": call, "name": "x", "arguments": "{}"}
    if role == "tool":
        return {"type": "function_call_output", "call_id": call, "output": text}
    part = {"type": "input_text", "text": text}
    return {"type": "message", "role": role.replace("system", "developer"), "content": [part]}


def _messages(talk: Sequence[tuple[str, str, str | None]]) -> Body:
    rows: list[Body] = []
    for role, text, _call in talk:
        if role == "call":
            block: Body = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
            rows.append({"role": "assistant", "content": [block]})
        elif role == "tool":
            block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
            rows.append({"role": "user", "content": [block]})
        elif role == "user":
            rows.append({"role": "user", "content": text})
    return {"system": [{"type": "text", "text": talk[0][1]}], "messages": rows}


@contextlib.contextmanager
def recorded(
    tmp_path: Path, protocol: str, script: Sequence[Turn]
) -> Iterator[tuple[str, CallLog]]:
    with scripted_upstream(script) as upstream:
        table = ProfileTable.model_validate(
            {"base_url": upstream.url, "protocol": protocol, "model": "m"}
        )
        log = CallLog(tmp_path / "calls.jsonl")
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}{PATHS[protocol]}"
        access = Access(
            Profile("p", table), "t", Meter(Budget()), Meter(Budget()), log, Patience(retries=0)
        )
        with serving(access, listener):
            yield url, log


def read(log: CallLog) -> list[ModelCall]:
    return [ModelCall.model_validate_json(line) for line in log.path.read_text().splitlines()]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("protocol", PATHS)
def test_a_conversation_becomes_one_transcript(tmp_path: Path, protocol: str, stream: bool) -> None:
    with recorded(tmp_path, protocol, SCRIPT) as (url, log):
        for upto in (2, 4, 6):
            body = {**request(protocol, TALK[:upto]), "stream": stream, "tools": [{}]}
            assert httpx.post(url, json=body, headers={"x-api-key": "t"}).status_code == 200
    calls = read(log)
    made = transcript_of(calls, session="s", agent="mini", version="1", model="m")
    assert made is not None
    assert made.schema_version == "ATIF-v1.8"
    assert [step.source for step in made.steps] == ["system", "user", "agent", "agent", "agent"]
    assert [s.message for s in made.steps[:2]] == ["You are careful.", "Make it right."]
    first, second, last = made.steps[2:]
    commands = [
        next(iter(s.tool_calls[0].arguments.values())) for s in (first, second) if s.tool_calls
    ]
    assert commands == ["ls", "cat a.py"]
    seen = [s.observation.results[0].content for s in (first, second) if s.observation]
    assert seen == ["a.py", "x = 1"]
    assert (last.message, last.tool_calls, last.observation) == ("all done", None, None)
    assert made.final_metrics is not None
    totals = log.totals.tokens
    assert made.final_metrics.total_prompt_tokens == totals.input
    assert made.final_metrics.total_completion_tokens == totals.output
    assert made.final_metrics.total_cost_usd is None


def test_a_call_without_an_answer_stands_in_the_transcript(tmp_path: Path) -> None:
    with recorded(tmp_path, "openai-chat", [Turn(fault="status:500"), Turn("yes")]) as (url, log):
        for _ in range(2):
            httpx.post(url, json=request("openai-chat", TALK[:2]), headers={"x-api-key": "t"})
    made = transcript_of(read(log), session="s", agent="a", version="1", model=None)
    assert made is not None
    lost, found = made.steps[2:]
    assert lost.extra is not None
    assert lost.extra["fault"] == {
        "outcome": "provider_error",
        "status": 502,
        "detail": "status 500",
    }
    assert (found.message, found.metrics is not None) == ("yes", True)


def test_what_is_said_again_stands_again(tmp_path: Path) -> None:
    """An agent without tools is told what came of its commands as a user, often in equal words."""
    talk = [{"role": "user", "content": "Make it right."}]
    nothing = {"role": "user", "content": "<returncode>0</returncode>"}
    with recorded(tmp_path, "openai-chat", [Turn("one"), Turn("two"), Turn("three")]) as (url, log):
        for said in ("one", "two", "three"):
            httpx.post(url, json={"model": "m", "messages": talk}, headers={"x-api-key": "t"})
            talk += [{"role": "assistant", "content": said}, nothing]
        # a call beside the work, with the same first message
        httpx.post(url, json={"model": "m", "messages": talk[:1]}, headers={"x-api-key": "t"})
    made = transcript_of(read(log), session="s", agent="a", version="1", model=None)
    assert made is not None
    sources = [step.source for step in made.steps]
    assert sources == ["user", "agent", "user", "agent", "user", "agent", "agent"]


def test_half_characters_and_odd_numbers_are_made_plain() -> None:
    chunks = [
        {"choices": [{"delta": {"content": "\ud83d"}}]},
        {"choices": [{"delta": {"content": "\ude00"}}]},
    ]
    data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    call = ModelCall(
        number=1,
        protocol="openai-chat",
        stream=True,
        outcome="answered",
        status=200,
        begun="2026-01-01T00:00:00+00:00",
        seconds=0.0,
        response=data,
    )
    made = transcript_of([call], session="s", agent="a", version="1", model=None)
    assert made is not None
    assert made.steps[0].message == "\U0001f600"
    assert made.model_dump_json()
    deep: Any = 1.0
    for _ in range(500):
        deep = [deep]
    assert "..." in json.dumps(clean({"a\ud800": deep, "b": float("nan")}))
    assert clean({"a": [1, None, True, "x", 0.5]}) == {"a": [1, None, True, "x", 0.5]}


def test_no_call_is_no_transcript() -> None:
    assert transcript_of([], session="s", agent="a", version="1", model=None) is None


KEYS = """role content messages input type text tool_calls function output choices delta index
message system user tool tool_result item usage instructions developer id arguments"""
WORDS = st.sampled_from(KEYS.split())
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(request=json_values, response=json_values, protocol=st.sampled_from(sorted(PATHS)))
def test_whatever_an_agent_sends_can_be_read(
    request: object, response: object, protocol: str
) -> None:
    for stream in (False, True):
        text = json.dumps(response)
        call = ModelCall(
            number=1,
            protocol=protocol,
            stream=stream,
            outcome="answered",
            status=200,
            begun="2026-01-01T00:00:00+00:00",
            seconds=0.0,
            request=request,  # type: ignore[arg-type]
            response=f"data: {text}\n\n" if stream else text,
        )
        reply_of(call)
        said_in(call)
        assert transcript_of([call], session="s", agent="a", version="1", model=None) is not None
