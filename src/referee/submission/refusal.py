"""Why a submission was turned away: a closed list of reasons, and the path that caused it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "already_exists",
    "ambiguous_context",
    "bad_path",
    "binary",
    "binary_without_data",
    "build_output",
    "compiled_code",
    "context_mismatch",
    "device",
    "forbidden_name",
    "hard_link",
    "line_endings",
    "malformed_patch",
    "missing_file",
    "outside_writable",
    "overlay_metadata",
    "path_conflict",
    "special_file",
    "submodule",
    "symlink",
    "too_large",
    "too_many_files",
    "unreadable",
]
"""Every reason for which a submission can be refused."""

_SHOWN = 240


def shown(path: str) -> str:
    """`path` in printable characters, short enough for a message; lone surrogates are escaped."""
    text = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in path
    )
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason, the path in printable form (None when no path is to blame) and one sentence."""

    reason: Reason
    path: str | None
    detail: str


class Refused(Exception):
    """Carries a `Refusal` from the depth of this room to its door; it never leaves the room."""

    def __init__(self, reason: Reason, path: str | None, detail: str):
        self.refusal = Refusal(reason, None if path is None else shown(path), detail)
        super().__init__(f"{reason}: {path!r}: {detail}")
