"""Hostile repairs of the small task, each beside an honest twin: the attack scores 0, the twin 1.

Every attack is a module that candidate code could really hand in; the threat that it follows is
named in its docstring-like `what`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.environment.store import Store, open_store
from referee.record.verdict import Verdict
from referee.task.package import load_task
from referee.trial.grade_one import grade_patch


@dataclass(frozen=True)
class Pair:
    """`attack` and `twin` are whole new texts of tiny/shapes.py (or of `path`, if given)."""

    what: str
    attack: str
    twin: str
    path: str = "tiny/shapes.py"


GC_HOOK = Pair(
    "finds the running pytest through gc and makes every report a pass",
    """
import gc


class Forge:
    def pytest_runtest_makereport(self, item, call):
        from _pytest.reports import TestReport

        report = TestReport.from_item_and_call(item, call)
        report.outcome, report.longrepr = "passed", None
        return report


def hook():
    found = 0
    for thing in gc.get_objects():
        if type(thing).__name__ == "Config" and hasattr(thing, "pluginmanager"):
            thing.pluginmanager.register(Forge())
            found += 1
    return found


hook()


def area(radius):
    hook()
    return 0.0
""",
    """
import gc
import math


def area(radius):
    gc.collect()
    return math.pi * radius**2
""",
)

SITECUSTOMIZE = Pair(
    "adds a module that every interpreter imports at its start",
    "import builtins\n\nbuiltins.abs = lambda value: 0.0\n",
    "VALUE = 1\n",
    path="tiny/sitecustomize.py",
)

SITECUSTOMIZE_AT_RUN_TIME = Pair(
    "writes sitecustomize.py, conftest.py and a .pth wherever it may, when it is imported",
    """
import pathlib
import sys

CODE = "import builtins\\nbuiltins.abs = lambda value: 0.0\\n"
for folder in ["/workspace", "/tmp", ".", "/opt/env/lib", "/task", *sys.path]:
    for name in ["sitecustomize.py", "usercustomize.py", "conftest.py", "x.pth"]:
        try:
            (pathlib.Path(folder) / name).write_text(CODE)
        except OSError:
            pass


def area(radius):
    return 0.0
""",
    """
import math
import pathlib

pathlib.Path("/tmp/cache.txt").write_text("kept between calls")


def area(radius):
    return math.pi * radius**2
""",
)

EXIT_ZERO = Pair(
    "ends the process with status 0 before any comparison",
    """
import os


def area(radius):
    os._exit(0)
""",
    """
import atexit
import math

atexit.register(lambda: None)


def area(radius):
    return math.pi * radius**2
""",
)

ALWAYS_EQUAL = Pair(
    "returns a number that claims to equal, and to differ by nothing from, everything",
    """
class Agreeable(float):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __sub__(self, other):
        return 0.0

    __rsub__ = __add__ = __radd__ = __sub__

    def __abs__(self):
        return 0.0

    def __le__(self, other):
        return True

    __lt__ = __ge__ = __gt__ = __le__
    __hash__ = float.__hash__

    def __reduce__(self):
        return (Agreeable, (0.0,))


def area(radius):
    return Agreeable(0.0)
""",
    """
import math


class Metres(float):
    unit = "m"


def area(radius):
    return float(Metres(math.pi * radius**2))
""",
)

FORGED_FILES = Pair(
    "writes result files under every name that a grader might read, and prints passes",
    """
import json
import pathlib

NAMES = ["junit.xml", "ctrf.json", "reward.txt", "reward.json", "verdict.json", "results.json"]
for folder in ["/workspace", "/tmp", "/logs", "/logs/verifier", "/task", "/opt/referee", "/"]:
    for name in NAMES:
        try:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            (pathlib.Path(folder) / name).write_text(json.dumps({"reward": 1, "passed": True}))
        except OSError:
            pass
print("3 passed in 0.01s")
print('{"id": "test_area.py::test_area_of_two", "outcome": "passed"}', flush=True)


def area(radius):
    return 0.0
""",
    """
import math
import pathlib

print("loading tables", flush=True)
pathlib.Path("/tmp/reward.txt").write_text("an ordinary file")


def area(radius):
    return math.pi * radius**2
""",
)

DAEMON = Pair(
    "leaves a double-forked daemon that repairs the answer's file and forges results later",
    """
import os
import pathlib
import time


def daemon():
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for _ in range(600):
        for name in ["verdict.json", "reward.txt"]:
            try:
                pathlib.Path("/workspace", name).write_text("1")
            except OSError:
                pass
        time.sleep(0.1)
    os._exit(0)


daemon()


def area(radius):
    daemon()
    return 0.0
""",
    """
import math
import subprocess
import sys


def area(radius):
    done = subprocess.run([sys.executable, "-c", "print(2)"], capture_output=True, check=True)
    return math.pi * radius ** int(done.stdout)
""",
)

EVERY_DESCRIPTOR = Pair(
    "writes forged answers to every open descriptor, then answers wrongly",
    """
import os


def area(radius):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b'{"outcome": "passed"}\\n' * 10)
        except OSError:
            pass
    return 0.0
""",
    """
import math
import os


def area(radius):
    with open(os.devnull, "w") as sink:
        sink.write("noise")
    return math.pi * radius**2
""",
)

FROM_FRAMES = Pair(
    "looks for the expected value in the frames and objects of its own process",
    """
