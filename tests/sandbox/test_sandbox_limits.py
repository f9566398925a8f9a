"""Limits hold, and a broken one is told by name."""

from __future__ import annotations

import time

import pytest

from referee.sandbox.cgroup import Group
from referee.sandbox.protocol import Limits


def enforced(place, limit):
    return next(e.by for e in place.sandbox.enforcement if e.limit == limit)


def test_each_limit_says_how_it_is_enforced(place):
    names = [e.limit for e in place.sandbox.enforcement]
    assert len(names) == len(set(names))
    for field in Limits.__dataclass_fields__:
        assert field in names
    assert {"network", "survivors", "system_calls", "identity"} <= set(names)


def test_memory(make):
    place = make(limits=Limits(memory_bytes=64 << 20))
    done = place.python("x = bytearray(300 << 20); print('got it')")
    assert done.stdout == b""
    if enforced(place, "memory_bytes") == "rlimit":
        assert b"MemoryError" in done.stderr
    else:
        assert (done.ended, done.exit_code) == ("memory", None)
        child = place.sh("/usr/bin/python3 -I -S -c 'x = bytearray(300 << 20)'; exit 5")
        assert child.ended == "memory"
    assert place.value("print('still usable')") == "still usable"


@pytest.fixture
def no_control_groups(monkeypatch):
    monkeypatch.setattr(Group, "create", classmethod(lambda cls, _limits: Group({})))


RESERVE = (
    "import mmap, time; m = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS);"
)


def test_reserved_address_space_is_not_memory(make, no_control_groups):
    limits = Limits(memory_bytes=200 << 20, reserve_bytes=2 << 30)
    place = make(limits=limits)
    assert enforced(place, "memory_bytes") == "watchdog"
    assert place.value(RESERVE + "time.sleep(1); print(len(m))") == str(1 << 30)
    tight = make(limits=Limits(memory_bytes=200 << 20)).python(RESERVE + "print(len(m))")
    assert tight.stdout == b""


@pytest.mark.parametrize("forks", [0, 2])
def test_memory_that_is_held_is_watched(make, no_control_groups, forks):
    place = make(limits=Limits(memory_bytes=200 << 20, reserve_bytes=2 << 30))
    hold = f"x = bytearray(b'1') * ({400 >> forks} << 20); time.sleep(30); print('got it')"
    done = place.python(f"import os, time; [os.fork() for _ in range({forks})]; {hold}")
    assert (done.ended, done.stdout) == ("memory", b""), done


def test_shared_pages_are_held_once(make, no_control_groups):
    place = make(limits=Limits(memory_bytes=300 << 20, reserve_bytes=2 << 30))
    script = (
        "import os, time; x = bytearray(b'1') * (150 << 20); os.fork(); os.fork(); time.sleep(2)"
    )
    assert place.value(script + "; print('done')").split() == ["done"] * 4


def test_shared_memory_counts_as_memory(make):
    place = make(limits=Limits(memory_bytes=64 << 20))
    if not enforced(place, "memory_bytes").startswith("cgroup"):
        pytest.skip("only a control group counts it")
    assert place.sh("head -c 200M /dev/zero > /dev/shm/f").ended == "memory"


def test_fork_bomb(make):
    place = make(limits=Limits(processes=60))
    begun = time.monotonic()
    done = place.python(
        "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", timeout_s=1.0
    )
    assert done.ended == "timeout"
    assert time.monotonic() - begun < 20
    assert place.value("print('alive')") == "alive"


def test_process_limit_counts(make):
    place = make(limits=Limits(processes=30))
    source = """
import os, time
n = 0
try:
    while n < 200:
        if os.fork() == 0:
            time.sleep(30); os._exit(0)
        n += 1
except BlockingIOError:
    pass
print(n)
"""
    assert 20 <= int(place.value(source)) <= 30
    full = place.sandbox.run(["true"])
    assert full.ended == "exit"
    place.sandbox.kill_all()
    assert place.sandbox.run(["true"]).exit_code == 0


def test_file_size(make):
    place = make(limits=Limits(file_bytes=1 << 20))
    done = place.python("open('f', 'wb').write(bytes(2 << 20))")
    assert b"File too large" in done.stderr
    assert (place.upper / "f").stat().st_size <= 1 << 20


def test_open_files_and_core(make):
    place = make(limits=Limits(open_files=50))
    source = "import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_CORE))"
    assert place.value(source) == "(50, 50) (0, 0)"


def test_disk(make):
    place = make(limits=Limits(disk_bytes=20 << 20))
    done = place.sh("for i in 1 2 3 4 5 6 7 8; do head -c 8M /dev/zero > f$i; done; sleep 20")
    assert (done.ended, done.exit_code) == ("disk", None)
    assert place.sandbox.run(["true"]).ended == "disk"


def test_disk_by_a_quick_command(make):
    place = make(limits=Limits(disk_bytes=1 << 20))
    assert place.sh("head -c 4M /dev/zero > f").ended == "disk"


def test_sparse_file_is_no_breach(make):
    place = make(limits=Limits(disk_bytes=20 << 20))
    done = place.sh("truncate -s 1G f; sleep 0.6")
    assert (done.ended, done.exit_code) == ("exit", 0)


def test_number_of_files(make):
    place = make(limits=Limits(disk_files=500))
    done = place.python(
        "import time\nfor i in range(2000): open(f'f{i}', 'w')\ntime.sleep(20)", timeout_s=15
    )
    assert done.ended == "disk"


def test_files_hidden_in_a_closed_folder_count(make):
    place = make(limits=Limits(disk_bytes=4 << 20))
    done = place.sh("mkdir d; head -c 8M /dev/zero > d/f; chmod 0 d; sleep 20", timeout_s=15)
    assert done.ended == "disk"
    assert (place.upper / "d").stat().st_mode & 0o777 == 0


def test_deleted_files_that_are_held_open_count(make):
    place = make(limits=Limits(disk_bytes=8 << 20))
    source = """
import time
held = []
for i in range(8):
    held.append(open('f', 'wb')); held[-1].write(bytes(4 << 20)); held[-1].flush()
    __import__('os').unlink('f')
time.sleep(20)
"""
    assert place.python(source, timeout_s=15).ended == "disk"


def test_cpu_time_of_one_process(make):
    place = make(limits=Limits(cpu_s=1.0))
    done = place.python("while True: pass", timeout_s=30)
    assert done.ended == "timeout"
    assert done.wall_s < 25


def test_cpu_time_of_many_processes(make):
    place = make(limits=Limits(cpu_s=1.0))
    if not enforced(place, "cpu_s").startswith("cgroup"):
        pytest.skip("only a control group counts the whole sandbox")
    begun = time.monotonic()
    loop = "for i in 1 2 3 4 5 6; do timeout 0.4 sh -c 'while :; do :; done' & done; wait; wait; "
    done = place.sh(loop * 25, timeout_s=60)
    assert done.ended == "timeout"
    assert time.monotonic() - begun < 50
