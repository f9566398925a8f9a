"""What an agent is: a program that works in a workspace, seen from the trusted side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from referee.agent.gateway.dialect import WireProtocol
from referee.agent.gateway.usage import Usage
from referee.agent.link import ModelLink
from referee.sandbox.protocol import Ended, Mount, Sandbox


@dataclass(frozen=True)
class Session:
    """What one trial gives its agent. `logs` is a folder of the record, outside the sandbox;
    `timeout_s` is the wall-clock time that the agent may use. `model` is there for agents that
    speak a protocol."""

    task: str
    sandbox: Sandbox
    instruction: str
    timeout_s: float
    logs: Path
    model: ModelLink | None = None


@dataclass(frozen=True)
class AgentReport:
    """How the agent ended. `patch` is what it hands in, when that is not the workspace itself;
    `told` are the tokens that the agent itself says it used, `stopped` why it was ended early."""

    ended: Ended
    exit_code: int | None
    wall_s: float
    patch: bytes | None = None
    told: Usage | None = None
    stopped: str | None = None


class Agent(Protocol):
    """`settings` are the facts that make two agents of one name different arms; `mounts` are
    read-only files that the agent brings into its sandbox; `protocols` are those in which it can
    speak with a model, and `needs_model` says that it cannot do without; `memory_mb` it needs
    beside what it runs."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, str]: ...

    @property
    def mounts(self) -> tuple[Mount, ...]: ...

    @property
    def protocols(self) -> tuple[WireProtocol, ...]: ...

    @property
    def needs_model(self) -> bool: ...

    @property
    def memory_mb(self) -> int: ...

    def work(self, session: Session) -> AgentReport: ...
