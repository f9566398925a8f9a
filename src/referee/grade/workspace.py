"""The workspace of one phase: which layers it has, where its writes go, what it may use."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.data.build import DataSet, data_in_use
from referee.environment.debian import native_versions
from referee.environment.prepare import Prepared, in_use
from referee.environment.store import Store
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Limits, Mount, Overlay, SandboxSpec
from referee.task.model import TaskFile

HARDWARE_VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Variables of the host that say which instructions its processor gets right; the only ones that
cross into a sandbox."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Bench:
    """What every phase of a trial works with; `data` are there for tasks that have some."""

    store: Store
    prepared: Prepared
    file: TaskFile
    data: DataSet | None = None


@contextlib.contextmanager
def bench_in_use(bench: Bench) -> Iterator[None]:
    """Keep `prune`, in any process, from removing what a running trial stands on."""
    with in_use(bench.store, bench.prepared), data_in_use(bench.store, bench.data):
        yield


def environment_facts(bench: Bench) -> dict[str, str]:
    """What a verdict says of the environment: digests by name, and versions of native packages."""
    native = native_versions(bench.prepared.source.native)
    return {
        "snapshot": bench.prepared.snapshot.digest,
        "packages": bench.prepared.environment.digest,
        **{f"debian {name}": version for name, version in native.items()},
    }


def limits_of(file: TaskFile, *, wall_s: float) -> Limits:
    """The limits that a task sets, for a phase of `wall_s` seconds."""
    environment = file.environment
    disk = environment.storage_mb << 20
    return Limits(
        memory_bytes=environment.memory_mb << 20,
        processes=file.referee.limits.processes,
        file_bytes=disk,
        disk_bytes=disk,
        tmp_bytes=min(disk, 1 << 30),
        cpu_s=2 * wall_s * max(1.0, environment.cpus),
        wall_s=wall_s,
    )


def variables_of(file: TaskFile) -> dict[str, str]:
    """The environment variables of every command in a sandbox of this task."""
    threads = str(max(1, int(file.environment.cpus)))
    found = {name: os.environ[name] for name in HARDWARE_VARIABLES if name in os.environ}
    return {
        **dict.fromkeys(_THREADS, threads),
        **found,
        **file.environment.env,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def phase_overlay(scratch: Path, lowers: tuple[Path, ...]) -> Overlay:
    """A workspace over `lowers` whose writes land in a folder of `scratch`. Its name says nothing,
    because candidate code can read it in the list of mounts: no code may know public from private
    checks."""
    return make_overlay(Path(tempfile.mkdtemp(dir=scratch)), lowers)


def phase_spec(
    bench: Bench,
    overlay: Overlay,
    *,
    wall_s: float,
    mounts: tuple[Mount, ...] = (),
    env: Mapping[str, str] | None = None,
) -> SandboxSpec:
    """The sandbox of one phase: the task's environment, this overlay, and nothing else."""
    shared = tuple(Mount(source, target) for source, target in bench.prepared.mounts)
    return SandboxSpec(
        interpreter=bench.prepared.interpreter.inside_executable,
        mounts=(*shared, *mounts),
        overlay=overlay,
        env={**variables_of(bench.file), **(env or {})},
        limits=limits_of(bench.file, wall_s=wall_s),
    )


def open_scratch(store: Store, prefix: str) -> Path:
    """A scratch folder that the sandbox's user may enter."""
    folder = store.scratch(prefix)
    folder.chmod(0o711)
    return folder
