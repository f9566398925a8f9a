"""Control groups, version 1 and 2: memory, processes and CPU time of one whole sandbox.

A group is named `referee.<pid>.<start>.<n>` after the process that made it, so that a later process
can remove what a killed one left behind. Only empty groups can be removed, so a sweep is harmless.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.sandbox.protocol import Limits

PREFIX = "referee"
CONTROLLERS = ("memory", "pids", "cpuacct")
_counter = itertools.count()


@dataclass(frozen=True)
class Base:
    """A folder below which this process may make groups for one controller."""

    version: int
    folder: Path


def parse_mounts(mountinfo: str) -> list[tuple[int, frozenset[str], str, Path]]:
    """Mounted hierarchies: version, options, root inside the hierarchy, mount point."""
    found = []
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        fields, kind = left.split(), right.split()
        if len(fields) < 5 or len(kind) < 3 or kind[0] not in ("cgroup", "cgroup2"):
            continue
        version = 2 if kind[0] == "cgroup2" else 1
        found.append((version, frozenset(kind[2].split(",")), fields[3], Path(fields[4])))
    return found


def parse_membership(text: str) -> dict[str, str]:
    """The content of /proc/self/cgroup: controller -> path; the key of version 2 is empty."""
    paths = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for name in controllers.split(","):
            paths[name] = path
    return paths


def _own_folder(point: Path, root: str, path: str) -> Path:
    inside = path[len(root) :] if root != "/" and path.startswith(root) else path
    return point / inside.lstrip("/")


def _enabled(folder: Path) -> set[str]:
    try:
        return set((folder / "cgroup.subtree_control").read_text().split())
    except OSError:
        return set()


def _can_make(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _base_v2(own: Path) -> tuple[Path, set[str]] | None:
    """Our own group if it hands controllers down, else the one above it (we are a leaf there)."""
    for folder in (own, own.parent):
        controllers = _enabled(folder) & {"memory", "pids"}
        if controllers and _can_make(folder):
            return folder, controllers
    return None


def find_bases(mountinfo: str, membership: str) -> dict[str, Base]:
    """Controller -> where groups can be made, for those where they can be."""
    paths = parse_membership(membership)
    bases: dict[str, Base] = {}
    for version, options, root, point in parse_mounts(mountinfo):
        if version == 1:
            for name in CONTROLLERS:
                if name in options and name in paths:
                    folder = _own_folder(point, root, paths[name])
                    if _can_make(folder):
                        bases[name] = Base(1, folder)
        elif "" in paths and (found := _base_v2(_own_folder(point, root, paths[""]))):
            for name in found[1]:
                bases.setdefault(name, Base(2, found[0]))
            if found[1]:
                bases.setdefault("cpuacct", Base(2, found[0]))
    return bases


@functools.cache
def _bases_of(_pid: int) -> Mapping[str, Base]:
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text()
        membership = Path("/proc/self/cgroup").read_text()
    except OSError:
        return {}
    bases = find_bases(mountinfo, membership)
    for folder in {base.folder for base in bases.values()}:
        sweep(folder)
    return bases


def usable_bases() -> Mapping[str, Base]:
    """The bases of this process, found once; leftovers of dead processes are swept then."""
    return _bases_of(os.getpid())


def _start_ticks(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; None when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def sweep(folder: Path) -> None:
    """Remove empty groups whose maker is dead."""
    for path in folder.glob(f"{PREFIX}.*"):
        found = re.fullmatch(rf"{PREFIX}\.(\d+)\.(\d+)\.\d+", path.name)
        if found and _start_ticks(int(found[1])) != found[2]:
            with contextlib.suppress(OSError):
                path.rmdir()


def _counter_in(path: Path, key: str) -> int:
    try:
        text = path.read_text()
    except OSError:
        return 0
    found = re.search(rf"^{key} (\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else 0


class Group:
    """The control groups of one sandbox. `folders` maps a controller to its base and folder."""

    def __init__(self, folders: Mapping[str, tuple[Base, Path]]):
        self.folders = folders

    @classmethod
    def create(cls, limits: Limits) -> Group:
        """Make the groups that this machine allows and set their limits; may be none at all."""
        pid = os.getpid()
        name = f"{PREFIX}.{pid}.{_start_ticks(pid)}.{next(_counter)}"
        group = cls({})
        folders: dict[str, tuple[Base, Path]] = {}
        for controller, base in usable_bases().items():
            folder = base.folder / name
            try:
                folder.mkdir(exist_ok=True)
                group._set(controller, base, folder, limits)
            except OSError:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                continue
            folders[controller] = (base, folder)
        group.folders = folders
        return group

    @staticmethod
    def _set(controller: str, base: Base, folder: Path, limits: Limits) -> None:
        if controller == "memory" and base.version == 1:
            (folder / "memory.limit_in_bytes").write_text(str(limits.memory_bytes))
            with contextlib.suppress(OSError):  # absent without swap accounting
                (folder / "memory.memsw.limit_in_bytes").write_text(str(limits.memory_bytes))
        elif controller == "memory":
            (folder / "memory.max").write_text(str(limits.memory_bytes))
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
        elif controller == "pids":
            # bwrap outside, and the exec server inside, are two more
            (folder / "pids.max").write_text(str(limits.processes + 2))

    def method(self, controller: str) -> str | None:
        """`cgroup-v1`, `cgroup-v2` or None."""
        found = self.folders.get(controller)
        return f"cgroup-v{found[0].version}" if found else None

    @contextlib.contextmanager
    def joined(self) -> Iterator[None]:
        """Put the calling thread into the version 1 groups for the block, so that what it forks is
        born there. A thread that moves itself spares the kernel a wait of several milliseconds.

        Raises:
            OSError: the kernel refused.
        """
        mine = {folder: base.folder for base, folder in self.folders.values() if base.version == 1}
        try:
            for folder in mine:
                (folder / "tasks").write_text("0")
            yield
        finally:
            for home in mine.values():
                (home / "tasks").write_text("0")

    def add(self, pid: int) -> None:
        """Move a process into the version 2 group; what it forks later stays in.

        Raises:
            OSError: the kernel refused.
        """
        for folder in {folder for base, folder in self.folders.values() if base.version == 2}:
            (folder / "cgroup.procs").write_text(str(pid))

    def members(self) -> list[int] | None:
        """Process ids of everything in the sandbox, or None when there is no group to ask."""
        for _, folder in self.folders.values():
            with contextlib.suppress(OSError):
                return [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
        return None

    def oom_kills(self) -> int:
        """How many processes were killed because the memory limit was reached."""
        if "memory" not in self.folders:
            return 0
        base, folder = self.folders["memory"]
        name = "memory.oom_control" if base.version == 1 else "memory.events"
        return _counter_in(folder / name, "oom_kill")

    def cpu_s(self) -> float | None:
        """CPU seconds used by the whole sandbox, or None when nobody counts."""
        if "cpuacct" not in self.folders:
            return None
        base, folder = self.folders["cpuacct"]
        if base.version == 2:
            return _counter_in(folder / "cpu.stat", "usage_usec") / 1e6
        try:
            return int((folder / "cpuacct.usage").read_text()) / 1e9
        except (OSError, ValueError):
            return None

    def peak_bytes(self) -> int | None:
        """The largest memory use of the whole sandbox so far, in bytes."""
        if "memory" not in self.folders:
            return None
        base, folder = self.folders["memory"]
        name = "memory.max_usage_in_bytes" if base.version == 1 else "memory.peak"
        try:
            return int((folder / name).read_text())
        except (OSError, ValueError):
            return None

    def remove(self) -> None:
        """Remove the groups, which must be empty by now; patient for a moment with dying tasks."""
        deadline = time.monotonic() + 2.0
        for folder in {folder for _, folder in self.folders.values()}:
            while True:
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    pass
                except OSError:
                    if time.monotonic() < deadline:
                        time.sleep(0.001)
                        continue
                break
