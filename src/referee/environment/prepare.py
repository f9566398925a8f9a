"""Everything that a trial needs on disk before its sandbox starts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.environment.absence import OtherVersion, find_other_versions
from referee.environment.build import Environment, build_environment, environment_mounts
from referee.environment.debian import native_mounts, require_packages
from referee.environment.interpreter import Interpreter
from referee.environment.lock import Lock, read_lock, refuse_target
from referee.environment.progress import Say, silent
from referee.environment.snapshot import Snapshot, build_snapshot
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.task.model import SourceFile


@dataclass(frozen=True)
class Prepared:
    """A snapshot, an environment, and `mounts`: (host path, inside path) pairs to bind read-only.
    The snapshot's tree is the lower layer of the workspace."""

    source: SourceFile
    snapshot: Snapshot
    environment: Environment
    mounts: tuple[tuple[Path, str], ...]

    @property
    def interpreter(self) -> Interpreter:
        return self.environment.interpreter

    @property
    def things(self) -> tuple[tuple[str, str], ...]:
        """(kind, digest) of each part in the store."""
        parts = [
            ("snapshot", self.snapshot.digest),
            ("env", self.environment.digest),
            ("runtime", self.environment.target.name),
        ]
        if self.interpreter.copied:
            parts.append(("python", self.interpreter.digest))
        return tuple(parts)


def prepare(store: Store, source: SourceFile, lock: Lock | Path, say: Say = silent) -> Prepared:
    """Build what is missing in the store and say where everything is; fast when nothing is missing.

    Raises:
        BadInput: something the user can mend: lock, hash, network, Python, Debian packages, or
            another version of the target package in reach of the agent.
        Infrastructure: the disk is full or the store is damaged.
    """
    lock = read_lock(lock) if isinstance(lock, Path) else lock
    refuse_target(lock, source.source.name)
    require_packages((*source.debian, *source.native))
    snapshot = build_snapshot(store, source, say)
    environment = build_environment(store, source, lock, snapshot, say)
    mounts = (*environment_mounts(environment, snapshot), *native_mounts(source.native))
    prepared = Prepared(source, snapshot, environment, mounts)
    if others := other_versions(prepared):
        raise BadInput(
            f"another version of {source.source.name} is in reach of the agent:"
            f" {', '.join(map(str, others[:3]))}",
            hint="name it in `strip`, or lock packages that do not bring it",
        )
    for kind, digest in prepared.things:
        store.touch(kind, digest)
    return prepared


def other_versions(prepared: Prepared) -> list[OtherVersion]:
    """Whatever an agent could find of the target package besides the snapshot."""
    return find_other_versions(prepared.source, prepared.snapshot, prepared.environment)


@contextlib.contextmanager
def in_use(store: Store, prepared: Prepared) -> Iterator[None]:
    """Keep `prune`, in any process, from removing what a running trial stands on."""
    with contextlib.ExitStack() as stack:
        for kind, digest in prepared.things:
            stack.enter_context(store.hold(kind, digest))
        yield
