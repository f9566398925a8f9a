"""What was said in a recorded call, in one form for all protocols: for transcripts.

What an agent or an upstream sent may be anything; what cannot be understood is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from referee.agent.gateway.events import EventCutter
from referee.record.model_call import ModelCall

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """A tool call of a model."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What a model answered."""

    text: str = ""
    reasoning: str = ""
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True)
class Said:
    """A message of a request: by the system, the user, or a tool (`call` is what it answers)."""

    role: Literal["system", "user", "tool"]
    text: str
    call: str | None = None


def reply_of(call: ModelCall) -> Reply:
    """What the model answered in a call; empty if it did not."""
    events = [_json(event.data) for event in EventCutter().feed(call.response.encode())]
    whole = _json(call.response) if not call.stream else {}
    if call.protocol == "openai-chat":
        return _chat_reply(events if call.stream else [_as_chunk(whole)])
    if call.protocol == "openai-responses":
        return _responses_reply(_final_response(events) if call.stream else whole)
    return _messages_reply(_blocks(events) if call.stream else _rows(whole.get("content")))


def said_in(call: ModelCall) -> tuple[Said, ...]:
    """The messages of a call's request that are not the model's own."""
    body = call.request if isinstance(call.request, dict) else {}
    if call.protocol == "openai-chat":
        return tuple(_chat_said(body))
    if call.protocol == "openai-responses":
        return tuple(_responses_said(body))
    return tuple(_messages_said(body))


# -- Chat Completions


def _as_chunk(whole: Table) -> Table:
    """A whole answer as a stream of one piece."""
    choices = [
        {**row, "delta": row.get("message") or {}, "index": row.get("index", n)}
        for n, row in enumerate(_rows(whole.get("choices")))
    ]
    return {"choices": choices}


def _chat_reply(chunks: Sequence[Table]) -> Reply:
    text, reasoning = [], []
    calls: dict[int, dict[str, str]] = {}
    deltas = [
        _table(row.get("delta"))
        for chunk in chunks
        for row in _rows(chunk.get("choices"))
        if row.get("index", 0) == 0
    ]
    for delta in deltas:
        text.append(_text(delta.get("content")))
        reasoning.append(_text(delta.get("reasoning_content") or delta.get("reasoning")))
        for n, part in enumerate(_rows(delta.get("tool_calls"))):
            index = part.get("index", n)
            made = calls.setdefault(index if isinstance(index, int) else n, _EMPTY.copy())
            function = _table(part.get("function"))
            made["id"] = _text(part.get("id")) or made["id"]
            made["name"] += _text(function.get("name"))
            made["arguments"] += _text(function.get("arguments"))
    asked = tuple(_asked(c["id"], c["name"], c["arguments"]) for _n, c in sorted(calls.items()))
    return Reply("".join(text), "".join(reasoning), asked)


_EMPTY = {"id": "", "name": "", "arguments": ""}


def _chat_said(body: Table) -> Iterator[Said]:
    for row in _rows(body.get("messages")):
        role = row.get("role")
        text = _text(row.get("content"))
        if role in ("system", "developer"):
            yield Said("system", text)
        elif role == "user":
            yield Said("user", text)
        elif role == "tool":
            yield Said("tool", text, _text(row.get("tool_call_id")))


# -- Responses


def _final_response(events: Sequence[Table]) -> Table:
    found = [_table(event.get("response")) for event in events if "response" in event]
    output = [
        _table(event.get("item"))
        for event in events
        if event.get("type") == "response.output_item.done"
    ]
    last = found[-1] if found else {}
    return last if _rows(last.get("output")) else {"output": output}


def _responses_reply(response: Table) -> Reply:
    text, reasoning, asked = [], [], []
    for item in _rows(response.get("output")):
        kind = item.get("type")
        if kind == "message":
            text.append(_text(item.get("content")))
        elif kind == "reasoning":
            reasoning.append(_text(item.get("summary")) or _text(item.get("content")))
        elif kind in ("function_call", "custom_tool_call"):
            written = item.get("arguments", item.get("input"))
            asked.append(
                _asked(_text(item.get("call_id")), _text(item.get("name")), _text(written))
            )
        elif kind == "local_shell_call":
            action = dict(_table(item.get("action")))
            asked.append(Asked(_text(item.get("call_id")), "local_shell", action))
    return Reply("".join(text), "\n".join(filter(None, reasoning)), tuple(asked))


def _responses_said(body: Table) -> Iterator[Said]:
    if isinstance(body.get("instructions"), str):
        yield Said("system", body["instructions"])
    if isinstance(body.get("input"), str):
        yield Said("user", body["input"])
        return
    for item in _rows(body.get("input")):
        kind, role = item.get("type", "message"), item.get("role")
        if isinstance(kind, str) and kind.endswith("_output"):
            yield Said("tool", _text(item.get("output")), _text(item.get("call_id")))
        elif kind == "message" and role in ("system", "developer"):
            yield Said("system", _text(item.get("content")))
        elif kind == "message" and role == "user":
            yield Said("user", _text(item.get("content")))


# -- Messages


def _blocks(events: Sequence[Table]) -> list[Table]:
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        index = event.get("index")
        if not isinstance(index, int):
            continue
        if event.get("type") == "content_block_start":
            blocks[index] = {**_table(event.get("content_block")), "json": ""}
        elif event.get("type") == "content_block_delta" and index in blocks:
            delta, block = _table(event.get("delta")), blocks[index]
            for name in ("text", "thinking"):
                if name in delta:
                    block[name] = _text(block.get(name)) + _text(delta[name])
            block["json"] += _text(delta.get("partial_json"))
    return [
        {**block, "input": _json(block["json"]) or block.get("input")}
        for _n, block in sorted(blocks.items())
    ]


def _messages_reply(blocks: Sequence[Table]) -> Reply:
    text = [_text(b.get("text")) for b in blocks if b.get("type") == "text"]
    thought = [_text(b.get("thinking")) for b in blocks if b.get("type") == "thinking"]
    asked = tuple(
        Asked(_text(b.get("id")), _text(b.get("name")), dict(_table(b.get("input"))))
        for b in blocks
        if b.get("type") == "tool_use"
    )
    return Reply("".join(text), "\n".join(filter(None, thought)), asked)


def _messages_said(body: Table) -> Iterator[Said]:
    if body.get("system"):
        yield Said("system", _text(body["system"]))
    for row in _rows(body.get("messages")):
        if row.get("role") != "user":
            continue
        content = row.get("content")
        results = [b for b in _rows(content) if b.get("type") == "tool_result"]
        for block in results:
            yield Said("tool", _text(block.get("content")), _text(block.get("tool_use_id")))
        rest = (
            content
            if isinstance(content, str)
            else [b for b in _rows(content) if b.get("type") != "tool_result"]
        )
        if _text(rest):
            yield Said("user", _text(rest))


# -- what may be anything


def _asked(id_: str, name: str, arguments: str) -> Asked:
    value = _json(arguments)
    return Asked(id_, name, dict(value) if value or not arguments else {"text": arguments})


def _json(text: object) -> Table:
    try:
        value = json.loads(text) if isinstance(text, str) and text.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _table(value: object) -> Table:
    return value if isinstance(value, dict) else {}


def _rows(value: object) -> list[Table]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    return "".join(_text(row.get("text")) for row in _rows(value))
