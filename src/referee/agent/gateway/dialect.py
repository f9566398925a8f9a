"""The three wire protocols: where a call goes, how it is bounded, and what an answer counts.

Sources: the public API references of OpenAI (Chat Completions, Responses) and Anthropic (Messages).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from referee.agent.gateway.events import Event
from referee.agent.gateway.usage import Usage, chat_usage, messages_usage, responses_usage

WireProtocol = Literal["openai-chat", "openai-responses", "anthropic-messages"]
Body = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """One protocol. `path` is below the base URL; `bounds` are the fields of a request that limit
    its output, the first of which is set where there is none; `usage` reads a whole answer;
    `streamed` adds what an event of a stream tells to what is known; `last` says whether an event
    ends an answer, and `fault` what went wrong where one says so; `refusal` writes an error as a
    client of the protocol expects it."""

    name: WireProtocol
    path: str
    bounds: tuple[str, ...]
    usage: Callable[[Mapping[str, Any]], Usage | None]
    streamed: Callable[[Usage | None, Event], Usage | None]
    last: Callable[[Event], bool]
    fault: Callable[[Event], str | None]
    refusal: Callable[[int, str, str], Body]
    key_header: str = "authorization"

    def key_headers(self, key: str) -> dict[str, str]:
        """Headers that carry the key to the upstream."""
        if self.key_header == "authorization":
            return {"authorization": f"Bearer {key}"}
        return {self.key_header: key, "anthropic-version": "2023-06-01"}


def parsed(event: Event) -> Mapping[str, Any]:
    """The JSON object that an event holds; empty if it holds none."""
    try:
        value = json.loads(event.data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _chat_streamed(known: Usage | None, event: Event) -> Usage | None:
    return chat_usage(parsed(event).get("usage")) or known


def _chat_last(event: Event) -> bool:
    return event.data.strip() == "[DONE]"


def _responses_usage(body: Mapping[str, Any]) -> Usage | None:
    return responses_usage(body.get("usage"))


_ENDS = ("response.completed", "response.incomplete", "response.failed")


def _responses_streamed(known: Usage | None, event: Event) -> Usage | None:
    value = parsed(event)
    if value.get("type") not in _ENDS or not isinstance(value.get("response"), dict):
        return known
    return responses_usage(value["response"].get("usage")) or known


def _responses_last(event: Event) -> bool:
    return parsed(event).get("type") in _ENDS


def _messages_streamed(known: Usage | None, event: Event) -> Usage | None:
    value = parsed(event)
    if value.get("type") == "message_start" and isinstance(value.get("message"), dict):
        return messages_usage(value["message"].get("usage")) or known
    if value.get("type") != "message_delta" or not isinstance(value.get("usage"), dict):
        return known
    return _messages_total(known or Usage(), value["usage"])


def _messages_total(known: Usage, delta: Mapping[str, Any]) -> Usage:
    """Counts of a `message_delta` are totals; what it leaves out stays as `message_start` said."""
    start = {
        "input_tokens": known.input - known.cached - known.cache_written,
        "cache_read_input_tokens": known.cached,
        "cache_creation_input_tokens": known.cache_written,
        "output_tokens": known.output,
    }
    told = {name: delta[name] for name in start if isinstance(delta.get(name), int)}
    return messages_usage(start | told) or known


def _messages_last(event: Event) -> bool:
    return parsed(event).get("type") == "message_stop"


_PROVIDERS = re.compile(
    r"server_error|rate_limit\w*|overloaded\w*|api_error|timeout\w*|server_overloaded|internal\w*",
    re.IGNORECASE,
)
"""Kinds of faults that are the provider's; others blame what was asked."""


def is_providers(fault: str) -> bool:
    """Whether a fault that a stream told is the provider's own."""
    return not fault or _PROVIDERS.fullmatch(fault) is not None


def _error_kind(error: object) -> str:
    """Code or type of an error object; empty if it says neither."""
    found = error if isinstance(error, dict) else {}
    return str(found.get("code") or found.get("type") or "")[:100]


def _chat_fault(event: Event) -> str | None:
    value = parsed(event)
    return _error_kind(value["error"]) if value.get("error") else None


def _responses_fault(event: Event) -> str | None:
    value = parsed(event)
    if value.get("type") == "error":
        return _error_kind(value.get("error") or {"code": value.get("code")})
    if value.get("type") != "response.failed":
        return None
    response = value.get("response")
    return _error_kind(response.get("error") if isinstance(response, dict) else None)


def _messages_fault(event: Event) -> str | None:
    value = parsed(event)
    return _error_kind(value.get("error")) if value.get("type") == "error" else None


def _openai_refusal(_status: int, kind: str, message: str) -> Body:
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def _anthropic_refusal(_status: int, kind: str, message: str) -> Body:
    return {"type": "error", "error": {"type": kind, "message": message}}


DIALECTS: Mapping[WireProtocol, Dialect] = {
    "openai-chat": Dialect(
        name="openai-chat",
        path="/v1/chat/completions",
        bounds=("max_completion_tokens", "max_tokens"),
        usage=lambda body: chat_usage(body.get("usage")),
        streamed=_chat_streamed,
        last=_chat_last,
        fault=_chat_fault,
        refusal=_openai_refusal,
    ),
    "openai-responses": Dialect(
        name="openai-responses",
        path="/v1/responses",
        bounds=("max_output_tokens",),
        usage=_responses_usage,
        streamed=_responses_streamed,
        last=_responses_last,
        fault=_responses_fault,
        refusal=_openai_refusal,
    ),
    "anthropic-messages": Dialect(
        name="anthropic-messages",
        path="/v1/messages",
        bounds=("max_tokens",),
        usage=lambda body: messages_usage(body.get("usage")),
        streamed=_messages_streamed,
        last=_messages_last,
        fault=_messages_fault,
        refusal=_anthropic_refusal,
        key_header="x-api-key",
    ),
}
"""By name. The path is also where the gateway listens; a base URL that ends in `/v1` counts as
one without it."""


def upstream_url(base: str, dialect: Dialect) -> str:
    """Where a call goes: providers give their base URL with and without `/v1`."""
    return base.rstrip("/").removesuffix("/v1") + dialect.path
