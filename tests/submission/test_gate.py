"""One door: a workspace and an outside patch that do the same get the same result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from referee.record.canonical import sha256_bytes
from referee.record.tree import Tree, scan_tree
from referee.submission.apply import tree_reader
from referee.submission.gate import Submission, from_patch, from_workspace
from referee.submission.policy import Policy

POLICY = Policy(writable=("pkg/*.py",), max_bytes=5000)


@pytest.fixture
def base_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "base/pkg"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("one\ntwo\nthree\n")
    (folder / "b.py").write_text("b\n")
    return tmp_path / "base"


@pytest.fixture
def base(base_dir: Path) -> Tree:
    return scan_tree(base_dir)


@pytest.fixture
def upper(tmp_path: Path) -> Path:
    folder = tmp_path / "upper/pkg"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("one\nTWO\nthree\nfour\n")
    (folder / "n.py").write_text("n\n")
    (folder / "__pycache__").mkdir()
    return tmp_path / "upper"


def test_both_doors_lead_to_the_same_tree(base: Tree, base_dir: Path, upper: Path) -> None:
    inside, patch, applied = from_workspace(base, base_dir, upper, POLICY)
    assert applied is not None
    outside, kept, again = from_patch(base, tree_reader(base, base_dir), patch + b"\n", POLICY)
    assert again is not None
    assert inside.result == outside.result == applied.tree.digest
    assert inside.files == outside.files
    assert inside.canonical_patch == outside.canonical_patch == inside.patch
    assert outside.patch == sha256_bytes(kept) != inside.patch
    assert kept == patch + b"\n"
    assert inside.base == base.digest
    assert (inside.ignored, inside.size) == (1, len(patch))
    a, n = inside.files
    assert (a.path, a.change, a.added, a.removed) == ("pkg/a.py", "modified", 2, 1)
    assert (n.path, n.change, n.added, n.removed) == ("pkg/n.py", "added", 1, 0)


def test_a_refused_patch_is_kept_and_recorded(base: Tree, base_dir: Path) -> None:
    raw = b"--- a/pkg/a.py\r\n+++ b/pkg/a.py\r\n@@ -1 +1 @@\r\n-one\r\n+1\r\n"
    submission, kept, applied = from_patch(base, tree_reader(base, base_dir), raw, POLICY)
    assert applied is None
    assert kept == raw
    assert submission.patch == sha256_bytes(raw)
    assert submission.refusal is not None
    assert submission.refusal.reason == "line_endings"
    assert submission.result is None
    assert not submission.empty


def test_a_refused_workspace_is_no_exception(base: Tree, base_dir: Path, upper: Path) -> None:
    (upper / "notes.txt").write_text("scratch")
    submission, kept, applied = from_workspace(base, base_dir, upper, POLICY)
    assert (kept, applied) == (b"", None)
    assert submission.refusal is not None
    assert (submission.refusal.reason, submission.refusal.path) == ("outside_writable", "notes.txt")


def test_b15_an_empty_submission_names_the_baseline(base: Tree, base_dir: Path) -> None:
    submission, _, applied = from_patch(base, tree_reader(base, base_dir), b"", POLICY)
    assert applied is not None
    assert submission.empty
    assert submission.result == submission.base == base.digest


def test_a_submission_survives_json_and_refuses_unknown_reasons(base: Tree, base_dir: Path) -> None:
    submission, _, _ = from_patch(base, tree_reader(base, base_dir), b"junk", POLICY)
    text = json.dumps(submission.as_json())
    assert Submission.model_validate_json(text) == submission
    with pytest.raises(ValidationError):
        Submission.model_validate_json(text.replace("malformed_patch", "did_not_like_it"))


def test_hostile_names_can_be_recorded(base: Tree, base_dir: Path, upper: Path) -> None:
    (upper / "pkg/\x1b]0;owned\x07\n.py").write_text("x")
    submission, _, _ = from_workspace(base, base_dir, upper, POLICY)
    assert submission.refusal is not None
    assert submission.refusal.path is not None
    assert submission.refusal.path.isprintable()
    assert submission.canonical()
