"""A command-line agent at work: started without a person, watched, its own log kept."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from referee.agent.gateway.dialect import WireProtocol
from referee.agent.gateway.usage import Usage, is_countable
from referee.agent.launch import HOME, KINDS, LAUNCH, Kind
from referee.agent.link import run_watched
from referee.agent.protocol import AgentReport, Session
from referee.record.fault import Infrastructure
from referee.sandbox.protocol import Mount

_LARGEST_LOG = 64 << 20


@dataclass(frozen=True)
class CliAgent:
    """One of `launch.KINDS`, at the version of its layer; `content` is what it was installed from,
    by hash."""

    name: str
    version: str
    mounts: tuple[Mount, ...]
    content: str = ""
    needs_model: bool = True

    @property
    def settings(self) -> Mapping[str, str]:
        return {"content": self.content, "launch": LAUNCH}

    @property
    def protocols(self) -> tuple[WireProtocol, ...]:
        return self._kind.protocols

    @property
    def needs_tools(self) -> bool:
        """Whether its model must be able to call tools."""
        return self._kind.needs_tools

    @property
    def memory_mb(self) -> int:
        return self._kind.memory_mb

    @property
    def reserve_mb(self) -> int:
        """Address space that it reserves beside its memory, and does not use."""
        return self._kind.reserve_mb

    @property
    def _kind(self) -> Kind:
        return KINDS[self.name]

    def work(self, session: Session) -> AgentReport:
        if session.model is None:
            raise Infrastructure("internal_error", f"{self.name} was started without a model")
        start = self._kind.launch(session.model, session.instruction)
        for path, data in start.files.items():
            session.sandbox.write(path, data)
        env = {"HOME": HOME, **start.env}
        done, stopped = run_watched(
            session.sandbox, session.model, start.argv, env, session.timeout_s
        )
        (session.logs / "stdout.log").write_bytes(done.stdout)
        (session.logs / "stderr.log").write_bytes(done.stderr)
        logs: dict[str, bytes] = {}
        for path, name in start.logs.items():
            with contextlib.suppress(OSError):
                logs[name] = session.sandbox.read(path, max_bytes=_LARGEST_LOG)
                (session.logs / name).write_bytes(logs[name])
        told = _told(self._kind, done.stdout, logs)
        return AgentReport(done.ended, done.exit_code, done.wall_s, told=told, stopped=stopped)


def _told(kind: Kind, stdout: bytes, logs: Mapping[str, bytes]) -> Usage | None:
    """What the agent says of its own use; it may say anything, so nothing depends on it."""
    try:
        told = kind.told(stdout, logs)
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return None
    return told if told is not None and is_countable(told) else None
