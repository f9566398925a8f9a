"""The gateway against a scripted upstream: passed on, bounded, counted and written down."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from referee.agent.gateway.app import Access
from referee.agent.gateway.budget import Budget, Meter
from referee.agent.gateway.exchange import CallLog
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.server import serving
from referee.agent.profile import Profile, ProfileTable
from referee.agent.standin import Turn, Upstream, scripted_upstream
from referee.record.model_call import ModelCall

KEY = "sk-canary-5f0c2a"
TOKEN = "trial-token"
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
}
TABLE: dict[str, Any] = {"base_url": "http://h", "protocol": "openai-chat", "model": "m"}
PRICE = {"input": 2.0, "output": 10.0, "cached_input": 0.5}


class Place:
    """A gateway before a scripted upstream, and what both counted."""

    def __init__(self, upstream: Upstream, url: str, log: CallLog, trial: Meter, run: Meter):
        self.upstream, self.url, self.log, self.trial, self.run = upstream, url, log, trial, run

    def post(self, protocol: str, token: str = TOKEN, **body: Any) -> httpx.Response:
        asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **body}
        headers = {"authorization": f"Bearer {token}"}
        return httpx.post(self.url + PATHS[protocol], json=asked, headers=headers, timeout=30)

    def calls(self) -> list[ModelCall]:
        text = self.log.path.read_text()
        return [ModelCall.model_validate_json(line) for line in text.splitlines()]


@contextlib.contextmanager
def place(
    tmp_path: Path,
    script: Sequence[Turn],
    *,
    protocol: str = "openai-chat",
    budget: Budget | None = None,
    run_budget: Budget | None = None,
    price: dict[str, float] | None = None,
    **table: Any,
) -> Iterator[Place]:
    with scripted_upstream(script) as upstream:
        given = {"base_url": upstream.url, "protocol": protocol, "model": "m", **table}
        if price is not None:
            given["price"] = price
        profile = Profile("p", ProfileTable.model_validate(given), SecretStr(KEY))
        log = CallLog(tmp_path / "model-calls.jsonl", (KEY,))
        trial, run = Meter(budget or Budget()), Meter(run_budget or Budget())
        patience = Patience(retries=2, connect_s=1, idle_s=0.5, first_wait_s=0.01, longest_wait_s=1)
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with serving(Access(profile, TOKEN, trial, run, log, patience), listener):
            yield Place(upstream, url, log, trial, run)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("protocol", PATHS)
def test_an_answer_comes_through_and_is_counted(
    tmp_path: Path, protocol: str, stream: bool
) -> None:
    script = [Turn(text="four words of text", cached=7), Turn(command="echo hello")]
    with place(tmp_path, script, protocol=protocol, price=PRICE) as there:
        asked = {"stream": stream, "max_tokens": 9, "tools": [{}]}
        texts = [there.post(protocol, **asked).text for _ in range(2)]
    assert "four words of text" in texts[0]
    assert "echo hello" in texts[1]
    upstream, totals = there.upstream, there.log.totals
    assert (totals.calls, totals.answered, totals.uncounted) == (2, 2, 0)
    assert totals.tokens.input == upstream.input
    assert totals.tokens.output == upstream.output
    assert totals.tokens.cached == upstream.cached == 7
    plain = upstream.input - upstream.cached
    cost = (plain * 2.0 + upstream.cached * 0.5 + upstream.output * 10.0) / 1e6
    assert totals.cost == pytest.approx(cost, rel=1e-12)
    assert (there.trial.usage.input, there.run.usage.output) == (upstream.input, upstream.output)
    first, second = there.calls()
    assert (first.protocol, first.stream, first.outcome) == (protocol, stream, "answered")
    assert first.tries[0].status == 200
    assert "four words of text" in first.response
    assert second.number == 2


def test_the_key_stays_outside_and_the_token_opens_nothing_else(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()]) as there:
        assert there.post("openai-chat").status_code == 200
        wrong = there.post("openai-chat", token=KEY)
        assert wrong.status_code == 401
        assert there.upstream.keys == [f"Bearer {KEY}"]
        assert httpx.get(there.url + "/v1/models").status_code == 404
    assert KEY not in there.log.path.read_text()
    assert KEY not in repr(there.log)
    assert KEY not in repr(Profile("p", ProfileTable(**TABLE), SecretStr(KEY)))


@pytest.mark.parametrize("fault", ["status:400", "status:401"])
def test_a_key_in_an_error_of_the_upstream_is_not_passed_on(tmp_path: Path, fault: str) -> None:
    with place(tmp_path, [Turn(fault=fault)]) as there:
        answer = there.post("openai-chat")
    assert there.upstream.keys == [f"Bearer {KEY}"]
    assert answer.status_code != 200
    assert KEY not in answer.text + str(answer.headers)
    assert KEY not in there.log.path.read_text()


def test_other_models_and_what_is_no_request_are_refused(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()], also=("small",)) as there:
        assert there.post("openai-chat", model="small").status_code == 200
        refused = there.post("openai-chat", model="dearest")
        assert refused.status_code == 403
        assert "allowed: m, small" in refused.json()["error"]["message"]
        headers = {"authorization": f"Bearer {TOKEN}"}
        bad = httpx.post(there.url + PATHS["openai-chat"], content=b"{", headers=headers)
        assert bad.status_code == 400
    assert there.upstream.taken == 1
    assert [call.outcome for call in there.calls()] == ["answered", "refused", "refused"]


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(calls=2), "2 calls"),
        (Budget(input_tokens=10), "10 input tokens"),
        (Budget(output_tokens=3), "3 output tokens"),
        (Budget(cost=1e-5), "1e-05 dollars"),
        (Budget(wall_s=0.0), "0 seconds"),
    ],
    ids=["calls", "input", "output", "cost", "wall"],
)
@pytest.mark.parametrize("whose", ["trial", "run"])
def test_a_budget_that_is_used_up_lets_no_call_through(
    tmp_path: Path, budget: Budget, reason: str, whose: str
) -> None:
    with place(
        tmp_path,
        [Turn(text="a b c d e")],
        price=PRICE,
        budget=budget if whose == "trial" else None,
        run_budget=budget if whose == "run" else None,
    ) as there:
        answers = [there.post("openai-chat") for _ in range(4)]
    refused = [answer for answer in answers if answer.status_code == 403]
    assert refused == answers[-len(refused) :]
    assert len(refused) >= 2
    message = refused[0].json()["error"]["message"]
    assert message.startswith(f"this {whose}: ")
    assert reason in message


def test_the_output_of_a_call_is_bounded_by_what_is_left(tmp_path: Path) -> None:
    with place(tmp_path, [Turn(text="a b c")], budget=Budget(output_tokens=6)) as there:
        for asked in ({"max_tokens": 100}, {}, {}):
            there.post("openai-chat", **asked)
    first, second = there.upstream.seen
    assert first["max_tokens"] == 6
    assert second["max_completion_tokens"] == 2


def test_the_sampling_of_the_profile_holds_whatever_the_agent_asks(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()], sampling={"temperature": 0.0, "seed": 5}) as there:
        there.post("openai-chat", temperature=1.5)
    (seen,) = there.upstream.seen
    assert (seen["temperature"], seen["seed"]) == (0.0, 5)


def test_further_fields_of_the_profile_go_on_with_every_request(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()], extra={"reasoning_effort": "low"}) as there:
        there.post("openai-chat", reasoning_effort="high")
    (seen,) = there.upstream.seen
    assert seen["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [
        ([Turn(fault="status:429", retry_after="0"), Turn()], "answered"),
        ([Turn(fault="status:503"), Turn(fault="status:529"), Turn()], "answered"),
        ([Turn(fault="malformed"), Turn()], "answered"),
        ([Turn(fault="empty"), Turn()], "answered"),
        ([Turn(fault="hang"), Turn()], "answered"),
        ([Turn(fault="status:500")], "provider_error"),
        ([Turn(fault="hang")], "provider_error"),
        ([Turn(fault="status:401")], "provider_error"),
        ([Turn(fault="status:400")], "rejected"),
    ],
    ids=["429", "503", "malformed", "empty", "hang", "dead", "silent", "key", "rejected"],
)
def test_faults_of_the_upstream_are_tried_again_within_limits(
    tmp_path: Path, faults: list[Turn], outcome: str
) -> None:
    with place(tmp_path, faults) as there:
        answer = there.post("openai-chat")
    (call,) = there.calls()
    assert call.outcome == outcome
    expected = {"answered": 200, "provider_error": 502, "rejected": 400}
    assert answer.status_code == call.status == expected[outcome]
    assert len(call.tries) == there.upstream.taken <= 3
    assert there.log.last == outcome
    if outcome == "provider_error":
        assert answer.json()["error"]["message"].startswith("the model cannot be reached")


@pytest.mark.parametrize("protocol", PATHS)
def test_a_stream_that_breaks_off_ends_with_an_error_and_is_no_answer(
    tmp_path: Path, protocol: str
) -> None:
    with place(tmp_path, [Turn(fault="break")], protocol=protocol) as there:
        answer = there.post(protocol, stream=True)
    assert "broke off" in answer.text.splitlines()[-2] + answer.text
    (call,) = there.calls()
    assert call.outcome == "provider_error"
    assert call.detail == "the stream ended before the answer did"


def test_a_dead_endpoint_is_a_provider_error(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()], base_url="http://127.0.0.1:9") as there:
        assert there.post("openai-chat").status_code == 502
    (call,) = there.calls()
    assert call.outcome == "provider_error"
    assert [t.error is not None for t in call.tries] == [True, True, True]


def test_an_unknown_price_gives_no_cost_and_holds_no_budget_of_dollars(tmp_path: Path) -> None:
    with place(tmp_path, [Turn()], budget=Budget(cost=1.0)) as there:
        assert there.post("openai-chat").status_code == 200
        refused = there.post("openai-chat")
    assert refused.status_code == 403
    assert "price of a call is not known" in refused.text
    assert there.log.totals.cost is None


def test_calls_that_the_upstream_does_not_count_are_said_to_be_uncounted(tmp_path: Path) -> None:
    with place(tmp_path, [Turn(fault="uncounted")], budget=Budget(input_tokens=100)) as there:
        assert there.post("openai-chat").status_code == 200
        assert "does not count tokens" in there.post("openai-chat").text
    first, _second = there.calls()
    assert first.tokens is None
    assert there.log.totals.uncounted == 1


def test_a_client_that_leaves_is_counted_to_the_end(tmp_path: Path) -> None:
    script = [Turn(text="word " * 50)]
    with place(tmp_path, script) as there:
        body = {"model": "m", "messages": [], "stream": True}
        headers = {"authorization": f"Bearer {TOKEN}"}
        url = there.url + PATHS["openai-chat"]
        with httpx.stream("POST", url, json=body, headers=headers) as answer:
            next(answer.iter_bytes())
        for _ in range(200):
            if there.log.totals.calls:
                break
            there.post("openai-chat", token="wait")
    assert there.log.totals.tokens.output == there.upstream.output > 0


def test_streams_arrive_as_they_were_sent(tmp_path: Path) -> None:
    with place(tmp_path, [Turn(text="x")]) as there:
        lines = there.post("openai-chat", stream=True).text.strip().split("\n\n")
    assert lines[-1] == "data: [DONE]"
    usage = json.loads(lines[-2].removeprefix("data: "))["usage"]
    assert usage["prompt_tokens"] == there.upstream.input


def test_calls_that_overlap_have_numbers_of_their_own(tmp_path: Path) -> None:
    with place(tmp_path, [Turn("slow", pause_s=0.3)]) as there, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _n: there.post("openai-chat"), range(4)))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert sorted(call.number for call in there.calls()) == [1, 2, 3, 4]
    assert there.trial.usage.output == there.upstream.output


def test_a_defect_of_the_gateway_settles_what_it_admitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_args: object) -> object:
        raise RuntimeError("a defect")

    monkeypatch.setattr("referee.agent.gateway.app.ask", broken)
    with place(tmp_path, [Turn()], budget=Budget(output_tokens=10)) as there:
        assert there.post("openai-chat", max_tokens=10).status_code == 502
        assert there.trial.spent() is None
    (call,) = there.calls()
    assert (call.outcome, call.detail) == ("provider_error", "the gateway failed (RuntimeError)")
