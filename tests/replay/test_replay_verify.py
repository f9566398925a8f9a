"""Frozen evidence: whatever is deleted, edited or added afterwards is found."""

from __future__ import annotations

import json

import pytest

from referee.replay.verify import verify


def edit(path):
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"1", b"2") + b" ")


FILES = [
    "console.log",
    "source/src/solve.py",
    "source/reproduce.sh",
    "inputs/inputs/slab.json",
    "outputs/outputs/transmission.json",
]


def open_up(folder):
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("name", FILES)
def test_edited_and_deleted(case, name):
    case.replay()
    open_up(case.folder)
    edit(case.folder / name)
    found = verify(case.folder)
    assert (found.state, found.problems) == ("invalid", (f"{name} was changed",))
    (case.folder / name).unlink()
    assert f"{name} is missing" in verify(case.folder).problems


@pytest.mark.parametrize(
    "name", ["extra", "source/a", "inputs/inputs/a", "outputs/outputs/a", "outputs/b/c"]
)
def test_added(case, name):
    case.replay()
    open_up(case.folder)
    (case.folder / name).parent.mkdir(exist_ok=True)
    (case.folder / name).write_text("")
    found = verify(case.folder)
    assert found.state == "invalid"
    assert any("was added" in problem for problem in found.problems)


def test_a_link_in_the_place_of_a_file(case):
    case.replay()
    open_up(case.folder)
    path = case.folder / FILES[-1]
    other = case.folder.parent / "other"
    path.rename(other)
    path.symlink_to(other)
    assert verify(case.folder).state == "invalid"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("exit_code", 1),
        ("status", "failed"),
        ("status", "ok"),
        ("source_inputs_unchanged", False),
        ("source_after", {}),
        ("outputs", {}),
        ("console_sha256", "0" * 64),
        ("isolation", {"network": "host", "uid": 5}),
        ("isolation", {"network": "none", "uid": 0}),
        ("isolation", None),
        ("timed_out", True),
    ],
)
def test_an_edited_record_disagrees_with_itself_or_the_files(case, key, value):
    case.replay()
    path = case.folder / "trusted_replay.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    assert verify(case.folder).state == "invalid"


def test_a_record_that_was_seen_before_stays_the_same(case):
    case.replay()
    first = verify(case.folder)
    assert verify(case.folder, first.record_sha256) == first
    path = case.folder / "trusted_replay.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "budget_s": 1.0}))
    assert verify(case.folder, first.record_sha256).state == "invalid"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"status": "running"}'])
def test_a_record_that_is_none(tmp_path, text):
    (tmp_path / "trusted_replay.json").write_text(text)
    assert verify(tmp_path).state == "incomplete"
