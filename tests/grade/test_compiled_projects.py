"""A compiled project is rebuilt from the patched source, in a sandbox of its own."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.environment.store import Store, open_store
from referee.record.verdict import Verdict
from referee.task.package import load_task
from referee.trial.baseline import lock_baseline
from referee.trial.grade_one import grade_patch
from referee.trial.workspace import bench_for

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

LOADER = """\
import ctypes
import pathlib

_LIBRARY = ctypes.CDLL(str(pathlib.Path(__file__).with_name("_area.so")))
_LIBRARY.area.restype = ctypes.c_double
_LIBRARY.area.argtypes = [ctypes.c_double]
NAME = "tiny"


def area(radius):
    return _LIBRARY.area(radius)
"""
C_SOURCE = "double area(double r) { return 3.141592653589 * r; }\n"
BUILD = """
[referee.build]
commands = [["gcc", "-O1", "-shared", "-fPIC", "-o", "tiny/_area.so", "src/area.c"]]
outputs = ["tiny/_area.so"]
timeout_sec = 60
"""


def _sdist() -> bytes:
    files = {"tiny/__init__.py": LOADER, "src/area.c": C_SOURCE}
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"tiny-1.0/{name}")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return gzip.compress(raw.getvalue(), mtime=0)


@pytest.fixture(scope="module")
def store(store_root: Path) -> Store:
    """The shared test store, with the compiled package in it."""
    opened = open_store(store_root)
    data = _sdist()
    folder = opened.root / "downloads" / hashlib.sha256(data).hexdigest()
    folder.mkdir(exist_ok=True)
    (folder / "tiny-1.0.tar.gz").write_bytes(data)
    return opened


@pytest.fixture
def compiled_task(store: Store, tmp_path: Path, write_tiny_task: Callable[..., Path]) -> Path:
    """The small task with its formula in C, locked."""
    root = write_tiny_task(tmp_path / "001-tiny")
    toml = (root / "task.toml").read_text().replace("tiny/**/*.py", "src/**/*.c")
    (root / "task.toml").write_text(toml + BUILD)
    source = root / "environment/source.toml"
    lines = [
        f'sha256 = "{hashlib.sha256(_sdist()).hexdigest()}"' if row.startswith("sha256") else row
        for row in source.read_text().splitlines()
    ]
    source.write_text("\n".join(lines) + "\n")
    (root / "solution/reference.patch").write_bytes(patch("return 3.141592653589793 * r * r;"))
    task = load_task(root)
    lock_baseline(bench_for(store, task), task)
    return root


def patch(statement: str) -> bytes:
    """A patch that replaces the C function's body."""
    return (
        "diff --git a/src/area.c b/src/area.c\n--- a/src/area.c\n+++ b/src/area.c\n"
        f"@@ -1 +1 @@\n-{C_SOURCE}+double area(double r) {{ {statement} }}\n"
    ).encode()


def grade(store: Store, task: Path, data: bytes) -> Verdict:
    """The verdict on a patch."""
    return grade_patch(store, load_task(task), data, seed=3)[1]


def test_the_patched_source_is_what_runs(store: Store, compiled_task: Path) -> None:
    good = grade(store, compiled_task, (compiled_task / "solution/reference.patch").read_bytes())
    assert good.scores.pass1 == 1
    assert "build" in good.timing
    assert any(row.phase == "build" for row in good.enforcement)
    assert grade(store, compiled_task, b"").scores.fail2pass == 0.0


def test_a_build_that_fails_is_a_failed_repair(store: Store, compiled_task: Path) -> None:
    broken = grade(store, compiled_task, patch("return missing;"))
    assert broken.scores.pass1 == 0
    assert {check.reason for check in broken.checks} == {"build_failed"}
    assert "missing" in broken.checks[0].message


def test_a_compiled_file_cannot_be_handed_in(store: Store, compiled_task: Path) -> None:
    added = (
        b"diff --git a/src/_area.so b/src/_area.so\nnew file mode 100644\n--- /dev/null\n"
        b"+++ b/src/_area.so\n@@ -0,0 +1 @@\n+\x7fELF\n"
    )
    assert grade(store, compiled_task, added).refusal == "compiled_code"


def test_an_agent_starts_from_a_built_workspace(store: Store, compiled_task: Path) -> None:
    from referee.grade.layers import built_layers

    layers = built_layers(bench_for(store, load_task(compiled_task)))
    assert (layers[-1] / "tiny/_area.so").is_file()
    assert [p.name for p in layers[-1].rglob("*") if p.is_file()] == ["_area.so"]
