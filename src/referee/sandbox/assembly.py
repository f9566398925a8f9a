"""All of bwrap's arguments for one sandbox, put together from its spec."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.sandbox import root
from referee.sandbox.overlay import overlay_arguments
from referee.sandbox.protocol import WORKSPACE, Mount, SandboxSpec
from referee.sandbox.seccomp import seccomp_program, this_architecture

SERVER_PLACE = "/opt/referee/exec"


def mount_arguments(mounts: Sequence[Mount]) -> list[str]:
    """bwrap arguments for read-only binds, in the order given.

    Raises:
        BadInput: a source is missing or a target is not an absolute path.
    """
    arguments: list[str] = []
    for mount in mounts:
        if not mount.source.exists():
            raise BadInput("there is nothing to mount", where=mount.source)
        if not mount.target.startswith("/") or ".." in mount.target.split("/"):
            raise BadInput(f"a mount target must be an absolute path, not {mount.target!r}")
        arguments += ["--ro-bind", str(mount.source.absolute()), mount.target]
    return arguments


def root_arguments(spec: SandboxSpec, store: Store, server: Path | None) -> list[str]:
    """All of bwrap's arguments that describe what is inside."""
    arguments = [*root.NAMESPACE_ARGUMENTS, *root.system_arguments(store)]
    arguments += root.scratch_arguments(spec.limits)
    if spec.overlay is not None:
        arguments += overlay_arguments(spec.overlay)
    else:
        arguments += ["--size", str(spec.limits.tmp_bytes), "--tmpfs", WORKSPACE]
    arguments += mount_arguments(spec.mounts)
    if server is not None:
        arguments += ["--ro-bind", str(server), SERVER_PLACE]
    return [*arguments, *root.CLOSING_ARGUMENTS]


def filter_for(*, refuse_shared_memory: bool) -> bytes:
    """The system-call filter of this machine.

    Raises:
        BadInput: there is none for its architecture.
    """
    architecture = this_architecture()
    if architecture is None:
        raise BadInput(
            f"there is no system-call filter for {os.uname().machine}",
            hint="use an x86_64 or aarch64 machine",
        )
    return seccomp_program(architecture, refuse_shared_memory=refuse_shared_memory)
