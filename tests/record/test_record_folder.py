"""A folder's digest sees everything below it."""

from __future__ import annotations

import os

import pytest

from referee.record.folder import folder_digest, fsync_folder, irregular_entries


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "record/a/b").mkdir(parents=True)
    (tmp_path / "record/a/one").write_bytes(b"1")
    (tmp_path / "record/a/b/two").write_bytes(b"2")
    return tmp_path / "record"


def test_it_is_the_same_for_a_copy_with_other_times_and_owners_bits(folder, tmp_path):
    before = folder_digest(folder)
    os.utime(folder / "a/one", (1, 1))
    (folder / "a/one").chmod(0o600)
    assert folder_digest(folder.rename(tmp_path / "moved")) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / "a/one").write_bytes(b"2"),
        lambda f: (f / "a/one").rename(f / "one"),
        lambda f: (f / "a/one").unlink(),
        lambda f: (f / "a/one").chmod(0o755),
        lambda f: (f / "a/empty").mkdir(),
        lambda f: (f / "a/empty").touch(),
        lambda f: (f / "link").symlink_to("a/one"),
        lambda f: os.mkfifo(f / "pipe"),
    ],
)
def test_every_change_changes_it(folder, change):
    before = folder_digest(folder)
    change(folder)
    assert folder_digest(folder) != before


def test_links_are_not_followed_and_odd_names_are_no_obstacle(folder):
    (folder / "loop").symlink_to(folder)
    odd = os.fsencode(folder) + b"/\xff"
    os.close(os.open(odd, os.O_CREAT | os.O_WRONLY))
    assert len(folder_digest(folder)) == 64
    assert irregular_entries(folder) == ["loop"]


def test_a_folder_can_be_made_durable(folder):
    before = folder_digest(folder)
    fsync_folder(folder)
    assert folder_digest(folder) == before
