"""Roots: no way out of them, and nothing but regular files in them."""

from __future__ import annotations

import os
import socket

import pytest
from evidence_cases import evidence_in

from referee.evidence.fault import EvidenceError, EvidenceLimit, EvidenceMissing
from referee.evidence.limits import Limits


@pytest.fixture
def root(evidence, outputs):
    (outputs / "results" / "deep").mkdir(parents=True)
    (outputs / "results" / "a b é.csv").write_text("x\n1\n")
    (outputs / "results" / "deep" / "c.txt").write_text("text")
    return evidence.roots["outputs"]


def test_a_regular_file_is_read(root):
    assert root.read("results/a b é.csv") == b"x\n1\n"
    assert root.text("results/deep/c.txt") == "text"
    assert root.has("results/deep/c.txt")
    assert not root.has("results/no.txt")


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../refs/x", "results/../results/deep/c.txt", "./results", "results//deep",
     "results/", "a\0b", "a\nb", "x" * 2000],
)  # fmt: skip
def test_a_path_that_is_not_plain_is_refused(root, path):
    with pytest.raises(EvidenceError):
        root.read(path)


@pytest.mark.parametrize("path", ["no.txt", "results/no/c.txt", "results/a b é.csv/c"])
def test_what_is_not_there_is_missing_and_no_error(root, path):
    with pytest.raises(EvidenceMissing):
        root.read(path)


def test_links_do_not_lead_anywhere(root, evidence, outputs):
    secret = evidence.roots["refs"].folder / "answer.csv"
    secret.write_text("x\n1\n")
    (outputs / "answer.csv").symlink_to(secret)
    (outputs / "folder").symlink_to(secret.parent, target_is_directory=True)
    (outputs / "inside.csv").symlink_to(outputs / "results" / "a b é.csv")
    for path in ("answer.csv", "folder/answer.csv", "inside.csv"):
        with pytest.raises(EvidenceError, match="link"):
            root.read(path)
        with pytest.raises(EvidenceError, match="link"):
            root.has(path)


def test_special_files_are_refused_without_being_opened(root, outputs, monkeypatch):
    os.mkfifo(outputs / "pipe")
    monkeypatch.chdir(outputs)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    for path in ("pipe", "socket", "results"):
        with pytest.raises(EvidenceError, match="regular"):
            root.read(path)


def test_too_much_is_the_evaluators_limit(tmp_path):
    small = evidence_in(tmp_path, limits=Limits(file=10, text=5, listed_files=2)).roots["outputs"]
    (small.folder / "a").write_text("123456")
    assert small.read("a") == b"123456"
    with pytest.raises(EvidenceLimit):
        small.text("a")
    (small.folder / "b").write_text("x" * 11)
    with pytest.raises(EvidenceLimit):
        small.read("b")
    (small.folder / "c").write_text("")
    with pytest.raises(EvidenceLimit):
        small.entries()


def test_a_listing_is_whole_and_in_pages_and_shows_links_as_such(root, outputs):
    (outputs / "link").symlink_to("results")
    os.mkfifo(outputs / "pipe")
    (outputs / b"bad\xff".decode("utf-8", "surrogateescape")).write_text("")
    kinds = {entry.path: entry.kind for entry in root.entries()}
    assert kinds["link"] == "link"
    assert kinds["pipe"] == "special"
    assert kinds["results/deep/c.txt"] == "file"
    assert [k for p, k in kinds.items() if p.startswith("bad")] == ["special"]
    first = root.page(0, 2)
    assert (first.next_offset, first.total_files) == (2, 5)
    rest = root.page(2, 1000)
    assert rest.next_offset is None
    assert first.entries + rest.entries == root.entries()
    for offset, count in ((-1, 1), (0, 0), (0, 1001)):
        with pytest.raises(ValueError):
            root.page(offset, count)


def test_logical_paths_lead_to_one_root(root, evidence):
    (evidence.roots["source"].folder / "src").mkdir()
    (evidence.roots["source"].folder / "src" / "a.py").write_text("")
    found, path = evidence.locate("submission/src/a.py")
    assert (found.kind, path) == ("source", "src/a.py")
    assert evidence.locate("submission/results/deep/c.txt")[0].kind == "outputs"
    for logical in ("submission/no", "refs/no"):
        with pytest.raises(EvidenceMissing):
            evidence.locate(logical)
    for logical in ("elsewhere/a", "submission", "submission/../refs/x", "/submission/a"):
        with pytest.raises(EvidenceError):
            evidence.locate(logical)
    (evidence.roots["inputs"].folder / "src").mkdir()
    (evidence.roots["inputs"].folder / "src" / "a.py").write_text("")
    with pytest.raises(EvidenceError, match="is in"):
        evidence.locate("submission/src/a.py")


def test_who_wrote_what_is_known_by_the_root(evidence):
    assert evidence.roots["outputs"].is_candidate
    assert not evidence.roots["refs"].is_candidate
    with pytest.raises(EvidenceMissing):
        evidence.root("paper")
