"""Frozen evidence stays as it is, or that is found; a replay that is killed is begun anew."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repro_world import Base, World

from referee.record.canonical import sha256_file
from referee.replay.engine import STEPS
from referee.replay.verify import verify


def other_byte(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 1 + at % 255
    path.write_bytes(data)


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def linked(path: Path) -> None:
    """A link to the very same bytes, outside of the evidence."""
    away = Path(tempfile.mkdtemp()) / "file"
    shutil.move(path, away)
    path.symlink_to(away)


CHANGES: dict[str, Callable[[Path, int], object]] = {
    "deleted": lambda path, at: path.unlink(),
    "another byte": other_byte,
    "cut": lambda path, at: os.truncate(path, at % path.stat().st_size),
    "longer": lambda path, at: path.write_bytes(path.read_bytes() + b"\n"),
    "another name": lambda path, at: path.rename(path.with_name(f"new{at}")),
    "a file beside it": lambda path, at: path.with_name(f"new{at}").write_text(""),
    "a folder beside it": lambda path, at: path.with_name(f"new{at}").mkdir(),
    "a link beside it": lambda path, at: path.with_name(f"new{at}").symlink_to(path.name),
    "a second name": lambda path, at: os.link(path, path.with_name(f"new{at}")),
    "a folder in its place": lambda path, at: replaced(path, Path.mkdir),
    "a pipe in its place": lambda path, at: replaced(path, os.mkfifo),
    "a link in its place": lambda path, at: linked(path),
}


@settings(max_examples=40)
@given(which=st.integers(0, 100), change=st.sampled_from(sorted(CHANGES)), at=st.integers(0, 10**6))
def test_any_change_of_frozen_evidence_is_found(
    base: Base, which: int, change: str, at: int
) -> None:
    receipt = sha256_file(base.frozen / "trusted_replay.json")
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "evidence"
        shutil.copytree(base.frozen, folder)
        for place in (folder, *folder.rglob("*")):
            place.chmod(0o755 if place.is_dir() else 0o644)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        assert len(files) > 10
        CHANGES[change](files[which % len(files)], at)
        assert not verify(folder, receipt).ok


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_replay_is_repeated_from_nothing(world: World, step: str) -> None:
    world.hand_in()
    if (child := os.fork()) == 0:
        try:
            world.replayed(for_real=False, reached=lambda now: die() if now == step else None)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert verify(world.folder).ok == (step == "recorded")
    begun_anew(world, for_real=False)


def test_a_replay_that_is_killed_under_its_script_is_repeated_from_nothing(world: World) -> None:
    world.hand_in()
    text = (world.tree / "reproduce.sh").read_text()
    world.script("echo part > outputs/part", "sleep 60")
    if (child := os.fork()) == 0:
        try:
            world.replayed(for_real=True, reached=lambda now: now == "staged" and dies_soon())
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGALRM
    assert verify(world.folder).state == "incomplete"
    world.write("reproduce.sh", text)
    done = begun_anew(world, for_real=True)
    assert not (done / "outputs/outputs/part").exists()


def dies_soon() -> None:
    """Killed by an alarm while the script sleeps: 0.7 s is enough for a sandbox to start, and where
    it is not, the process dies all the same."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.7)


def begun_anew(world: World, *, for_real: bool) -> Path:
    """Replay again: the result is whole, and what lay there is in the history, unread."""
    begun = time.time()
    done = world.replayed(for_real=for_real)
    assert done.record is not None
    assert done.grade is not None
    assert (done.record.status, done.grade.score) == ("completed", 1)
    assert done.record.started_epoch >= begun - 1e-3
    history = world.folder.parent / "history"
    assert len(list(history.iterdir())) == 1
    old = "".join(path.read_text() for path in history.rglob("trusted_replay.json"))
    assert done.record.nonce not in old
    return world.folder
