"""The public checks in the agent's own sandbox: the same words, without a wall."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.wall.runtime import CODEC, local_runtime, worker_runtime

CHECKS = """
import pytest
from referee.wall import (
    CandidateDied, CandidateError, CandidateProtocol, CandidateResource, contract, probe,
)

@probe
def double(x):
    import tiny
    return tiny.double(x)

@probe
def fails():
    raise KeyError("x")

@probe
def fills():
    raise MemoryError

@probe
def objects():
    return object()

@contract("reported-case")
def test_double(candidate):
    assert candidate(double, 2.0) == 4.0

def test_lists_are_copied(candidate):
    given = [1]
    got = candidate(double, given)
    assert got == [1, 1] and given == [1]

def test_classes_of_failure(candidate):
    with pytest.raises(CandidateError) as caught:
        candidate(fails)
    assert caught.value.is_a("LookupError")
    with pytest.raises(CandidateResource):
        candidate(fills)
    with pytest.raises(CandidateProtocol):
        candidate(objects)

def test_command(candidate, tmp_path):
    done = candidate.command(
        ["sh", "-c", "cat > out; exit 3"], cwd=str(tmp_path), stdin=b"x", files=["out"]
    )
    assert (done.exit_code, done.stdout, done.files) == (3, b"", {"out": b"x"})
    with pytest.raises(CandidateDied):
        candidate.command(["sh", "-c", "kill -9 $$"])

def test_this_package_is_small():
    import sys
    loaded = [name for name in sys.modules if name.split(".")[0] in ("referee", "pydantic")]
    assert sorted(loaded) == [
        "referee", "referee.wall", "referee.wall.api", "referee.wall.codec",
        "referee.wall.codec.decoder", "referee.wall.codec.encoder", "referee.wall.codec.form",
        "referee.wall.codec.frames", "referee.wall.local",
    ]
"""
TINY = "def double(x):\n    x += x\n    return x\n"


def lay_out(root: Path) -> None:
    for name, (data, mode) in local_runtime().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)


def public_checks(tmp_path: Path, tiny: str) -> subprocess.CompletedProcess[str]:
    """Run the program as an agent would: nothing of referee but the files that it is given."""
    lay_out(tmp_path / "tools")
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "test_public.py").write_text(CHECKS)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "tiny.py").write_text(tiny)
    env = {
        "PATH": os.environ["PATH"],
        "REFEREE_PUBLIC": str(tmp_path / "public"),
        "REFEREE_PYTHON": sys.executable,
        "PYTHONPATH": str(tmp_path / "work"),
    }
    return subprocess.run(
        [str(tmp_path / "tools" / "public-checks"), "-q"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )


def test_public_checks_pass_with_the_given_files_alone(tmp_path: Path) -> None:
    done = public_checks(tmp_path, TINY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b5 passed", done.stdout)
    assert [path.name for path in (tmp_path / "public").iterdir()] == ["test_public.py"]


def test_public_checks_fail_for_a_wrong_candidate(tmp_path: Path) -> None:
    done = public_checks(tmp_path, "def double(x):\n    return x\n")
    assert done.returncode == 1
    assert "2 failed" in done.stdout


@pytest.mark.parametrize("name", [n for n in local_runtime() if n.endswith(".py")])
def test_what_agents_get_is_python_3_8(name: str) -> None:
    data, mode = local_runtime()[name]
    ast.parse(data.decode(), feature_version=(3, 8))
    assert mode == 0o644


def test_worker_files() -> None:
    assert set(worker_runtime()) == {"worker.py", *CODEC}
