"""Measuring a tree that its owner may not want measured."""

from __future__ import annotations

import os

import pytest

from referee.environment.store import remove_tree
from referee.sandbox.watchdog import measure

PLENTY = {"max_bytes": 1 << 40, "max_files": 10**6}


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    (root / "a" / "b").mkdir(parents=True)
    for name in ("one", "a/two", "a/b/three"):
        (root / name).write_bytes(os.urandom(1 << 16))
    return root


def test_counts_blocks_and_entries(tree):
    usage = measure(tree, **PLENTY)
    assert usage.complete
    assert usage.files == 5
    assert 3 << 16 <= usage.bytes <= (3 << 16) + 5 * 8192


def test_sparse_files_and_second_names_cost_what_they_cost(tree):
    before = measure(tree, **PLENTY)
    with (tree / "sparse").open("wb") as stream:
        stream.truncate(1 << 30)
    os.link(tree / "one", tree / "again")
    after = measure(tree, **PLENTY)
    assert after.files == before.files + 2
    assert after.bytes - before.bytes < 1 << 16


def test_links_are_not_followed(tree, tmp_path):
    before = measure(tree, **PLENTY)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "big").write_bytes(os.urandom(1 << 20))
    (tree / "link").symlink_to(outside)
    assert measure(tree, **PLENTY).bytes - before.bytes < 1 << 16


def test_a_folder_that_becomes_a_link_during_the_walk_is_not_followed(tree, tmp_path, monkeypatch):
    outside = tmp_path / "outside"
    (outside / "b").mkdir(parents=True)
    (outside / "b" / "big").write_bytes(os.urandom(1 << 20))
    for target in (outside, "a"):  # elsewhere, and in a circle
        honest = measure(tree, **PLENTY)
        with monkeypatch.context() as patched:
            patched.setattr(os, "scandir", _swap_after(tree / "a", target))
            usage = measure(tree, **PLENTY)
        assert usage.complete
        assert usage.bytes <= honest.bytes
        (tree / "a").unlink()
        (tree / "moved").rename(tree / "a")


def _swap_after(folder, target):
    """A scandir that puts a link to `target` in the place of `folder` once that was listed."""
    scandir = os.scandir

    def listed(fd):
        here = os.path.samestat(os.fstat(fd), folder.stat()) if folder.is_dir() else False
        found = scandir(fd)
        if here and not folder.is_symlink():
            folder.rename(folder.with_name("moved"))
            folder.symlink_to(target)
        return found

    return listed


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads closed folders")
def test_a_folder_that_is_closed_again_and_again_counts_as_full(tree, monkeypatch):
    (tree / "a").chmod(0)
    monkeypatch.setattr(os, "chmod", lambda *_: None)  # as if it were closed at once
    usage = measure(tree, **PLENTY)
    monkeypatch.undo()
    (tree / "a").chmod(0o700)
    assert not usage.complete


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100])
def test_closed_folders_are_counted_and_stay_closed(tree, mode):
    before = measure(tree, **PLENTY)
    (tree / "a" / "b").chmod(mode)
    (tree / "a").chmod(mode)
    try:
        assert measure(tree, **PLENTY) == before
        assert (tree / "a").stat().st_mode & 0o777 == mode
    finally:
        (tree / "a").chmod(0o700)
        assert (tree / "a" / "b").stat().st_mode & 0o777 == mode
        (tree / "a" / "b").chmod(0o700)


def test_walk_ends_at_a_cap(tree):
    assert not measure(tree, max_bytes=1 << 16, max_files=100).complete
    assert not measure(tree, max_bytes=1 << 40, max_files=4).complete
    assert measure(tree, max_bytes=1 << 40, max_files=5).complete


def test_very_deep_tree_is_walked(tmp_path):
    root = tmp_path / "deep"
    root.mkdir()
    fd = os.open(root, os.O_RDONLY)
    for _ in range(600):
        os.mkdir("d" * 9, dir_fd=fd)
        inner = os.open("d" * 9, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(fd)
    assert measure(root, **PLENTY).files == 600
    remove_tree(root)
