"""Which mechanism enforces which limit, decided once before a sandbox starts."""

from __future__ import annotations

import math
import resource
from dataclasses import dataclass, fields

from referee.record.fault import BadInput
from referee.sandbox.cgroup import Group
from referee.sandbox.protocol import Enforcement, Limits, SandboxSpec

FEWEST_OPEN_FILES = 40

Rlimit = tuple[int, int, int]
"""Resource number, soft limit, hard limit."""


@dataclass(frozen=True)
class Plan:
    """How everything is enforced, and the rlimits that each command is born with."""

    enforcement: tuple[Enforcement, ...]
    rlimits: tuple[Rlimit, ...]


def check_limits(limits: Limits) -> None:
    """Refuse limits that mean nothing.

    Raises:
        BadInput: one is not a positive finite number.
    """
    for item in fields(limits):
        value = getattr(limits, item.name)
        ok = math.isfinite(value) and (value > 0 or (value == 0 and item.name == "reserve_bytes"))
        if not ok:
            raise BadInput(
                f"the limit `{item.name}` is {value}", hint="give it a positive finite number"
            )
    if limits.open_files < FEWEST_OPEN_FILES:
        raise BadInput(
            f"the limit `open_files` is {limits.open_files}",
            hint=f"the exec server itself needs {FEWEST_OPEN_FILES}",
        )


def plan_limits(spec: SandboxSpec, group: Group, *, dropped: bool) -> Plan:
    """Cgroups where there are any, rlimits otherwise; a pure function of its arguments."""
    limits = spec.limits
    memory, processes = group.method("memory"), group.method("pids")
    whole_cpu = group.method("cpuacct")
    cpu = math.ceil(limits.cpu_s)
    rlimits: list[Rlimit] = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
    ]
    if memory is None:
        space = limits.memory_bytes + limits.reserve_bytes
        rlimits.append((resource.RLIMIT_AS, space, space))
    if processes is None:
        rlimits.append((resource.RLIMIT_NPROC, limits.processes, limits.processes))
    # Address space says nothing of memory where more of it may be reserved than is used.
    alone = "watchdog" if limits.reserve_bytes else "rlimit"
    rows = [
        ("memory_bytes", memory or alone, limits.memory_bytes),
        ("reserve_bytes", memory or "rlimit", limits.reserve_bytes),
        ("processes", processes or "rlimit", limits.processes),
        ("file_bytes", "rlimit", limits.file_bytes),
        ("open_files", "rlimit", limits.open_files),
        ("core_bytes", "rlimit", 0),
        ("cpu_s", whole_cpu or "rlimit", limits.cpu_s),
        ("tmp_bytes", "tmpfs", limits.tmp_bytes),
        ("shm_bytes", "tmpfs", limits.shm_bytes),
        ("wall_s", "watchdog", limits.wall_s),
        ("output_bytes", "watchdog", limits.output_bytes),
        ("network", "namespace", "none"),
        ("processes_visible", "namespace", "own"),
        ("survivors", "namespace", "killed"),
        ("system_calls", "seccomp", "filtered"),
        ("identity", "uid", "dropped" if dropped else "caller"),
    ]
    if spec.overlay is not None:
        rows += [
            ("disk_bytes", "watchdog", limits.disk_bytes),
            ("disk_files", "watchdog", limits.disk_files),
        ]
    return Plan(tuple(Enforcement(n, by, str(value)) for n, by, value in rows), tuple(rlimits))
