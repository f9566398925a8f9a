"""Shared by all rooms: a tiny package with a wrong formula, and the task of its repair."""

from __future__ import annotations

import hashlib
import io
import os
import runpy
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

from referee.environment.store import remove_tree

settings.register_profile("referee", deadline=None)  # a busy machine is no failed property
settings.load_profile("referee")

ROOT = Path(__file__).resolve().parents[1]
PYTEST_LOCK = ROOT / "suites" / "repair" / "079-selfies-aromatic/environment/requirements.lock"

PACKAGE = {
    "tiny/__init__.py": 'from tiny.shapes import area\n\nNAME = "tiny"\n__all__ = ["area"]\n',
    "tiny/shapes.py": "def area(radius):\n    return 3.141592653589 * radius\n",
    "tests/test_upstream.py": (
        "import tiny\n\n\ndef test_name():\n    assert tiny.NAME == 'tiny'\n\n\n"
        "def test_zero():\n    assert tiny.area(0.0) == 0.0\n"
    ),
    "README.md": "Tiny.\n",
    "PKG-INFO": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
}

REFERENCE = """\
diff --git a/tiny/shapes.py b/tiny/shapes.py
--- a/tiny/shapes.py
+++ b/tiny/shapes.py
@@ -1,2 +1,5 @@
+import math
+
+
 def area(radius):
-    return 3.141592653589 * radius
+    return math.pi * radius**2
"""

TASK_TOML = """\
schema_version = "1.4"

[task]
name = "test/001-tiny"

[agent]
timeout_sec = 60

[environment]
cpus = 1
memory_mb = 512
storage_mb = 64

[verifier]
timeout_sec = 120

[referee]
kind = "repair"
suite = "tiny"
id = "001"
domain = "Mathematics"
paradigm = "issue-driven"
licence = "MIT"
writable = ["tiny/**/*.py"]
conditions = { science = ["with", "without"] }

[referee.limits]
call_timeout_sec = 4

[referee.wall]
preload = ["tiny"]
"""

SOURCE_TOML = """\
[source]
registry = "pypi"
name = "tiny"
version = "1.0"
file = "tiny-1.0.tar.gz"
sha256 = "{sha256}"

[python]
version = "3.11"
"""

PUBLIC = """\
from referee.wall import contract, probe


@probe
def area(radius):
    import tiny

    return tiny.area(radius)


@contract("reported-case")
def test_unit_circle(candidate):
    assert abs(candidate(area, 1.0) - 3.141592653589793) < 1e-14
"""

PRIVATE = """\
# referee-canary 001 00000000-0000-0000-0000-000000000007
from referee.wall import contract, probe


@probe
def area(radius):
    import tiny

    return tiny.area(radius)


@probe
def name():
    import tiny

    return tiny.NAME


@contract("scaling")
def test_area_grows_with_the_square(candidate, rng):
    r = float(rng.uniform(1.5, 3.0))
    got = candidate(area, r)
    assert isinstance(got, float)
    assert abs(got - 3.141592653589793 * r * r) <= 1e-9


@contract("scaling")
def test_area_of_two(candidate):
    assert abs(candidate(area, 2.0) - 4 * 3.141592653589793) <= 1e-9


@contract("interface")
def test_name_stays(candidate):
    assert candidate(name) == "tiny"
"""


