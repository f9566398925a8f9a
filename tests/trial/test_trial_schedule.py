"""Scheduling: the machine is never given more than it has, and nothing waits for ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.trial.schedule import Capacity, Need, machine_capacity, next_fitting

needs = st.builds(Need, st.floats(0.5, 8), st.integers(1, 1 << 34))
capacities = st.builds(Capacity, st.floats(1, 16), st.integers(1 << 20, 1 << 35))


@given(st.lists(needs, max_size=12), capacities, st.integers(1, 5), st.data())
def test_what_runs_at_a_time_fits(
    queue: list[Need], capacity: Capacity, jobs: int, data: st.DataObject
) -> None:
    waiting, running, started = list(queue), [], 0
    while waiting or running:
        place = None
        if len(running) < jobs:
            place = next_fitting(waiting, running, capacity, lambda need: need)
        if place is None:
            assert running
            running.pop(data.draw(st.integers(0, len(running) - 1)))
            continue
        running.append(waiting.pop(place))
        started += 1
        if len(running) > 1:
            assert sum(need.cpus for need in running) <= capacity.cpus
            assert sum(need.memory for need in running) <= capacity.memory
    assert started == len(queue)


def test_the_first_that_fits_goes_first() -> None:
    capacity, small, large = Capacity(2, 100), Need(1, 10), Need(2, 10)
    assert next_fitting([large, small], [small], capacity, lambda need: need) == 1
    assert next_fitting([large, small], [], capacity, lambda need: need) == 0
    assert next_fitting([large], [small], capacity, lambda need: need) is None


def test_the_machine_has_something() -> None:
    found = machine_capacity()
    assert found.cpus >= 1
    assert found.memory > 100 << 20


def test_a_control_group_above_this_process_bounds_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = next((line[3:].strip("/") for line in lines if line.startswith("0::")), "")
    inner = tmp_path / own / "x" if own else tmp_path
    inner.mkdir(parents=True, exist_ok=True)
    (tmp_path / "memory.max").write_text("123456789\n")
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    found = machine_capacity(tmp_path)
    assert (found.cpus, found.memory) == (0.5, 123456789)
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "cpu.max").write_text("max 100000\n")
    whole = machine_capacity(tmp_path)
    assert whole.cpus >= 1
    assert whole.memory > 123456789
