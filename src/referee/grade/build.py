"""Compiled projects: rebuilt from the patched source, in a sandbox of their own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.sandbox.protocol import Completed, Sandbox
from referee.task.model import BuildTable


@dataclass(frozen=True)
class BuildFailure:
    """The command that failed, how it ended and the end of what it said."""

    argv: tuple[str, ...]
    ended: str
    message: str


def run_build(sandbox: Sandbox, table: BuildTable) -> BuildFailure | None:
    """Run the build commands in order; the first that does not exit with 0 ends it."""
    for argv in table.commands:
        done = sandbox.run(argv, timeout_s=table.timeout_sec)
        if done.ended != "exit" or done.exit_code != 0:
            return BuildFailure(tuple(argv), _how(done), _tail(done))
    return None


def keep_outputs(upper: Path, layer: Path, matches: Callable[[str], bool]) -> int:
    """Copy what the build made and the task declares as its output into a new lower layer.

    Only regular files that `matches` accepts are taken, so that a build script of the candidate
    leaves nothing else behind for the checks. Returns the number of files.
    """
    identity = sandbox_identity()
    kept = 0
    layer.mkdir(mode=0o755)
    for folder, folders, names in os.walk(upper, followlinks=False):
        folders[:] = [n for n in folders if not Path(folder, n).is_symlink()]
        for name in names:
            source = Path(folder, name)
            relative = source.relative_to(upper)
            if not matches(relative.as_posix()) or source.is_symlink() or not source.is_file():
                continue
            target = layer / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target, follow_symlinks=False)
            target.chmod(0o755 if source.stat().st_mode & 0o111 else 0o644)
            kept += 1
    if identity.dropped:
        for folder, _folders, names in os.walk(layer):
            for path in (Path(folder), *(Path(folder, n) for n in names)):
                os.chown(path, identity.uid, identity.gid)
    return kept


def _how(done: Completed) -> str:
    if done.ended == "exit":
        return f"exit status {done.exit_code}"
    return f"{done.ended} {done.signal}" if done.ended == "signal" else done.ended


def _tail(done: Completed) -> str:
    text = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").strip()
    return text[-1500:]
