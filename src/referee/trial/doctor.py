"""What this machine can and cannot enforce, and how to get the rest."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from referee.environment.interpreter import list_pythons
from referee.environment.store import Store, default_root, open_store
from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.capabilities import probe_capabilities

Status = Literal["ok", "weaker", "missing"]
_ROOM = 3 << 30


@dataclass(frozen=True)
class Finding:
    """One fact. `weaker`: trials run, with less than is possible; `missing`: no trial can run."""

    what: str
    status: Status
    found: str
    advice: str = ""


def examine() -> tuple[Finding, ...]:
    """Everything that a trial needs of this machine, found by trying it."""
    findings = [_system()]
    try:
        store = open_store()
    except (BadInput, OSError) as error:
        found = Finding("store", "missing", str(default_root()), str(error))
        return (*findings, found)
    findings.append(_store(store))
    findings.extend(_sandbox(store))
    findings.append(_pythons())
    findings.append(_git())
    return tuple(findings)


def _system() -> Finding:
    found = f"{platform.system()} {platform.release()} {platform.machine()}"
    if platform.system() != "Linux":
        return Finding("system", "missing", found, "referee needs Linux")
    return Finding("system", "ok", found)


def _store(store: Store) -> Finding:
    free = shutil.disk_usage(store.root).free
    found = f"{store.root}, {free / 1e9:.1f} GB free"
    if free < _ROOM:
        advice = "free some space, or set REFEREE_STORE to a larger disk"
        return Finding("store", "weaker", found, advice)
    return Finding("store", "ok", found)


def _sandbox(store: Store) -> Iterator[Finding]:
    try:
        can = probe_capabilities(store)
    except (BadInput, Infrastructure) as error:
        yield Finding("sandbox", "missing", "bubblewrap does not start", str(error))
        return
    found = f"{can.backend} {can.version}"
    if can.network_none:
        yield Finding("sandbox", "ok", found)
    else:
        yield Finding("sandbox", "missing", found, "; ".join(can.problems))
    yield _required("no network", can.network_none, "a network namespace of its own")
    yield _required("overlay workspace", can.overlay, "overlayfs in a user namespace")
    yield _required("nothing survives", can.survivors_killed, "a pid namespace of its own")
    yield _limit(
        "memory limit",
        can.memory,
        "it holds for each process; run as root or in a delegated cgroup to limit the sum",
    )
    yield _limit(
        "process limit",
        can.processes,
        "it counts all processes of your user; a writable cgroup is exact",
    )
    yield Finding("disk limit", "ok", can.disk)
    if can.uid_separation:
        yield Finding("own user", "ok", "sandboxes run as a user that owns nothing else")
    else:
        yield Finding(
            "own user",
            "weaker",
            "sandboxes run as you; namespaces alone separate",
            "started by root, referee gives sandboxes a user of their own",
        )


def _required(what: str, holds: bool, how: str) -> Finding:
    if holds:
        return Finding(what, "ok", how)
    advice = f"this kernel does not allow {how}; ask for unprivileged user namespaces"
    return Finding(what, "missing", "not available", advice)


def _limit(what: str, by: str, weakness: str) -> Finding:
    if by.startswith("cgroup"):
        return Finding(what, "ok", f"by {by}")
    return Finding(what, "weaker", f"by {by}", weakness)


def _pythons() -> Finding:
    versions = sorted({python.minor for python in list_pythons()}, key=_minor_key)
    return Finding(
        "Python versions", "ok" if versions else "missing", ", ".join(versions) or "none"
    )


def _minor_key(minor: str) -> tuple[int, ...]:
    return tuple(int(part) for part in minor.split("."))


def _git() -> Finding:
    where = shutil.which("git")
    if where is None:
        advice = "only tasks whose source is a git commit need it: install git"
        return Finding("git", "weaker", "not found", advice)
    return Finding("git", "ok", os.fspath(where))
