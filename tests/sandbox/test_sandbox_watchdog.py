"""Measuring a tree that its owner may not want measured."""

from __future__ import annotations

import os

import pytest

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
