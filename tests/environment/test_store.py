"""The store: whole or absent, built by one while others wait, swept and pruned."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import time
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import pytest
from environment_packages import Index, Small

from referee.environment.inventory import disk_bytes, list_store, prune
from referee.environment.prepare import in_use, prepare
from referee.environment.store import Store, open_store, process_start, remove_tree
from referee.record.fault import BadInput, Infrastructure

DIGEST = "d" * 64
FORK = multiprocessing.get_context("fork")


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.005)


def build_slowly(root: Path, started: Path, seconds: float, count: Synchronized[int]) -> None:
    def build(folder: Path) -> None:
        (folder / "half").write_text("half")
        with count.get_lock():
            count.value += 1
        started.write_text("")
        time.sleep(seconds)
        (folder / "whole").write_text("whole")

    Store(root).publish("env", DIGEST, build)


def test_a_killed_build_leaves_nothing_that_counts(store: Store, tmp_path: Path) -> None:
    count = FORK.Value("i", 0)
    child = FORK.Process(target=build_slowly, args=(store.root, tmp_path / "on", 60.0, count))
    child.start()
    wait_for(tmp_path / "on")
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert not store.path("env", DIGEST).exists()
    assert len(list((store.root / "env").iterdir())) == 1
    open_store(store.root)
    assert list((store.root / "env").iterdir()) == []


def test_what_another_process_builds_is_not_swept(store: Store, tmp_path: Path) -> None:
    count = FORK.Value("i", 0)
    child = FORK.Process(target=build_slowly, args=(store.root, tmp_path / "on", 0.5, count))
    child.start()
    wait_for(tmp_path / "on")
    assert store.sweep() == 0
    child.join()
    assert child.exitcode == 0
    assert (store.path("env", DIGEST) / "whole").is_file()


def test_two_processes_build_once(store: Store, tmp_path: Path) -> None:
    count = FORK.Value("i", 0)
    children = [
        FORK.Process(target=build_slowly, args=(store.root, tmp_path / str(n), 0.3, count))
        for n in range(3)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert count.value == 1


def test_a_failed_build_leaves_nothing_and_the_next_try_works(store: Store) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("")
        raise BadInput("no")

    with pytest.raises(BadInput):
        store.publish("env", DIGEST, fail)
    assert list((store.root / "env").iterdir()) == []
    assert store.publish("env", DIGEST, lambda folder: None).is_dir()


def test_a_full_disk_is_the_machines_fault(store: Store) -> None:
    def fill(folder: Path) -> None:
        raise OSError(28, "No space left on device", str(folder))

    with pytest.raises(Infrastructure, match="disk_full"):
        store.publish("env", DIGEST, fill)
    assert list((store.root / "env").iterdir()) == []


KILLED = """
import sys, os
from pathlib import Path
from referee.environment import build
from referee.environment.prepare import prepare
from referee.environment.store import Store
from referee.task.model import SourceFile
real = build.compile_bytecode
def stop(*arguments):
    Path(sys.argv[4]).write_text("")
    import time
    time.sleep(60)
