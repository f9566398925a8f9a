"""The agent `command`: any program, started in the workspace with the instruction beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.agent.gateway.dialect import DIALECTS, WireProtocol
from referee.agent.link import run_watched
from referee.agent.protocol import AgentReport, Session
from referee.environment.store import Store
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.record.tree import SYMLINK, scan_tree
from referee.sandbox.protocol import Completed, Mount

INSIDE = "/opt/agent"
_MAX_BYTES = 256 << 20


@dataclass(frozen=True)
class Command:
    """Runs `/opt/agent/run` with the workspace as its folder.

    The program finds the instruction at `/task/instruction.md` (also named by
    REFEREE_INSTRUCTION) and edits files below `/workspace`; its output is kept in the record. Where
    the run has a model, REFEREE_MODEL_URL, _TOKEN, _PROTOCOL and REFEREE_MODEL say how to reach it.
    """

    name: str
    version: str
    settings: Mapping[str, str]
    mounts: tuple[Mount, ...]
    protocols: tuple[WireProtocol, ...] = tuple(DIALECTS)
    needs_model: bool = False
    memory_mb: int = 0

    def work(self, session: Session) -> AgentReport:
        env = {"REFEREE_INSTRUCTION": "/task/instruction.md", "REFEREE_WORKSPACE": "/workspace"}
        if (link := session.model) is not None:
            env |= {
                "REFEREE_MODEL_URL": link.url,
                "REFEREE_MODEL_TOKEN": link.token,
                "REFEREE_MODEL_PROTOCOL": link.protocol,
                "REFEREE_MODEL": link.model,
            }
        done, stopped = self._run(session, env)
        (session.logs / "stdout.log").write_bytes(done.stdout)
        (session.logs / "stderr.log").write_bytes(done.stderr)
        return AgentReport(done.ended, done.exit_code, done.wall_s, stopped=stopped)

    def _run(self, session: Session, env: Mapping[str, str]) -> tuple[Completed, str | None]:
        argv = [f"{INSIDE}/run"]
        if session.model is None:
            return session.sandbox.run(argv, env=env, timeout_s=session.timeout_s), None
        return run_watched(session.sandbox, session.model, argv, env, session.timeout_s)


def command_agent(text: str, store: Store) -> Command:
    """The agent for `command:PATH`: a folder with an executable `run`, or one executable file.

    Its files are copied by content into the store, so that a running trial cannot be changed from
    outside and the arm's digest names them.

    Raises:
        BadInput: the path is missing, not executable, too large or holds links.
    """
    path = Path(text)
    files = _folder_files(path) if path.is_dir() else _single_file(path)
    if sum(len(data) for data, _ in files.values()) > _MAX_BYTES:
        raise BadInput("an agent of over 256 MiB cannot be brought by `command`", where=path)
    folder = store.runtime(files)
    settings = {"program": path.name, "files": folder.name}
    name = path.resolve().name
    version = sha256_json(settings)[:12]
    return Command(f"command-{name}", version, settings, (Mount(folder, INSIDE),))


def _single_file(path: Path) -> dict[str, tuple[bytes, int]]:
    if not path.is_file():
        raise BadInput(
            "there is no such program",
            where=path,
            hint="give an executable file, or a folder that holds an executable named run",
        )
    if not os.access(path, os.X_OK):
        raise BadInput("the program is not executable", where=path, hint="chmod +x it")
    return {"run": (path.read_bytes(), 0o755)}


def _folder_files(path: Path) -> dict[str, tuple[bytes, int]]:
    if not (path / "run").is_file() or not os.access(path / "run", os.X_OK):
        raise BadInput("the folder holds no executable named run", where=path, hint="add it")
    try:
        tree = scan_tree(path)
    except ValueError as error:
        raise BadInput(str(error), where=path, hint="remove it") from None
    files: dict[str, tuple[bytes, int]] = {}
    for name, entry in tree.files.items():
        if entry.mode == SYMLINK:
            raise BadInput("an agent holds no symbolic links", where=path / name, hint="copy it")
        if "__pycache__" not in name:
            files[name] = ((path / name).read_bytes(), 0o755 if entry.mode == "100755" else 0o644)
    return files
