"""Conversations in the words of two protocols: Chat Completions and Messages.

Sources: the public API references of OpenAI and Anthropic.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from referee.judge.conversation import Call, Conversation, Said, Turn, Unavailable
from referee.judge.tools import TOOLS

Body = dict[str, Any]
_BLANK = "(nothing)"


def chat_body(talk: Conversation, *, final: bool) -> Body:
    """A request of Chat Completions, without model and bounds."""
    messages: list[Body] = [{"role": "system", "content": talk.system}]
    for turn in talk.turns:
        messages += _chat_messages(turn)
    body: Body = {"messages": messages}
    body["tools"] = [{"type": "function", "function": dict(tool)} for tool in TOOLS]
    body["tool_choice"] = "none" if final else "auto"
    return body


def _chat_messages(turn: Turn) -> list[Body]:
    if isinstance(turn, str):
        return [{"role": "user", "content": turn}]
    if not isinstance(turn, Said):
        return [{"role": "tool", "tool_call_id": r.call.id, "content": r.shown} for r in turn]
    message: Body = {"role": "assistant", "content": turn.text or _BLANK}
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments or {})},
            }
            for call in turn.calls
        ]
    return [message]


def chat_said(body: Mapping[str, Any]) -> Said:
    """What was said in an answer of Chat Completions.

    Raises:
        Unavailable: the answer is an error, or in no form that the protocol has.
    """
    if body.get("error"):
        raise Unavailable("the answer is an error")
    try:
        choices = body["choices"]
        if not choices:
            return Said("")
        message = choices[0]["message"]
        calls = tuple(
            Call(str(c["id"]), str(c["function"]["name"]), _object(c["function"]["arguments"]))
            for c in message.get("tool_calls") or ()
        )
        content = message.get("content")
        return Said(content if isinstance(content, str) else "", calls)
    except (KeyError, TypeError, AttributeError, IndexError):
        raise Unavailable("the answer is not a chat completion") from None


def messages_body(talk: Conversation, *, final: bool) -> Body:
    """A request of Messages, without model and bounds."""
    body: Body = {"system": talk.system, "messages": [_message(turn) for turn in talk.turns]}
    body["tools"] = [
        {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
        for t in TOOLS
    ]
    body["tool_choice"] = {"type": "none" if final else "auto"}
    return body


def _message(turn: Turn) -> Body:
    if isinstance(turn, str):
        return {"role": "user", "content": turn}
    if not isinstance(turn, Said):
        results = [
            {"type": "tool_result", "tool_use_id": r.call.id, "content": r.shown} for r in turn
        ]
        return {"role": "user", "content": results}
    blocks: list[Body] = [{"type": "text", "text": turn.text or _BLANK}]
    blocks += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": dict(c.arguments or {})}
        for c in turn.calls
    ]
    return {"role": "assistant", "content": blocks}


def messages_said(body: Mapping[str, Any]) -> Said:
    """What was said in an answer of Messages; raises as `chat_said`."""
    if body.get("type") == "error" or body.get("error"):
        raise Unavailable("the answer is an error")
    try:
        blocks = body["content"]
        text = "".join(str(b["text"]) for b in blocks if b["type"] == "text")
        calls = tuple(
            Call(str(b["id"]), str(b["name"]), b["input"] if isinstance(b["input"], dict) else None)
            for b in blocks
            if b["type"] == "tool_use"
        )
        return Said(text, calls)
    except (KeyError, TypeError, AttributeError):
        raise Unavailable("the answer is not a message") from None


def _object(text: Any) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
