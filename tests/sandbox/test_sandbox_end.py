"""Everything dies at the end, whoever ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from pathlib import Path

import pytest

from referee.sandbox.cgroup import usable_bases
from referee.sandbox.session import SandboxDown

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("started-" + sys.argv[1], "w").close()
        for fd in range(3): os.close(fd)
        time.sleep(300)
    os._exit(0)
os.wait()
while not os.path.exists("started-" + sys.argv[1]): time.sleep(0.01)
"""


def processes_with(token: str) -> list[int]:
    """Host process ids whose command line holds `token`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if token.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def start_daemon(place) -> str:
    token = f"daemon-{uuid.uuid4().hex}"
    done = place.sandbox.run(["/usr/bin/python3", "-I", "-c", DAEMON, token])
    assert done.exit_code == 0, done.stderr
    assert processes_with(token)
    return token


def test_daemons_die_at_stop(place):
    token = start_daemon(place)
    place.sandbox.stop()
    assert processes_with(token) == []


def test_daemons_die_at_kill_all(place):
    token = start_daemon(place)
    place.sandbox.kill_all()
    assert processes_with(token) == []
    assert place.value("print(1)") == "1"


def test_stop_is_idempotent_and_removes_control_groups(make):
    place = make()
    folders = [folder for _, folder in place.sandbox._group.folders.values()]
    assert all(folder.is_dir() for folder in folders)
    assert len(folders) == len(usable_bases())
    place.sandbox.stop()
    place.sandbox.stop()
    assert not any(folder.exists() for folder in folders)


def test_stop_before_start_and_start_after_stop(make):
    place = make(start=False)
    place.sandbox.stop()
    with pytest.raises(RuntimeError):
        place.sandbox.start()


def test_command_after_stop_says_died(place):
    place.sandbox.stop()
    assert place.sandbox.run(["true"]).ended == "died"
    with pytest.raises(SandboxDown):
        place.sandbox.spawn(["true"])
    with pytest.raises(OSError):
        place.sandbox.read("/etc/passwd", max_bytes=9999)


def test_process_one_cannot_be_killed_from_inside(place):
    for number in (2, 9, 15, 17, 19, 11, 6, 1):
        place.python(f"import os; os.kill(1, {number})")
    assert place.value("print('served')") == "served"


def test_killing_everything_inside_ends_only_the_killer(place):
    running = place.sandbox.spawn(["sleep", "100"])
    done = place.sh("kill -9 -1")
    assert done.ended in ("signal", "exit")
    assert running.wait(10).ended == "signal"
    assert place.value("print('served')") == "served"


def test_death_of_the_server_is_seen_at_once(place):
    """No candidate can do this; the host's memory killer can."""
    running = place.sandbox.spawn(["sleep", "100"])
    os.kill(place.sandbox._init, signal.SIGKILL)
    assert running.wait(10).ended == "died"
    assert place.sandbox.run(["true"]).ended == "died"
    place.sandbox.stop()


def test_death_of_bwrap_is_the_end_of_all(place):
    token = start_daemon(place)
    place.sandbox._launched.monitor.kill()
    deadline = time.monotonic() + 10
    while processes_with(token) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert processes_with(token) == []
    assert place.sandbox.run(["true"]).ended == "died"


HARNESS = """
import sys, time
from pathlib import Path
from referee.environment.store import Store
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.protocol import SandboxSpec
sandbox = Bubblewrap(SandboxSpec("/usr/bin/python3"), Store(Path(sys.argv[1])))
sandbox.start()
done = sandbox.run(["/usr/bin/python3", "-I", "-c", sys.argv[2], sys.argv[3]])
assert done.exit_code == 0, done
print("ready", flush=True)
sandbox.run(["sleep", "300"])
"""


def test_killed_harness_leaves_no_survivors(store):
    token = f"daemon-{uuid.uuid4().hex}"
    harness = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HARNESS), str(store.root), DAEMON, token],
        stdout=subprocess.PIPE,
    )
    assert harness.stdout is not None
    assert harness.stdout.readline() == b"ready\n"
    assert len(processes_with(token)) >= 2  # the harness itself has the token in its arguments
    harness.kill()
    harness.wait()
    deadline = time.monotonic() + 10
    while processes_with(token) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert processes_with(token) == []
    harness.stdout.close()
