"""What this machine's bubblewrap can enforce, found out by trying it."""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store, remove_tree
from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.assembly import filter_for, root_arguments
from referee.sandbox.binary import bwrap_binary
from referee.sandbox.cgroup import Group, usable_bases
from referee.sandbox.launch import launch, start_fault
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Capabilities, Overlay, SandboxSpec

_WRITE = ("/bin/sh", "-c", "echo one > /workspace/seen")


def _try(store: Store, overlay: Overlay | None) -> str | None:
    """Run one trivial command in a full sandbox; what went wrong, or None."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        launched = launch(
            bwrap_binary(store).path,
            root_arguments(SandboxSpec("", overlay=overlay), store, None),
            _WRITE,
            identity=sandbox_identity(),
            filter_program=filter_for(refuse_shared_memory=True),
            stdin=null,
            stdout=null,
            group=Group({}),
        )
        try:
            if not launched.wait(60.0):
                launched.monitor.kill()
                launched.wait(5.0)
                return "a sandbox did not end within a minute"
            if launched.monitor.returncode == 0:
                return None
            fault = start_fault(launched.complaint())
            return fault.sentence() if isinstance(fault, BadInput) else str(fault)
        finally:
            launched.close()
    except (BadInput, Infrastructure) as error:
        return str(error)
    finally:
        os.close(null)


def _try_overlay(store: Store) -> str | None:
    folder = store.scratch("probe")
    try:
        lower = folder / "lower"
        lower.mkdir()
        identity = sandbox_identity()
        if identity.dropped:
            os.chown(lower, identity.uid, identity.gid)
        overlay = make_overlay(folder, [lower])
        problem = _try(store, overlay)
        if problem is None and not (overlay.upper / "seen").is_file():
            return "what a sandbox wrote did not reach the upper folder"
        return problem
    finally:
        remove_tree(folder)


@functools.cache
def _probe(store: Store, euid: int) -> Capabilities:
    nothing = Capabilities("bubblewrap", "none", False, False, "no", "no", "no", False, False)
    try:
        version = bwrap_binary(store).version
    except BadInput as error:
        return dataclasses.replace(nothing, problems=(error.sentence(),))
    problem = _try(store, None)
    if problem is not None:
        return dataclasses.replace(nothing, version=version, problems=(problem,))
    overlay_problem = _try_overlay(store)
    bases = usable_bases()
    problems = [] if overlay_problem is None else [f"no overlay: {overlay_problem}"]
    for name, what in (("memory", "memory"), ("pids", "processes")):
        if name not in bases:
            problems.append(
                f"{what} is limited by rlimit, per process where the kernel counts so, because no "
                f"control group of `{name}` may be made here; run as root or in a delegated group"
            )
    return Capabilities(
        backend="bubblewrap",
        version=version,
        network_none=True,
        overlay=overlay_problem is None,
        memory=f"cgroup-v{bases['memory'].version}" if "memory" in bases else "rlimit",
        processes=f"cgroup-v{bases['pids'].version}" if "pids" in bases else "rlimit",
        disk="watchdog",
        uid_separation=euid == 0,
        survivors_killed=Path("/proc/self/ns/pid").exists(),
        problems=tuple(problems),
    )


def probe_capabilities(store: Store) -> Capabilities:
    """Try a sandbox on this machine and say what it enforces; cached per process.

    `uid_separation` says that the sandbox's host user differs from referee's own. `problems` has a
    sentence for all that is missing or weaker than elsewhere.
    """
    return _probe(store, os.geteuid())
