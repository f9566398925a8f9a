"""What an agent is: a program that works in a workspace, seen from the trusted side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from referee.sandbox.protocol import Ended, Mount, Sandbox


@dataclass(frozen=True)
class Session:
    """What one trial gives its agent. `logs` is a folder of the record, outside the sandbox;
    `timeout_s` is the wall-clock time that the agent may use."""

    task: str
    sandbox: Sandbox
    instruction: str
    timeout_s: float
    logs: Path


@dataclass(frozen=True)
class AgentReport:
    """How the agent ended. `patch` is what it hands in, when that is not the workspace itself."""

    ended: Ended
    exit_code: int | None
    wall_s: float
    patch: bytes | None = None


class Agent(Protocol):
    """`settings` are the facts that make two agents of one name different arms; `mounts` are
    read-only files that the agent brings into its sandbox."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, str]: ...

    @property
    def mounts(self) -> tuple[Mount, ...]: ...

    def work(self, session: Session) -> AgentReport: ...