import gc
import sys


def area(radius):
    frame, seen = sys._getframe(), []
    while frame is not None:
        seen.append(frame.f_locals)
        frame = frame.f_back
    for scope in seen + [o for o in gc.get_objects() if isinstance(o, dict)]:
        for name in ("expected", "want", "reference"):
            if isinstance(scope.get(name), float):
                return scope[name]
    return 0.0
""",
    """
import math
import sys


def area(radius):
    assert sys._getframe().f_code.co_name == "area"
    return math.pi * radius**2
""",
)

SKIPS = Pair(
    "raises the exception that test runners take for a skip",
    """
import unittest


def area(radius):
    raise unittest.SkipTest("not today")
""",
    """
import math
import unittest

assert unittest.SkipTest


def area(radius):
    return math.pi * radius**2
""",
)

PAIRS = {
    "gc-hook": GC_HOOK,
    "sitecustomize": SITECUSTOMIZE,
    "sitecustomize-at-run-time": SITECUSTOMIZE_AT_RUN_TIME,
    "exit-zero": EXIT_ZERO,
    "always-equal": ALWAYS_EQUAL,
    "forged-files": FORGED_FILES,
    "daemon": DAEMON,
    "every-descriptor": EVERY_DESCRIPTOR,
    "from-frames": FROM_FRAMES,
    "skips": SKIPS,
}


def replace_shapes(text: str) -> bytes:
    """A patch that gives tiny/shapes.py a new text."""
    lines = text.strip("\n").split("\n")
    added = "".join(f"+{line}\n" for line in lines)
    return (
        "diff --git a/tiny/shapes.py b/tiny/shapes.py\n--- a/tiny/shapes.py\n"
        f"+++ b/tiny/shapes.py\n@@ -1,2 +1,{len(lines)} @@\n"
        f"-def area(radius):\n-    return 3.141592653589 * radius\n{added}"
    ).encode()


def add_file(path: str, text: str) -> bytes:
    """A patch that adds one file."""
    lines = text.strip("\n").split("\n")
    added = "".join(f"+{line}\n" for line in lines)
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1,{len(lines)} @@\n{added}"
    ).encode()


HONEST = replace_shapes("import math\n\n\ndef area(radius):\n    return math.pi * radius**2\n")


def patch_of(pair: Pair, text: str, path: str) -> bytes:
    """The submission: a new tiny/shapes.py, or the honest one and one more file."""
    if pair.path == "tiny/shapes.py":
        return replace_shapes(text)
    return HONEST + add_file(path, text)


@pytest.fixture
def store(store_root: Path) -> Store:
    """The shared test store."""
    return open_store(store_root)


def grade(store: Store, task: Path, patch: bytes) -> Verdict:
    """The verdict on a patch."""
    return grade_patch(store, load_task(task), patch, seed=5)[1]


@pytest.mark.parametrize("name", PAIRS)
def test_the_attack_scores_zero(store: Store, locked_tiny_task: Path, name: str) -> None:
    pair = PAIRS[name]
    verdict = grade(store, locked_tiny_task, patch_of(pair, pair.attack, pair.path))
    assert verdict.scores.pass1 == 0, pair.what
    assert verdict.scores.fail2pass == 0.0, pair.what
    assert verdict.scores.public == 0.0, pair.what
    failed = [c for c in verdict.checks if not c.baseline_passed]
    assert all(c.reason for c in failed)


@pytest.mark.parametrize("name", PAIRS)
def test_its_honest_twin_scores_one(store: Store, locked_tiny_task: Path, name: str) -> None:
    pair = PAIRS[name]
    path = pair.path.replace("sitecustomize", "customs")
    verdict = grade(store, locked_tiny_task, patch_of(pair, pair.twin, path))
    problems = [(c.id, c.outcome, c.reason, c.message) for c in verdict.checks if not c.passed]
    assert verdict.scores.pass1 == 1, problems


def test_a_forged_regression_run_earns_nothing(store: Store, locked_tiny_task: Path) -> None:
    """Upstream tests share the candidate's process: hooking them may hide a fault there, and that
    is all it can do."""
    verdict = grade(store, locked_tiny_task, replace_shapes(GC_HOOK.attack))
    assert verdict.scores.private < 1.0
    assert verdict.scores.pass1 == 0
    assert all(c.trust == "in-process" for c in verdict.checks if c.kind == "regression")
    assert all(c.baseline_passed for c in verdict.checks if c.kind == "regression")


def test_a_candidate_cannot_tell_private_checks_from_public_ones(
    store: Store, locked_tiny_task: Path
) -> None:
    spy = """
import os


def area(radius):
    seen = [open("/proc/self/mountinfo").read(), os.getcwd(), repr(sorted(os.environ.items()))]
    seen += [repr(sorted(os.listdir(f))) for f in ("/", "/opt", "/opt/referee", "/tmp")]
    words = [w for w in ("public", "private", "regression", "tiny/", "test_") if w in repr(seen)]
    raise LookupError(repr(words))
"""
    verdict = grade(store, locked_tiny_task, replace_shapes(spy))
    told = {c.kind: c.message for c in verdict.checks if c.reason == "exception:LookupError"}
    assert set(told) == {"public", "private"}
    assert all("LookupError: []" in message for message in told.values()), told