build.compile_bytecode = stop
source = SourceFile.model_validate_json(sys.argv[2])
prepare(Store(Path(sys.argv[1])), source, Path(sys.argv[3]))
"""


def test_a_killed_environment_is_built_again(store: Store, small: Small, tmp_path: Path) -> None:
    lock, mark = tmp_path / "requirements.lock", tmp_path / "installed"
    lock.write_text(small.lock_text)
    given = [str(store.root), small.source.model_dump_json(), str(lock), str(mark)]
    child = subprocess.Popen([sys.executable, "-c", KILLED, *given], start_new_session=True)
    wait_for(mark)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert [p.name for p in (store.root / "env").iterdir() if not p.name.startswith(".")] == []
    environment = prepare(store, small.source, small.lock).environment
    assert list(environment.site_packages.glob("__pycache__/moons.*.pyc"))
    assert [p.name for p in (store.root / "env").iterdir()] == [environment.digest]


def test_runtime_files_are_whole_and_readable(store: Store) -> None:
    old = os.umask(0o077)
    try:
        folder = store.runtime({"a/b.sh": (b"#!/bin/sh\n", 0o755), "c": (b"x", 0o644)})
    finally:
        os.umask(old)
    assert folder == store.runtime({"c": (b"x", 0o644), "a/b.sh": (b"#!/bin/sh\n", 0o755)})
    assert stat.S_IMODE((folder / "a").stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "a/b.sh").stat().st_mode) == 0o755


def test_a_store_is_enterable_whatever_the_umask(open_folder: Path) -> None:
    old = os.umask(0o077)
    try:
        store = open_store(open_folder / "a" / "b")
    finally:
        os.umask(old)
    for name in ("env", "snapshot", "python", "runtime"):
        assert stat.S_IMODE((store.root / name).stat().st_mode) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's sandboxes run as another user")
def test_a_store_behind_a_closed_folder_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(BadInput, match="may not enter"):
        open_store(closed / "store")


def test_every_thing_is_listed_once_with_its_size(store: Store, small: Small) -> None:
    prepared = prepare(store, small.source, small.lock)
    rows = {(row.kind, row.digest): row for row in list_store(store)}
    assert set(prepared.things) <= set(rows)
    assert rows["env", prepared.environment.digest].what.endswith("2 packages")
    assert rows["snapshot", prepared.snapshot.digest].what == "planet 1.2.0"
    total = sum(row.bytes for row in rows.values())
    used = subprocess.run(
        ["du", "-s", "-B1", store.root], capture_output=True, text=True, check=True
    )
    assert total == pytest.approx(int(used.stdout.split()[0]), rel=0.2)


def test_prune_keeps_what_is_named_or_in_use(store: Store, small: Small, index: Index) -> None:
    first = prepare(store, small.source, small.lock)
    release = index.sdist("comet", "1.0", {"comet/__init__.py": "", "tests/t.py": ""})
    source = small.source.model_copy(update={"source": release})
    second = prepare(store, source, small.lock)
    kept = {digest for _kind, digest in second.things} - {second.environment.digest}
    with in_use(store, first):
        assert prune(store, kept) == 0
    assert first.snapshot.tree.is_dir()
    assert first.environment.path.is_dir()
    freed = prune(store, kept)
    assert freed > 0
    assert not first.snapshot.tree.exists()
    assert not first.environment.path.exists()
    assert second.snapshot.tree.is_dir()
    again = prepare(store, small.source, small.lock)
    assert again == first


def test_prune_of_everything_leaves_next_to_nothing(store: Store, small: Small) -> None:
    prepare(store, small.source, small.lock)
    prune(store, downloads=True)
    assert disk_bytes(store) < 200_000
    prepare(store, small.source, small.lock)


def test_what_was_used_lately_stays(store: Store, small: Small) -> None:
    prepared = prepare(store, small.source, small.lock)
    os.utime(store.path("snapshot", prepared.snapshot.digest), (0, 0))
    prune(store, unused_s=3600.0)
    assert not prepared.snapshot.tree.exists()
    assert prepared.environment.path.is_dir()


def make_scratch(root: Path, queue: multiprocessing.SimpleQueue[str]) -> None:
    queue.put(str(Store(root).scratch("trial")))


def test_workspaces_of_dead_processes_are_swept(store: Store) -> None:
    queue: multiprocessing.SimpleQueue[str] = FORK.SimpleQueue()
    child = FORK.Process(target=make_scratch, args=(store.root, queue))
    child.start()
    dead = Path(queue.get())
    child.join()
    locked = dead / "work"
    locked.mkdir(mode=0)
    alive = store.scratch("trial.with.dots")
    prune(store)
    assert alive.is_dir()
    assert not dead.exists()


def test_a_process_number_used_again_is_another_process() -> None:
    assert process_start(os.getpid()) == process_start(os.getpid()) is not None
    assert process_start(os.getpid()) != process_start(1)
    assert process_start(2**22 + 1) is None


def test_a_tree_of_any_depth_is_removed(tmp_path: Path) -> None:
    root, kept = tmp_path / "root", tmp_path / "kept.txt"
    kept.write_text("kept")
    (root / "shut" / "inner").mkdir(parents=True)
    (root / "shut" / "inner" / "file").write_text("x")
    (root / "shut" / "link").symlink_to(kept)
    (root / "folder-link").symlink_to(tmp_path)
    (root / "shut" / "inner").chmod(0)
    (root / "shut").chmod(0)
    fd = os.open(root, os.O_RDONLY)
    for _ in range(5000):
        os.mkdir("deep", dir_fd=fd)
        inner = os.open("deep", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(fd)
    remove_tree(root)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.txt"]
    assert kept.read_text() == "kept"
    remove_tree(root)  # what is not there is removed already
