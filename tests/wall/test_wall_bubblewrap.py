"""The wall over the real sandbox: the same outcomes as over the fake one, and enforced limits."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store, open_store, remove_tree
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Limits, SandboxSpec
from referee.wall.run import CheckReport, CheckRequest, run_checks

PYTHON = "/usr/bin/python3"
CHECKS = """
from referee.wall import contract, probe

@probe
def value():
    import tiny
    return tiny.value()

@contract("value")
def test_value(candidate):
    assert candidate(value) == 2.0

def test_still_served(candidate):
    done = candidate.command(["sh", "-c", "cat > out; echo hello"], stdin=b"in", files=["out"])
    assert (done.stdout, done.files["out"]) == (b"hello\\n", b"in")
"""
HONEST = "def value():\n    return 2.0\n"

Run = Callable[[str], CheckReport]


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    folder = Path(tempfile.mkdtemp(prefix="referee-test.", dir="/var/tmp"))
    folder.chmod(0o755)
    yield open_store(folder)
    remove_tree(folder)


@pytest.fixture
def run(store: Store, tmp_path: Path) -> Iterator[Run]:
    """Runs `CHECKS` against a module `tiny` in a fresh sandbox."""
    if not Path(PYTHON).exists():
        pytest.skip("no Python in /usr to run the exec server on")
    scratch = store.scratch("wall")
    scratch.chmod(0o711)
    (tmp_path / "test_it.py").write_text(CHECKS)

    def go(tiny: str) -> CheckReport:
        home = Path(tempfile.mkdtemp(dir=scratch))
        home.chmod(0o755)
        lower = home / "lower"
        lower.mkdir()
        (lower / "tiny.py").write_text(tiny)
        identity = sandbox_identity()
        if identity.dropped:
            for path in (lower, lower / "tiny.py"):
                os.chown(path, identity.uid, identity.gid)
        limits = Limits(memory_bytes=512 << 20, disk_bytes=64 << 20, tmp_bytes=16 << 20)
        options: dict[str, Any] = {"python": PYTHON, "seed": 1, "timeout_s": 60.0}
        request = CheckRequest(
            tests=tmp_path,
            sandbox=SandboxSpec(
                PYTHON,
                overlay=make_overlay(home, (lower,)),
                env={"PYTHONPATH": "/workspace"},
                limits=limits,
            ),
            store=store.root,
            call_timeout_s=5.0,
            **options,
        )
        return run_checks(request)

    yield go
    remove_tree(scratch)


def outcomes(report: CheckReport) -> list[tuple[str, str | None]]:
    return [(result.outcome, result.reason) for result in report.results]


def test_an_honest_candidate_passes(run: Run) -> None:
    report = run(HONEST)
    assert outcomes(report) == [("passed", None)] * 2
    assert {row.limit for row in report.enforcement} >= {"memory_bytes"}


@pytest.mark.parametrize(
    ("tiny", "first"),
    [
        ("import os\ndef value(): os._exit(0)\n", {("failed", "died")}),
        (
            "import os\ndef value():\n    os.kill(-1, 9)\n    os._exit(0)\n",
            {("failed", "died"), ("resource", "resource")},
        ),
        ("def value(): return len(bytearray(4 << 30))\n", {("resource", "resource")}),
        (
            "def value():\n    for n in range(100):\n"
            "        open(f'f{n}', 'wb').write(bytes(1 << 22))\n"
            "    return 2.5\n",
            {("resource", "resource"), ("failed", "died"), ("failed", "assertion")},
        ),
        ("import time\ndef value(): time.sleep(60)\n", {("timeout", "timeout")}),
        (
            "import os\ndef value():\n"
            "    if os.fork() == 0:\n        os.setsid()\n        os.fork()\n"
            "        import time\n        time.sleep(60)\n    return 3.0\n",
            {("failed", "assertion")},
        ),
    ],
    ids=["exits", "kills everything", "memory", "disk", "sleeps", "daemon"],
)
def test_a_hostile_candidate_fails_its_check_and_no_grading(
    run: Run, tiny: str, first: set[tuple[str, str | None]]
) -> None:
    assert outcomes(run(tiny))[0] in first
