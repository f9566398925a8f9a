"""How a trial grading by an author differs from the one that makes scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Variation:
    """Another order of the checks, other environment variables (on both sides of the wall), and
    lower limits in seconds. A run never has one: it is for finding checks that depend on any.

    `pass1_only` looks at what Pass@1 needs and no further: no public check, and regression checks
    only if every private check passed. The other checks come back as missing. `sensible` asks an
    artifact for what a sensible baseline reaches, where its task says so, not for the requirement.
    """

    order: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    call_timeout_s: float | None = None
    timeout_s: float | None = None
    pass1_only: bool = False
    sensible: bool = False

    def call_timeout(self, limit: float) -> float:
        """The limit of one call, never above the task's."""
        return limit if self.call_timeout_s is None else min(limit, self.call_timeout_s)

    def timeout(self, limit: float) -> float:
        """The limit of one phase, never above the task's."""
        return limit if self.timeout_s is None else min(limit, self.timeout_s)


PLAIN = Variation()
