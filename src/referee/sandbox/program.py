"""The exec server as a program: byte-compiled once per interpreter, kept in the store."""

from __future__ import annotations

import dataclasses
import functools
import os
import tempfile
from pathlib import Path, PurePosixPath

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.sandbox.assembly import SERVER_PLACE, filter_for, root_arguments
from referee.sandbox.binary import bwrap_binary
from referee.sandbox.cgroup import Group
from referee.sandbox.launch import launch, start_fault
from referee.sandbox.protocol import SandboxSpec

FLAGS = ("-I", "-S", "-E")

_COMPILE = """
import sys, marshal
import _ctypes, _signal, _socket, fcntl, posix, resource, select  # what the server will need
from importlib.util import MAGIC_NUMBER
code = compile(sys.stdin.buffer.read(), "server", "exec", dont_inherit=True, optimize=2)
sys.stdout.buffer.write(MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
"""


def server_command(interpreter: str) -> list[str]:
    """The command that is process 1 of a sandbox."""
    return [interpreter, *FLAGS, f"{SERVER_PLACE}/server.pyc"]


def host_path(spec: SandboxSpec, inside: str) -> Path | None:
    """Where an inside path lies on the host, through the deepest mount that covers it."""
    wanted = PurePosixPath(inside)
    best: tuple[int, Path] | None = None
    for mount in spec.mounts:
        target = PurePosixPath(mount.target)
        if wanted == target or target in wanted.parents:
            depth = len(target.parts)
            if best is None or depth >= best[0]:
                best = (depth, mount.source / wanted.relative_to(target))
    if best is not None:
        return best[1]
    return Path(inside) if inside.startswith("/usr/") else None


@functools.cache
def _source() -> str:
    return Path(__file__).with_name("server.py").read_text()


@functools.cache
def _key(interpreter: str, facts: tuple[object, ...]) -> str:
    return sha256_json({"exec-server": [interpreter, _source(), *map(str, facts)]})


def server_folder(spec: SandboxSpec, store: Store) -> Path:
    """The folder with the compiled server for the spec's interpreter; compiled when first needed.

    Raises:
        BadInput: the interpreter is not there or does not run.
    """
    where = host_path(spec, spec.interpreter)
    if where is None or not os.path.lexists(where):
        raise BadInput(
            f"the interpreter {spec.interpreter} is not inside the sandbox",
            hint="mount one, or name one below /usr/bin",
        )
    try:
        info = where.stat()
        facts: tuple[object, ...] = (info.st_size, info.st_mtime_ns, info.st_ino)
    except OSError:  # a link that leads somewhere only inside: the mounts say where
        facts = tuple(sorted(f"{m.target}={m.source}" for m in spec.mounts))
    key = _key(spec.interpreter, facts)

    def build(folder: Path) -> None:
        target = folder / "server.pyc"
        target.write_bytes(_compile(spec, store))
        target.chmod(0o644)

    return store.publish("runtime", key, build)


def _compile(spec: SandboxSpec, store: Store) -> bytes:
    """Let the inside interpreter itself compile the server, in a sandbox without a workspace."""
    bare = dataclasses.replace(spec, overlay=None)
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as result:
        source.write(_source().encode())
        source.seek(0)
        launched = launch(
            bwrap_binary(store).path,
            root_arguments(bare, store, None),
            [spec.interpreter, *FLAGS, "-c", _COMPILE],
            identity=sandbox_identity(),
            filter_program=filter_for(refuse_shared_memory=True),
            stdin=source.fileno(),
            stdout=result.fileno(),
            group=Group({}),
        )
        try:
            if not launched.wait(60.0):
                launched.monitor.kill()
                launched.wait(5.0)
            if launched.monitor.returncode != 0:
                raise start_fault(launched.complaint())
        finally:
            launched.close()
        result.seek(0)
        return result.read()
