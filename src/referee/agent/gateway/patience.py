"""How long an upstream is waited for; apart from what needs an HTTP client."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How long an upstream is waited for. `idle_s` is the longest silence within an answer."""

    retries: int = 4
    connect_s: float = 10.0
    idle_s: float = 120.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
