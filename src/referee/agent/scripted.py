"""Agents without a model: `nop` does nothing, `oracle` writes the reference, `replay` hands in a
patch that exists already, `baseline` runs a script that the authors of a task wrote."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from referee import __version__
from referee.agent.gateway.dialect import WireProtocol
from referee.agent.protocol import AgentReport, Session
from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.protocol import ENVIRONMENT, WORKSPACE, Mount

Changes = Mapping[str, tuple[bytes, int] | None]
"""Workspace path -> (new content, mode), or None for a file that is removed."""


@dataclass(frozen=True)
class Nop:
    """The floor of every task."""

    name: str = "nop"
    version: str = __version__
    settings: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    protocols: tuple[WireProtocol, ...] = ()
    needs_model: bool = False
    memory_mb: int = 0

    def work(self, session: Session) -> AgentReport:
        done = session.sandbox.run(["true"], timeout_s=session.timeout_s)
        return AgentReport(done.ended, done.exit_code, done.wall_s)


@dataclass(frozen=True)
class Oracle:
    """The ceiling: writes the reference into the workspace as any agent would.

    `reference` gives the changes of a task by its label; it is evaluator-only knowledge, which is
    why no other agent is built with it.
    """

    reference: Callable[[str], Changes]
    name: str = "oracle"
    version: str = __version__
    settings: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    protocols: tuple[WireProtocol, ...] = ()
    needs_model: bool = False
    memory_mb: int = 0

    def work(self, session: Session) -> AgentReport:
        start = time.monotonic()
        for path, change in sorted(self.reference(session.task).items()):
            inside = f"{WORKSPACE}/{path}"
            if change is None:
                _must(session, ["rm", "-f", "--", inside])
                continue
            data, mode = change
            _must(session, ["mkdir", "-p", "--", posixpath.dirname(inside)])
            session.sandbox.write(inside, data, mode=mode)
        return AgentReport("exit", 0, time.monotonic() - start)


@dataclass(frozen=True)
class Baseline:
    """Runs the authors' own script for a task in the workspace, with the task's Python: what a
    sensible, or a trivial, piece of work comes to. The scripts are evaluator-only knowledge."""

    scripts: Mapping[str, bytes]
    digest: str
    which: str = "sensible"
    version: str = __version__
    mounts: tuple[Mount, ...] = ()
    protocols: tuple[WireProtocol, ...] = ()
    needs_model: bool = False
    memory_mb: int = 0

    @property
    def name(self) -> str:
        return "baseline" if self.which == "sensible" else f"baseline-{self.which}"

    @property
    def settings(self) -> Mapping[str, str]:
        return {"which": self.which, "scripts": self.digest}

    def work(self, session: Session) -> AgentReport:
        place = "/tmp/baseline.py"
        session.sandbox.write(place, self.scripts[session.task])
        argv = [f"{ENVIRONMENT}/bin/python", place]
        done = session.sandbox.run(argv, cwd=WORKSPACE, timeout_s=session.timeout_s)
        (session.logs / "stdout.log").write_bytes(done.stdout)
        (session.logs / "stderr.log").write_bytes(done.stderr)
        if done.ended != "exit" or done.exit_code != 0:
            told = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise Infrastructure(
                "baseline_failed", f"{self.which}.py: {done.ended} {done.exit_code} {told}"
            )
        return AgentReport(done.ended, done.exit_code, done.wall_s)


@dataclass(frozen=True)
class Replay:
    """Hands in patches that exist already, such as another system's predictions.

    `digest` names the whole collection, so that two collections are two arms.
    """

    patches: Mapping[str, bytes]
    digest: str
    name: str = "replay"
    version: str = __version__
    mounts: tuple[Mount, ...] = ()
    protocols: tuple[WireProtocol, ...] = ()
    needs_model: bool = False
    memory_mb: int = 0

    @property
    def settings(self) -> Mapping[str, str]:
        return {"patches": self.digest}

    def require(self, tasks: Iterable[str]) -> None:
        """Check before a run that there is a patch for every task.

        Raises:
            BadInput: one has none.
        """
        for task in tasks:
            self._patch_for(task)

    def work(self, session: Session) -> AgentReport:
        return AgentReport("exit", 0, 0.0, patch=self._patch_for(session.task))

    def _patch_for(self, task: str) -> bytes:
        for name in (task, task.split("-", 1)[0]):
            if name in self.patches:
                return self.patches[name]
        raise BadInput(
            f"the replayed patches hold none for {task}",
            hint="choose tasks with --tasks, or add an empty patch",
        )


def _must(session: Session, argv: list[str]) -> None:
    done = session.sandbox.run(argv)
    if done.ended != "exit" or done.exit_code != 0:
        detail = done.stderr.decode("utf-8", "replace").strip()[:300]
        raise Infrastructure("oracle_write", f"{' '.join(argv)}: {done.ended} {detail}")
