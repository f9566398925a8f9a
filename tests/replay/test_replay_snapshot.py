"""What is handed in: the delivery, the export, reserved inputs; each fault with its honest twin."""

from __future__ import annotations

import os
import unicodedata

import pytest

from referee.record.fault import Infrastructure
from referee.replay.delivery import classify
from referee.replay.failures import consequence_of
from referee.replay.inventory import Rejected
from referee.replay.snapshot import take_snapshot


def taken(case, **policy):
    case.folder.mkdir()
    request = case.request(**policy)
    return take_snapshot(request.submission, request.starter, request.policy, request.folder)


def link(root):
    (root / "src/a").symlink_to("solve.py")


def linked_folder(root):
    (root / "lib").symlink_to("src")


def linked_entry(root):
    (root / "reproduce.sh").unlink()
    (root / "reproduce.sh").symlink_to("src/solve.py")


def fifo(root):
    os.mkfifo(root / "src/a")


def second_name(root):
    os.link(root / "src/solve.py", root / "src/b.py")


def line_break(root):
    (root / "src/a\nb").write_text("x")


def same_but_for_case(root):
    (root / "src/Solve.py").write_text("x")


def same_but_for_unicode(root):
    for form in ("NFC", "NFD"):
        (root / "src" / unicodedata.normalize(form, "é.py")).write_text("x")


def root_link(root):
    (root / "outputs").symlink_to("src")


def stored(root):
    (root / "src/a.npz").write_text("x")


def large(root):
    (root / "src/table.txt").write_bytes(b"0" * 2_000_000)


def changed_input(root):
    (root / "inputs/slab.json").write_text("{}")


def replaced_input(root):
    (root / "inputs/slab.json").unlink()
    (root / "inputs/slab.json").mkdir()


def shadow(root):
    (root / "inputs/slab.json").unlink()
    (root / "inputs/SLAB.json").write_text("{}")


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (link, "symlink"),
        (linked_folder, "symlink"),
        (linked_entry, "symlink"),
        (fifo, "special_file"),
        (second_name, "hard_link"),
        (line_break, "bad_path"),
        (same_but_for_case, "path_collision"),
        (same_but_for_unicode, "path_collision"),
        (root_link, "generated_root_link"),
        (stored, "forbidden_input"),
        (large, "too_large"),
        (changed_input, "reserved_input_changed"),
        (replaced_input, "reserved_input_replaced"),
        (shadow, "path_collision"),
    ],
)
def test_what_is_rejected(case, harm, reason):
    harm(case.submission)
    with pytest.raises(Rejected) as caught:
        taken(case)
    assert caught.value.reason == reason
    assert consequence_of(reason).effect == "zero"


def test_the_record_of_a_rejection(case):
    link(case.submission)
    record = case.replay()
    assert (record.status, record.reason) == ("rejected", "symlink")
    assert sorted(path.name for path in case.folder.iterdir()) == ["trusted_replay.json"]


def test_honest_twins(case):
    root = case.submission
    (root / "src/ein Name mit é.txt").write_text("1")
    (root / "src/empty").mkdir()
    (root / "src/table.txt").write_bytes(b"0" * 900_000)
    (root / "inputs/more.json").write_text("{}")
    (root / "inputs/slab.json").unlink()  # restored from the package
    snapshot = taken(case)
    assert set(snapshot.inputs) == {"inputs/more.json", "inputs/slab.json"}
    assert (case.folder / "inputs/inputs/slab.json").read_text() == case.tiny.SLAB
    assert "src/ein Name mit é.txt" in snapshot.source


def test_a_package_without_its_input_is_no_fault_of_the_candidate(case):
    (case.starter / "inputs/slab.json").unlink()
    with pytest.raises(Infrastructure, match="no input slab"):
        taken(case)
    assert consequence_of("no_canonical_input").effect == "withhold"


def starter_files(case):
    return case.tiny.write_submission(case.submission.parent / "again", case.tiny.STARTER)


def test_deliveries(case, tmp_path):
    roots = ("outputs",)
    again = starter_files(case)

    def kind(folder):
        return classify(folder, case.starter, roots).delivery

    assert kind(tmp_path / "nowhere") == "absent"
    dots = case.tiny.write_submission(tmp_path / "dots", {".git/config": "x", ".a": ""})
    assert kind(dots) == "absent"
    assert kind(again) == "starter_only"
    os.utime(again / "reproduce.sh", (1, 1))
    case.tiny.write_submission(again, {"outputs/a": "1", "src/__pycache__/a.pyc": "1"})
    assert kind(again) == "starter_only"
    (again / "reproduce.sh").write_text(case.tiny.STUB + "\n")
    assert kind(again) == "delivered"
    (again / "reproduce.sh").unlink()
    assert kind(again) == "missing_entrypoint"
    (again / "reproduce.sh").mkdir()
    assert kind(again) == "missing_entrypoint"
    assert kind(case.submission) == "delivered"


def test_a_starter_is_not_replayed(case):
    case.submission = starter_files(case)
    record = case.replay()
    assert (record.status, record.reason) == ("rejected", "starter_only")
