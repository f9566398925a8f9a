"""The layer of a submission: only its own files, and no more whiteouts than needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from referee.environment.identity import sandbox_identity
from referee.record.canonical import sha256_bytes
from referee.record.fault import Infrastructure
from referee.record.tree import REGULAR, Entry, Tree
from referee.submission.apply import Applied, settle
from referee.submission.layer import LAYER_MTIME, whiteouts, write_layer
from referee.submission.policy import Policy

BASE = {"a/x.py": b"x\n", "a/y.py": b"y\n", "a/b/z.py": b"z\n", "c.py": b"c\n"}
TREE = Tree({p: Entry(REGULAR, len(d), sha256_bytes(d)) for p, d in sorted(BASE.items())})


def change(changes: dict[str, bytes | None], executable: bool = False) -> Applied:
    modes = dict.fromkeys(changes, "100755" if executable else "100644")
    return settle(TREE, BASE.__getitem__, changes, modes, Policy(("**",)))


@pytest.mark.parametrize(
    ("changes", "hidden"),
    [
        ({"a/x.py": None}, ["a/x.py"]),
        ({"a/b/z.py": None}, ["a/b"]),
        ({"a/x.py": None, "a/y.py": None}, ["a/x.py", "a/y.py"]),
        ({"a/x.py": None, "a/y.py": None, "a/b/z.py": None}, ["a"]),
        ({"a/x.py": None, "a/y.py": None, "a/b/z.py": None, "a": b"file\n"}, []),
        ({"c.py": None, "c.py/d.py": b"folder\n"}, []),
        ({"a/b/z.py": None, "a/b/new.py": b"n\n"}, ["a/b/z.py"]),
    ],
)
def test_whiteouts_hide_whole_folders_where_nothing_is_left(
    changes: dict[str, bytes | None], hidden: list[str]
) -> None:
    assert whiteouts(change(changes), TREE) == hidden


def test_a_layer_has_the_changed_files_and_nothing_else(tmp_path: Path) -> None:
    applied = change({"a/x.py": b"new\n", "a/b/z.py": None, "n/e/w": b"\r\n"}, executable=True)
    old_umask = os.umask(0o077)
    try:
        layer = write_layer(applied, tmp_path / "deep/layer", TREE)
    finally:
        os.umask(old_umask)
    found = {p.relative_to(layer).as_posix(): p.lstat() for p in layer.rglob("*")}
    assert set(found) == {"a", "a/x.py", "a/b", "n", "n/e", "n/e/w"}
    assert stat.S_ISCHR(found["a/b"].st_mode)
    assert found["a/b"].st_rdev == 0
    assert (layer / "a/x.py").read_bytes() == b"new\n"
    assert stat.S_IMODE(found["a/x.py"].st_mode) == 0o755
    assert stat.S_IMODE(found["n"].st_mode) == 0o755
    assert {info.st_mtime for info in found.values()} == {LAYER_MTIME}
    assert {info.st_uid for info in found.values()} == {sandbox_identity().uid}


def test_an_empty_submission_gives_an_empty_layer(tmp_path: Path) -> None:
    assert list(write_layer(change({}), tmp_path / "layer", TREE).iterdir()) == []


def test_b08_a_layer_is_never_laid_over_other_files(tmp_path: Path) -> None:
    (tmp_path / "left.py").write_text("from another trial")
    with pytest.raises(Infrastructure) as caught:
        write_layer(change({"c.py": b"n\n"}), tmp_path, TREE)
    assert caught.value.reason == "layer_not_empty"


def test_a_disk_that_refuses_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Infrastructure) as caught:
        write_layer(change({"c.py": b"n\n"}), tmp_path / "file/layer", TREE)
    assert caught.value.reason == "layer_write"
