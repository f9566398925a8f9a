"""Shared by all rooms: a tiny task package that tests may copy and bend."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

TASK_TOML = """\
schema_version = "1.4"

[task]
name = "test/001-tiny"

[environment]
cpus = 1
memory_mb = 1024
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
    assert abs(candidate(area, 1.0) - 3.141592653589793) < 1e-12
"""

PRIVATE = """\
# referee-canary 001 {canary}
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


@contract("interface")
def test_name_stays(candidate):
    assert candidate(name) == "tiny"
"""


def write_task(root: Path, *, sha256: str = "0" * 64) -> Path:
    """A complete package in `root`; its release does not exist unless `sha256` is real."""
    files = {
        "task.toml": TASK_TOML,
        "instruction.md": "# Areas are wrong\n\nMend `tiny.area`.\n",
        "environment/source.toml": SOURCE_TOML.format(sha256=sha256),
        "environment/requirements.lock": "",
        "environment/context/circle.md": "The area of a circle.\n",
        "environment/science/pi.md": "Pi is 3.14159.\n",
        "environment/public/test_public.py": PUBLIC,
        "environment/public/reproduce.py": "import tiny\n\nprint(tiny.area(1.0))\n",
        "tests/private/test_area.py": PRIVATE.format(canary=uuid.UUID(int=7)),
        "solution/reference.toml": 'patch = "reference.patch"\n',
        "solution/reference.patch": "",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def tiny_task(tmp_path: Path) -> Path:
    """The folder of a complete small task package."""
    return write_task(tmp_path / "001-tiny")


@pytest.fixture
def write_tiny_task() -> Callable[..., Path]:
    """The writer of small task packages."""
    return write_task
