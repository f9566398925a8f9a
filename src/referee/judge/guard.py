"""Candidate text is data: random delimiters around it, look-alike roles escaped, orders flagged."""

from __future__ import annotations

import re
import secrets

_ROLES = re.compile(
    r"<\|[^|>\n]{0,40}\|>|</?(?:system|assistant|user|tool|tool_result|function)\b[^>\n]{0,80}>"
    r"|^[ \t]*(?:system|assistant|user|tool|human)[ \t]*:|\[/?INST\]",
    re.IGNORECASE | re.MULTILINE,
)
_ORDERS = re.compile(
    r"ignore (?:all|any|the|previous|prior)\b.{0,40}(?:instruction|rule)|score (?:of )?1 for"
    r"|rubric (?:has been )?updated|you are (?:now )?the (?:judge|grader)|precheck[ _]passed"
    r"|\"evidence_access\"|report tool_error|do not (?:list|paginate|read)"
    r"|print the (?:refs|target)",
    re.IGNORECASE,
)


def wrapped(text: str) -> str:
    """Text that a candidate may have written, between delimiters that it cannot know."""
    mark = f"DATA-{secrets.token_hex(12)}"
    return f"<<<{mark}\n{escaped(text)}\n{mark}>>>"


def escaped(text: str) -> str:
    """A text in which nothing looks like a role of the conversation: a sign is put before it."""
    return _ROLES.sub(lambda found: "\N{SYMBOL FOR ESCAPE}" + found[0].replace("<", "‹"), text)


def orders_in(text: str) -> tuple[str, ...]:
    """Passages that read like instructions to a judge: reported, and never a score."""
    found = [m[0][:120] for m in _ORDERS.finditer(text)]
    found += [m[0].strip()[:120] for m in _ROLES.finditer(text)]
    return tuple(dict.fromkeys(found))[:20]