def tiny_sdist() -> bytes:
    """The bytes of tiny-1.0.tar.gz, the same on every call."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, text in PACKAGE.items():
            info = tarfile.TarInfo(f"tiny-1.0/{name}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    import gzip

    return gzip.compress(raw.getvalue(), mtime=0)


def write_task(root: Path, *, regression: bool = False) -> Path:
    """A complete task package in `root`, without a baseline."""
    lock = PYTEST_LOCK.read_text(encoding="utf-8")
    sha256 = hashlib.sha256(tiny_sdist()).hexdigest()
    files = {
        "task.toml": TASK_TOML,
        "instruction.md": "# Areas are wrong\n\nMend `tiny.area`.\n",
        "environment/source.toml": SOURCE_TOML.format(sha256=sha256),
        "environment/requirements.lock": lock,
        "environment/context/circle.md": "The area of a circle.\n",
        "environment/science/pi.md": "Pi is 3.14159.\n",
        "environment/public/test_public.py": PUBLIC,
        "environment/public/reproduce.py": "import tiny\n\nprint(tiny.area(1.0))\n",
        "tests/private/test_area.py": PRIVATE,
        "solution/reference.toml": 'patch = "reference.patch"\n',
        "solution/reference.patch": REFERENCE,
    }
    if regression:
        upstream = PACKAGE["tests/test_upstream.py"].encode()
        files["tests/regression.toml"] = (
            'ids = ["tests/test_upstream.py::test_name", "tests/test_upstream.py::test_zero"]\n'
            "timeout_sec = 15\n\n[files]\n"
            f'"tests/test_upstream.py" = "{hashlib.sha256(upstream).hexdigest()}"\n'
        )
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def tiny_task(tmp_path: Path) -> Path:
    """The folder of a complete small task package without a baseline."""
    return write_task(tmp_path / "001-tiny")


@pytest.fixture
def write_tiny_task() -> Callable[..., Path]:
    """The writer of small task packages."""
    return write_task


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """An empty folder that every user may enter (pytest's own may not be)."""
    folder = Path(tempfile.mkdtemp(prefix="referee-test."))
    folder.chmod(0o755)
    yield folder
    remove_tree(folder)


@pytest.fixture(scope="session")
def store_root() -> Path:
    """A store that every user may enter, shared by test processes and kept between test runs."""
    root = Path(tempfile.gettempdir()) / f"referee-tests-{os.geteuid()}"
    root.mkdir(mode=0o755, exist_ok=True)
    root.chmod(0o755)
    sdist = tiny_sdist()
    folder = root / "downloads" / hashlib.sha256(sdist).hexdigest()
    if not (folder / "tiny-1.0.tar.gz").exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f".{os.getpid()}"
        partial.write_bytes(sdist)
        partial.rename(folder / "tiny-1.0.tar.gz")
    return root


@pytest.fixture
def store_environment(store_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared test store, named to every `referee` that the test starts."""
    monkeypatch.setenv("REFEREE_STORE", str(store_root))
    return store_root


@pytest.fixture(scope="session")
def locked_tiny_task(store_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small task with a regression suite and a baseline made by the production grader."""
    from referee.environment.store import open_store
    from referee.task.package import load_task
    from referee.trial.baseline import lock_baseline
    from referee.trial.workspace import bench_for

    root = write_task(tmp_path_factory.mktemp("task") / "001-tiny", regression=True)
    task = load_task(root)
    lock_baseline(bench_for(open_store(store_root), task), task)
    return root


def write_evidence(root: Path) -> None:
    """A chain of evidence for a task that no validation has seen: tests of runs need it."""
    from referee.author.evidence import VALIDATION, append_evidence, stages_of
    from referee.task.package import load_task

    task = load_task(root)
    (root / VALIDATION).write_text("{}\n")
    facts = {"validation": hashlib.sha256(b"{}\n").hexdigest()}
    for stage in stages_of(task):
        append_evidence(task, stage, facts if stage == "validate" else {})


@pytest.fixture
def tiny_suite(locked_tiny_task: Path, tmp_path: Path) -> Path:
    """A suite folder that holds the locked small task, with evidence."""
    suite = tmp_path / "suites" / "tiny"
    shutil.copytree(locked_tiny_task, suite / "001-tiny")
    write_evidence(suite / "001-tiny")
    (suite / "suite.toml").write_text(
        '[suite]\nname = "tiny"\nversion = "1"\ntitle = "Tiny"\ntasks = ["001-tiny"]\n'
    )
    return suite


@pytest.fixture
def reproduction_suite(tmp_path: Path, tiny_reproduction: SimpleNamespace) -> Path:
    """A suite folder that holds the tiny reproduction task, with evidence."""
    suite = tmp_path / "suites" / "slabs"
    task = tiny_reproduction.write_reproduction(suite / "901-slab")
    write_evidence(task)
    (suite / "suite.toml").write_text(
        '[suite]\nname = "slabs"\nversion = "1"\ntitle = "Slabs"\njudge = "scripted"\n'
        'tasks = ["901-slab"]\n'
    )
    return suite


@pytest.fixture(scope="session")
def tiny_reproduction() -> SimpleNamespace:
    """The functions and texts of `reproduction_tiny.py`."""
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("reproduction_tiny.py"))))


@pytest.fixture
def reproduction_task(tmp_path: Path, tiny_reproduction: SimpleNamespace) -> Path:
    """A complete reproduction task."""
    return tiny_reproduction.write_reproduction(tmp_path / "901-slab")
