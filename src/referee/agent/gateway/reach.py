"""What in a request would make the provider reach out for the agent: the sandbox has no network,
and tools that a provider runs, or addresses that it fetches, would be one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]

_CLIENT_TOOLS = re.compile(
    r"function|custom|local_shell|shell|apply_patch"
    r"|(?:bash|text_editor|computer|memory)(?:_\d{8}|_use_preview|_use)?"
)
"""Kinds of tools that the caller runs itself; a tool without a kind is one of Anthropic's own."""
_FIELDS = ("mcp_servers", "web_search_options", "container", "service_tier", "plugins")
_ADDRESSES = ("url", "image_url", "file_url")


def without_reach(body: Body) -> tuple[str, ...]:
    """Take the provider's own tools, and fields that have them or another price, out of a request;
    returns what was left out."""
    gone = [name for name in _FIELDS if body.pop(name, None) is not None]
    tools = body.get("tools")
    if isinstance(tools, list):
        kept = [tool for tool in tools if _is_the_callers(tool)]
        gone += sorted({str(t.get("type"))[:40] for t in tools if not _is_the_callers(t)})
        if len(kept) != len(tools):
            body["tools"] = kept
            if not kept:
                del body["tools"]
                body.pop("tool_choice", None)
    return tuple(gone)


def _is_the_callers(tool: Any) -> bool:
    if not isinstance(tool, dict):
        return True  # the upstream will say what it thinks of it
    kind = tool.get("type", "custom")
    return isinstance(kind, str) and _CLIENT_TOOLS.fullmatch(kind) is not None


def fetched_address(body: Body) -> str | None:
    """An address in the messages that the provider would fetch; None if there is none."""
    parts = (body.get("messages"), body.get("input"), body.get("system"))
    return next((text for part in parts for text in _addresses(part)), None)


def _addresses(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            for name, inside in item.items():
                if name in _ADDRESSES and isinstance(inside, str):
                    if (
                        inside.lower()
                        .lstrip()
                        .startswith(("http:", "https:", "ftp:", "gs:", "s3:"))
                    ):
                        yield inside[:100]
                elif isinstance(inside, dict | list) and name not in ("arguments", "input_schema"):
                    waiting.append(inside)
