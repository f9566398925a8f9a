"""A stand-in for a model provider: plays a script through all three protocols, and counts.

It is no model. Each call takes the next turn of the script (the last one again and again); what it
counts is what the gateway must have counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Body = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """What is answered: a text, a shell command as a tool call, or a fault.

    Faults: `status:N` with `retry_after`, `malformed`, `empty`, `hang`, `break` (in the middle of a
    stream), `uncounted`.
    """

    text: str = "done"
    command: str | None = None
    fault: str | None = None
    retry_after: str | None = None
    cached: int = 0
    pause_s: float = 0.0


@dataclass
class Upstream:
    """The stand-in, while it runs: its base URL, the requests that it saw and what it counted."""

    script: Sequence[Turn]
    url: str = ""
    seen: list[Body] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    input: int = 0
    output: int = 0
    cached: int = 0
    taken: int = 0
    aside: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_turn(self, body: Body, key: str) -> Turn:
        with self.lock:
            turn = self.script[min(self.taken - self.aside, len(self.script) - 1)]
            self.taken += 1
            self.seen.append(body)
            if turn.command is not None and not body.get("tools"):
                # a question beside the work, such as one for a title
                self.aside += 1
                turn = Turn("beside the work")
            self.keys.append(key)
            return turn

    def count(self, body: Body, turn: Turn) -> tuple[int, int, int]:
        """Input without the cache, output, cached."""
        plain = max(1, len(json.dumps(body)) // 4)
        made = len((turn.command or turn.text).split()) + 1
        with self.lock:
            self.input += plain + turn.cached
            self.output += made
            self.cached += turn.cached
        return plain, made, turn.cached


@contextlib.contextmanager
def scripted_upstream(script: Sequence[Turn]) -> Iterator[Upstream]:
    """The stand-in on a port of the loopback interface."""
    upstream = Upstream(script)
    routes = [
        Route(path, _endpoint(upstream, kind), methods=["POST"])
        for path, kind in (
            ("/v1/chat/completions", _chat),
            ("/v1/responses", _responses),
            ("/v1/messages", _messages),
        )
    ]
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    upstream.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        Starlette(routes=routes),
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield upstream
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def _endpoint(upstream: Upstream, kind: Any) -> Any:
    async def endpoint(request: Request) -> Response:
        body = json.loads(await request.body())
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "")
        turn = upstream.next_turn(body, key)
        fault = turn.fault or ""
        if turn.pause_s:
            await asyncio.sleep(turn.pause_s)
        if fault == "hang":
            await asyncio.sleep(60)
        if fault.startswith("status:"):
            headers = {"retry-after": turn.retry_after} if turn.retry_after else {}
            status = int(fault.removeprefix("status:"))
            return JSONResponse({"error": {"message": f"scripted, for {key}"}}, status, headers)
        if fault == "malformed":
            return Response(b'{"choices": [', media_type="application/json")
        if fault == "empty":
            return Response(b"", media_type="application/json")
        whole, events = kind(body, turn, upstream.count(body, turn))
        if body.get("stream") is True:
            return StreamingResponse(_sent(events, fault), media_type="text/event-stream")
        return JSONResponse(whole)

    return endpoint


async def _sent(events: list[bytes], fault: str) -> AsyncIterator[bytes]:
    kept = events[: len(events) // 2] if fault == "break" else events
    for event in kept:
        yield event
        await asyncio.sleep(0)


def _event(value: Body, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()


def _chat(body: Body, turn: Turn, counts: tuple[int, int, int]) -> Any:
    plain, made, cached = counts
    usage: Body | None = {
        "prompt_tokens": plain + cached,
        "completion_tokens": made,
        "total_tokens": plain + cached + made,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    if turn.fault == "uncounted":
        usage = None
    calls = []
    if turn.command is not None:
        arguments = json.dumps({"command": turn.command})
        calls = [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "bash", "arguments": arguments},
            }
        ]
    message: Body = {"role": "assistant", "content": turn.text}
    message |= {"tool_calls": calls} if calls else {}
    reason = "tool_calls" if calls else "stop"
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
    whole: Body = {
        **head,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }
    head["object"] = "chat.completion.chunk"
    deltas: list[Body] = [{"role": "assistant", "content": ""}, {"content": turn.text}]
    if calls:
        deltas.append({"tool_calls": [{"index": 0, **calls[0]}]})
    events = [
        _event({**head, "choices": [{"index": 0, "delta": d, "finish_reason": None}]})
        for d in deltas
    ]
    events.append(_event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
    if (body.get("stream_options") or {}).get("include_usage") and usage:
        events.append(_event({**head, "choices": [], "usage": usage}))
    return whole, [*events, b"data: [DONE]\n\n"]


def _responses(body: Body, turn: Turn, counts: tuple[int, int, int]) -> Any:
    plain, made, cached = counts
    usage = {
        "input_tokens": plain + cached,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": plain + cached + made,
    }
    if turn.command is not None:
        item: Body = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "exec_command",
            "arguments": json.dumps({"cmd": turn.command}),
            "status": "completed",
        }
    else:
        item = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": turn.text, "annotations": []}],
        }
    whole: Body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body["model"],
        "output": [item],
        "usage": None if turn.fault == "uncounted" else usage,
    }
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    if (turn.fault or "").startswith("failed:"):
        code = str(turn.fault).removeprefix("failed:")
        failed = {**begun, "status": "failed", "error": {"code": code, "message": "scripted"}}
        value: Body = {"type": "response.failed", "sequence_number": 0, "response": failed}
        return failed, [_event(value, "response.failed")]
    events: list[tuple[str, Body]] = [
        ("response.created", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": item}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    return whole, [
        _event({"type": name, "sequence_number": n, **value}, name)
        for n, (name, value) in enumerate(events)
    ]


def _messages(body: Body, turn: Turn, counts: tuple[int, int, int]) -> Any:
    plain, made, cached = counts
    block: Body = {"type": "text", "text": turn.text}
    if turn.command is not None:
        block = {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "Bash",
            "input": {"command": turn.command, "description": "scripted"},
        }
    reason = "end_turn" if turn.command is None else "tool_use"
    usage: Body = {
        "input_tokens": plain,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": made,
    }
    whole: Body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
    start: Body = {**whole, "content": [], "stop_reason": None}
    start["usage"] = {**usage, "output_tokens": 1}
    empty: Body = {"type": "text", "text": ""}
    delta: Body = {"type": "text_delta", "text": turn.text}
    if turn.command is not None:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    events: list[tuple[str, Body]] = [
        ("message_start", {"message": start}),
        ("content_block_start", {"index": 0, "content_block": empty}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        (
            "message_delta",
            {
                "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": {"output_tokens": made},
            },
        ),
        ("message_stop", {}),
    ]
    return whole, [_event({"type": name, **value}, name) for name, value in events]
