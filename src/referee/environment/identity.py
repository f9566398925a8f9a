"""Who runs inside a sandbox: never root."""

from __future__ import annotations

import os
from dataclasses import dataclass

DROPPED_ID = 64_321
"""User and group id that a sandbox gets when referee itself runs as root. No account has it, and
every writable layer of a workspace belongs to it, because an overlay refuses foreign owners."""


@dataclass(frozen=True)
class Identity:
    """Host user and group ids; `dropped` says that they differ from referee's own."""

    uid: int
    gid: int
    dropped: bool


def sandbox_identity() -> Identity:
    """The host identity of everything inside a sandbox on this machine."""
    if os.geteuid() == 0:
        return Identity(DROPPED_ID, DROPPED_ID, dropped=True)
    return Identity(os.geteuid(), os.getegid(), dropped=False)
