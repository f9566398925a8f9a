"""Tokens of one model call, as the upstream counted them, in one convention for all protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Tokens. `input` is the whole prompt, with what was read from or written to a cache; `cached`
    and `cache_written` are parts of it. `output` is everything generated; `reasoning` is part of
    it. A count that the upstream does not give is 0."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.cache_written + other.cache_written,
            self.reasoning + other.reasoning,
        )


def is_countable(usage: Usage) -> bool:
    """Whether every count is one: agents may say anything of themselves."""
    return all(type(n) is int and 0 <= n < 2**53 for n in vars(usage).values())


def chat_usage(value: object) -> Usage | None:
    """`usage` of Chat Completions: `prompt_tokens` holds the cached ones, `completion_tokens` the
    reasoning. None if it is no such object."""
    return _with_details(value, "prompt_tokens", "completion_tokens")


def responses_usage(value: object) -> Usage | None:
    """`usage` of Responses: `input_tokens` holds the cached ones, `output_tokens` the reasoning."""
    return _with_details(value, "input_tokens", "output_tokens")


def _with_details(value: object, read: str, made: str) -> Usage | None:
    """Counts under two names, of which `NAME_details` tells the parts."""
    table = _table(value)
    if table is None or not _has_counts(table, read, made):
        return None
    return Usage(
        input=_count(table, read),
        output=_count(table, made),
        cached=_count(_table(table.get(f"{read}_details")), "cached_tokens"),
        reasoning=_count(_table(table.get(f"{made}_details")), "reasoning_tokens"),
    )


def messages_usage(value: object) -> Usage | None:
    """`usage` of Messages: `input_tokens` are those beside the cache, so the parts are added up."""
    table = _table(value)
    if table is None or not _has_counts(table, "input_tokens", "output_tokens"):
        return None
    cached = _count(table, "cache_read_input_tokens")
    written = _count(table, "cache_creation_input_tokens")
    return Usage(
        input=_count(table, "input_tokens") + cached + written,
        output=_count(table, "output_tokens"),
        cached=cached,
        cache_written=written,
    )


def _table(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None


def _has_counts(table: Mapping[str, Any], *names: str) -> bool:
    return all(_is_count(table.get(name)) for name in names)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count(table: Mapping[str, Any] | None, name: str) -> int:
    value = None if table is None else table.get(name)
    return value if isinstance(value, int) and _is_count(value) else 0
