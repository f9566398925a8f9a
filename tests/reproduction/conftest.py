"""The tiny task's reference evidence, made once by a real replay."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from repro_world import Base, World, patched, tear_down

from referee.environment.store import open_store, remove_tree


@pytest.fixture(scope="session")
def base() -> Iterator[Base]:
    """The reference submission and its frozen evidence."""
    root = Path(tempfile.mkdtemp(prefix="referee-test.", dir="/var/tmp"))
    root.chmod(0o755)
    store = open_store(root / "store")
    solved = patched("reference.patch", root / "solved")
    first = World(root / "first", Base(store, solved, root, None), pytest.MonkeyPatch())  # type: ignore[arg-type]
    first.hand_in()
    outcome = first.replayed(for_real=True)
    assert outcome.record is not None
    assert outcome.record.status == "completed", outcome.record
    yield Base(store, solved, first.folder, outcome.record)
    remove_tree(root)


@pytest.fixture
def world(tmp_path: Path, base: Base, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A copy of the reference for one test to harm."""
    yield World(tmp_path, base, monkeypatch)
    monkeypatch.undo()
    tear_down(tmp_path)
