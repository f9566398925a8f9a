"""Which trial starts next: never more at a time than the machine has cores and memory for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Need:
    """What a trial may use at a time: cores, and bytes of memory."""

    cpus: float
    memory: int


@dataclass(frozen=True)
class Capacity:
    """What the machine has for trials."""

    cpus: float
    memory: int

    def has_room(self, running: Sequence[Need], need: Need) -> bool:
        """Whether a trial fits beside those that run. One that is larger than the machine runs
        alone: its sandbox is limited all the same."""
        if not running:
            return True
        cpus = sum(other.cpus for other in running) + need.cpus
        memory = sum(other.memory for other in running) + need.memory
        return cpus <= self.cpus and memory <= self.memory


def next_fitting(
    waiting: Sequence[T], running: Sequence[Need], capacity: Capacity, need: Callable[[T], Need]
) -> int | None:
    """The place of the first one in the queue that fits, or None. What does not fit now keeps its
    place; nothing waits for ever, because with nothing running anything fits."""
    for index, item in enumerate(waiting):
        if capacity.has_room(running, need(item)):
            return index
    return None


def machine_capacity(root: Path = Path("/sys/fs/cgroup")) -> Capacity:
    """The cores that this process may use, and the memory of the machine; or what a control group
    of this process, at any level, leaves of either."""
    cpus = float(len(os.sched_getaffinity(0)))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for folder in _control_groups(root):
        memory = min([memory, *_numbers(folder / "memory.max")[:1]])
        quota = _numbers(folder / "cpu.max")
        if len(quota) == 2 and quota[1] > 0:
            cpus = min(cpus, quota[0] / quota[1])
    memory = min([memory, *_numbers(root / "memory/memory.limit_in_bytes")[:1]])
    return Capacity(cpus, memory)


def _control_groups(root: Path) -> list[Path]:
    """The control group (version 2) of this process and those above it."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return [root]
    own = next((line[3:].strip("/") for line in lines if line.startswith("0::")), "")
    place = root / own
    return [place, *(p for p in place.parents if p.is_relative_to(root))]


def _numbers(path: Path) -> list[int]:
    """The whole numbers in a file; none if it is not there or says `max`."""
    try:
        words = path.read_text().split()
    except OSError:
        return []
    return [int(word) for word in words] if all(word.isdecimal() for word in words) else []
