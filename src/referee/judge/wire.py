"""Conversations in the words of two protocols: Chat Completions and Messages.

Sources: the public API references of OpenAI and Anthropic.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from referee.judge.conversation import Call, Conversation, Result, Said, Turn, Unavailable
from referee.judge.guard import wrapped
from referee.judge.pictures import Picture
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
        told = [{"role": "tool", "tool_call_id": r.call.id, "content": r.shown} for r in turn]
        return [*told, *_chat_pictures([p for r in turn for p in r.pictures])]
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


def _chat_pictures(pictures: list[Picture]) -> list[Body]:
    """Images in words of the user: results of tools are text in this protocol."""
    content: list[Body] = []
    for one in pictures:
        content.append({"type": "text", "text": _label(one)})
        url = f"data:{one.media};base64,{one.base64}"
        content.append({"type": "image_url", "image_url": {"url": url}})
    return [{"role": "user", "content": content}] if content else []


def _label(one: Picture) -> str:
    return wrapped(f"image {one.label} sha256 {one.sha256}")


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
            {"type": "tool_result", "tool_use_id": r.call.id, "content": _content(r)} for r in turn
        ]
        return {"role": "user", "content": results}
    blocks: list[Body] = [{"type": "text", "text": turn.text or _BLANK}]
    blocks += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": dict(c.arguments or {})}
        for c in turn.calls
    ]
    return {"role": "assistant", "content": blocks}


def _content(result: Result) -> str | list[Body]:
    if not result.pictures:
        return result.shown
    blocks: list[Body] = [{"type": "text", "text": result.shown}]
    for one in result.pictures:
        source = {"type": "base64", "media_type": one.media, "data": one.base64}
        blocks += [{"type": "text", "text": _label(one)}, {"type": "image", "source": source}]
    return blocks


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
