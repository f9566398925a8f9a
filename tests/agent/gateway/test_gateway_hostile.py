"""What an agent may try with its gateway, and what an upstream may do to it."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from referee.agent.gateway.app import Access
from referee.agent.gateway.budget import Budget, Meter
from referee.agent.gateway.events import EventCutter
from referee.agent.gateway.exchange import MOST_REFUSED, CallLog
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.probe import ask_once
from referee.agent.gateway.redact import Redactor
from referee.agent.gateway.server import MOST_CONNECTIONS, serving
from referee.agent.profile import Profile, ProfileTable
from referee.agent.standin import Turn, Upstream, scripted_upstream
from referee.record.model_call import ModelCall

KEY = "sk-canary-5f0c2a"
CHAT = "/v1/chat/completions"
HEAD = {"authorization": "Bearer trial-token"}


class Place:
    """A gateway, and what it counted and wrote down."""

    def __init__(self, upstream: Upstream, url: str, log: CallLog, trial: Meter, run: Meter):
        self.upstream, self.url, self.log, self.trial, self.run = upstream, url, log, trial, run

    def send(self, data: bytes, path: str = CHAT) -> httpx.Response:
        return httpx.post(self.url + path, content=data, headers=HEAD, timeout=30)

    def post(self, path: str = CHAT, **body: Any) -> httpx.Response:
        asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **body}
        return self.send(json.dumps(asked).encode(), path)

    def calls(self) -> list[ModelCall]:
        text = self.log.path.read_text() if self.log.path.exists() else ""
        return [ModelCall.model_validate_json(line) for line in text.splitlines()]


@contextlib.contextmanager
def place(
    tmp_path: Path,
    script: Sequence[Turn],
    *,
    trial: Budget | None = None,
    run: Budget | None = None,
    idle_s: float = 0.5,
    **table: Any,
) -> Iterator[Place]:
    with scripted_upstream(script) as upstream:
        given = {"base_url": upstream.url, "protocol": "openai-chat", "model": "m", **table}
        profile = Profile("p", ProfileTable.model_validate(given), SecretStr(KEY))
        log = CallLog(tmp_path / "model-calls.jsonl", (KEY,))
        meters = Meter(trial or Budget()), Meter(run or Budget())
        patience = Patience(1, connect_s=1, idle_s=idle_s, first_wait_s=0.01, longest_wait_s=0.1)
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with serving(Access(profile, "trial-token", *meters, log, patience), listener):
            yield Place(upstream, url, log, *meters)


@given(
    text=st.binary(max_size=60),
    cuts=st.lists(st.integers(0, 80), max_size=6),
    at=st.integers(0, 60),
)
def test_a_key_is_taken_out_wherever_a_stream_is_cut(text: bytes, cuts: list[int], at: int) -> None:
    whole = text[:at] + KEY.encode() + text[at:] + KEY.encode()[:-1]
    places = sorted({0, len(whole), *(min(cut, len(whole)) for cut in cuts)})
    redactor = Redactor(KEY)
    passed = [redactor.feed(whole[a:b]) for a, b in itertools.pairwise(places)]
    assert b"".join([*passed, redactor.end()]) == whole.replace(KEY.encode(), b"[key]")


DEEP = b'{"model": "m", "x": ' + b"[" * 3000 + b"]" * 3000 + b"}"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b'{"model": "m", "user": "\\ud800", "max_tokens": 9}', 400),
        (b'{"model": "m", "temperature": NaN}', 400),
        (b'{"model": "m", "temperature": 1e999}', 400),
        (DEEP, 400),
        (b'{"model": []}', 403),
        (b'{"model": {"m": 1}}', 403),
        (b'{"model": "m", "max_tokens": -1000000}', 400),
        (b'{"model": "m", "max_tokens": true}', 400),
        (b'{"model": "m", "max_tokens": 1.5}', 400),
        (b'{"model": "m", "n": 5}', 400),
        (b'{"model": "m", "background": true}', 400),
    ],
    ids=[
        *("surrogate", "nan", "infinity", "deep", "list", "object"),
        *("negative", "true", "fraction", "n", "background"),
    ],
)
def test_odd_requests_are_refused_and_cost_nothing(
    tmp_path: Path, data: bytes, status: int
) -> None:
    with place(tmp_path, [Turn()], trial=Budget(output_tokens=100)) as there:
        assert there.send(data).status_code == status
        assert there.post(max_tokens=100).status_code == 200
        assert there.upstream.seen[0]["max_tokens"] == 100
    refused, answered = there.calls()
    assert (refused.outcome, refused.status, refused.request) == ("refused", status, None)
    assert answered.outcome == "answered"
    assert there.trial.calls == 1


def test_tools_that_the_provider_runs_are_left_out(tmp_path: Path) -> None:
    own = {"type": "function", "function": {"name": "bash"}}
    tools = [own, {"type": "web_search"}, {"type": "mcp", "server_url": "https://x"}]
    with place(tmp_path, [Turn()]) as there:
        there.post(tools=tools, web_search_options={}, service_tier="flex")
        there.post(tools=tools[1:], tool_choice="required")
        claude = [{"name": "Bash", "input_schema": {}}, {"type": "bash_20250124", "name": "bash"}]
        there.post(
            "/v1/messages",
            max_tokens=9,
            tools=[*claude, {"type": "web_search_20250305", "name": "web_search"}],
            mcp_servers=[{"url": "https://x"}],
        )
    first, second, third = there.upstream.seen
    assert first["tools"] == [own]
    assert "service_tier" not in first
    assert "tools" not in second
    assert "tool_choice" not in second
    assert third["tools"] == claude
    assert "mcp_servers" not in third
    assert there.calls()[0].left_out == ("web_search_options", "service_tier", "mcp", "web_search")
    picture = {"type": "image_url", "image_url": {"url": "HTTPS://example.org/?what=was-seen"}}
    with place(tmp_path, [Turn()]) as there:
        asked = [{"role": "user", "content": [picture]}]
        assert there.post(messages=asked).status_code == 400
        picture["image_url"] = {"url": "data:image/png;base64,AAAA"}
        assert there.post(messages=asked).status_code == 200
    with place(tmp_path, [Turn()], provider_tools=True) as there:
        there.post(tools=tools)
    assert there.upstream.seen[0]["tools"] == tools


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_call_in_flight_when_the_agent_ends_is_settled_and_told(
    tmp_path: Path, stream: bool
) -> None:
    budget = Budget(output_tokens=1000, cost=10.0)
    price = {"input": 1.0, "output": 1.0}
    script = [Turn(fault="hang")]
    with place(tmp_path, script, run=budget, idle_s=60, price=price) as there:
        body = {"model": "m", "messages": [], "max_tokens": 400, "stream": stream}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(there.url + CHAT, json=body, headers=HEAD, timeout=0.5)
        assert there.run.spent() is None
    (call,) = there.calls()
    assert (call.outcome, call.tokens, call.cost) == ("unfinished", None, None)
    assert call.charged is not None
    assert call.charged.output == 400
    totals = there.log.totals
    assert (totals.uncertain, totals.cost) == (1, None)
    assert totals.charged_cost == pytest.approx((400 + call.charged.input) / 1e6)
    # what may have been used is charged; the budget of the run stays open
    assert there.run.usage.output == 400
    assert there.run.spent() is None
    assert there.log.last == "unfinished"


def test_a_stream_is_read_to_its_end_after_the_agent_has_left(tmp_path: Path) -> None:
    words = " ".join(["word"] * 2000)
    with place(tmp_path, [Turn(words)]) as there:
        body = {"model": "m", "messages": [], "stream": True}
        with httpx.stream("POST", there.url + CHAT, json=body, headers=HEAD) as answer:
            next(answer.iter_bytes())
    (call,) = there.calls()
    assert (call.outcome, call.tokens is not None) == ("answered", True)


def test_what_is_only_held_is_waited_for_and_not_used_up(tmp_path: Path) -> None:
    script = [Turn("one", pause_s=0.5), Turn("two")]
    with place(tmp_path, script, run=Budget(output_tokens=10_000, calls=2)) as there:
        answers: list[int] = []
        first = threading.Thread(target=lambda: answers.append(there.post().status_code))
        first.start()
        while there.run.calls == 0:
            time.sleep(0.01)
        assert there.run.spent() is None
        answers.append(there.post().status_code)
        first.join()
        assert answers == [200, 200]
        assert there.run.spent() == "the budget of 2 calls is used up"
        assert there.post().status_code == 403
    assert there.log.run_refused


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("status:501", "provider_error"),
        ("status:524", "provider_error"),
        ("status:302", "provider_error"),
        ("status:422", "rejected"),
    ],
)
def test_only_what_blames_the_caller_is_the_callers(
    tmp_path: Path, fault: str, outcome: str
) -> None:
    with place(tmp_path, [Turn(fault=fault)]) as there:
        there.post()
    assert [call.outcome for call in there.calls()] == [outcome]


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("server_error", "provider_error"),
        ("rate_limit_exceeded", "provider_error"),
        ("invalid_prompt", "rejected"),
    ],
)
def test_a_stream_may_say_that_it_failed(tmp_path: Path, code: str, outcome: str) -> None:
    with place(tmp_path, [Turn(fault=f"failed:{code}")], protocol="openai-responses") as there:
        there.post("/v1/responses", input="x", stream=True)
    (call,) = there.calls()
    assert call.outcome == outcome
    assert code in str(call.detail)


def test_calls_that_are_refused_fill_no_disk(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()]) as there, httpx.Client(timeout=30) as client:
        data = json.dumps({"model": "other", "padding": "x" * 2000}).encode()
        for _ in range(MOST_REFUSED + 20):
            client.post(there.url + CHAT, content=data, headers=HEAD)
    assert there.log.totals.refused == MOST_REFUSED + 20
    assert len(there.calls()) == MOST_REFUSED
    assert there.log.path.stat().st_size < 1000 * MOST_REFUSED


def test_idle_connections_keep_nobody_out(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()]) as there, contextlib.ExitStack() as stack:
        port = int(there.url.rpartition(":")[2])
        for _ in range(MOST_CONNECTIONS - 20):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert there.post().status_code == 200
        for _ in range(100):
            with contextlib.suppress(OSError):
                stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        time.sleep(0.2)
        stack.close()
        time.sleep(0.2)
        assert there.post().status_code == 200


def test_a_stream_is_cut_in_time_that_grows_with_its_length() -> None:
    piece = b"data: " + b"x" * 50 + b"\n\n"

    def seconds(count: int) -> float:
        cutter, start = EventCutter(), time.process_time()
        assert sum(1 for _ in cutter.feed(piece * count)) == count
        return time.process_time() - start

    seconds(100)
    assert seconds(32_000) < 16 * max(seconds(8_000), 0.01)


@pytest.mark.parametrize("cut", range(1, 12))
def test_an_end_that_is_cut_in_two_is_seen(cut: int) -> None:
    data = b"data: a\r\n\r\ndata: b\n\n"
    cutter = EventCutter()
    events = [e for part in (data[:cut], data[cut:]) for e in cutter.feed(part)]
    assert [event.data for event in events] == ["a", "b"]
    assert cutter.rest == b""


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ([Turn(fault="status:429", retry_after="0"), Turn("yes")], None),
        ([Turn(fault="status:503", retry_after="0"), Turn("yes")], None),
        ([Turn(fault="status:400")], None),
        ([Turn(fault="status:401")], "status 401"),
        ([Turn(fault="malformed")], "status 200, not JSON"),
    ],
)
def test_an_upstream_is_asked_whether_it_answers(script: list[Turn], fault: str | None) -> None:
    with scripted_upstream(script) as upstream:
        table = ProfileTable(base_url=upstream.url, protocol="openai-chat", model="m")
        assert ask_once(Profile("p", table)).fault == fault
        assert upstream.seen[0]["max_completion_tokens"] == 16
