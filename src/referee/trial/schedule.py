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


def machine_capacity() -> Capacity:
    """The cores that this process may use, and the memory of the machine or of its control group,
    whichever is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [total]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            text = (Path("/sys/fs/cgroup") / name).read_text().strip()
        except OSError:
            continue
        if text.isdecimal():
            limits.append(int(text))
    return Capacity(float(len(os.sched_getaffinity(0))), min(limits))
