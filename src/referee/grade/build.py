"""Compiled projects: rebuilt from the patched source, in a sandbox of their own."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.record.fault import Infrastructure
from referee.sandbox.protocol import Completed, Limits, Sandbox
from referee.submission.policy import path_fault
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


def keep_outputs(
    upper: Path, layer: Path, matches: Callable[[str], bool], limits: Limits
) -> BuildFailure | None:
    """Copy what the build made and the task declares as its output into a new lower layer.

    Only regular files that `matches` accepts are taken, so that a build script of the candidate
    leaves nothing else behind for the checks. The upper directory is the candidate's: what cannot
    be an output (links, pipes, paths that no task has) is passed over, and outputs that may not be
    read, or pass the disk limits, are a failed build.

    Raises:
        Infrastructure: `layer_write`, when the machine cannot write the layer.
    """
    files = size = 0
    try:
        layer.mkdir(mode=0o755)
        for source, info in _regular_files(upper):
            relative = source.relative_to(upper)
            if not matches(relative.as_posix()):
                continue
            files, size = files + 1, size + info.st_size
            if files > limits.disk_files or size > limits.disk_bytes:
                return _refused(f"the outputs pass the disk limit of {limits.disk_bytes} bytes")
            if not info.st_mode & stat.S_IRUSR:
                return _refused(f"the output {relative} may not be read")
            target = layer / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target, follow_symlinks=False)
            target.chmod(0o755 if info.st_mode & 0o111 else 0o644)
        _give_to_sandbox_user(layer)
    except OSError as error:
        raise Infrastructure("layer_write", f"{layer}: {error.strerror}") from error
    return None


def _regular_files(upper: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Regular files at plain paths, in folders that their owner may enter; links are not followed.

    What is asked are the mode bits, so that the answer is the same when root asks.
    """
    for folder, folders, names in os.walk(upper):
        here = Path(folder)
        found = {n: (here / n).lstat() for n in (*folders, *names) if _is_plain(here / n, upper)}
        folders[:] = [
            name
            for name in folders
            if name in found
            and stat.S_ISDIR(found[name].st_mode)
            and found[name].st_mode & 0o500 == 0o500
        ]
        for name in names:
            if name in found and stat.S_ISREG(found[name].st_mode):
                yield here / name, found[name]


def _is_plain(path: Path, upper: Path) -> bool:
    return path_fault(path.relative_to(upper).as_posix()) is None


def _refused(why: str) -> BuildFailure:
    return BuildFailure(("outputs",), "refused", why)


def _give_to_sandbox_user(layer: Path) -> None:
    identity = sandbox_identity()
    if identity.dropped:
        for folder, _folders, names in os.walk(layer):
            for path in (Path(folder), *(Path(folder, n) for n in names)):
                os.chown(path, identity.uid, identity.gid)


def _how(done: Completed) -> str:
    if done.ended == "exit":
        return f"exit status {done.exit_code}"
    return f"{done.ended} {done.signal}" if done.ended == "signal" else done.ended


def _tail(done: Completed) -> str:
    text = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").strip()
    return text[-1500:]
