"""The chain of evidence: linked lines, stages in order, a package that may not change behind it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.author.evidence import (
    EVIDENCE,
    VALIDATION,
    append_evidence,
    check_validation_file,
    read_evidence,
    require_ready,
    require_validated,
    stage_states,
)
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.task.package import load_task


def pass_stages(root: Path, *stages: str) -> None:
    for stage in stages:
        append_evidence(load_task(root), stage, {"note": stage})  # type: ignore[arg-type]


def test_lines_are_linked_and_come_back(tiny_task: Path) -> None:
    pass_stages(tiny_task, "screen", "freeze")
    first, second = read_evidence(tiny_task)
    assert (first.stage, second.stage) == ("screen", "freeze")
    assert second.prev == first.hash
    assert first.when.endswith("+00:00")
    assert set(second.parts) == {"source", "lock", "reproduce"}


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (
            lambda rows: [rows[0].replace(b'"note":"screen"', b'"note":"scream"'), *rows[1:]],
            "edited",
        ),
        (lambda rows: rows[1:], "does not follow"),
        (lambda rows: [rows[0], rows[2]], "does not follow"),
        (lambda rows: [rows[1], rows[0], rows[2]], "does not follow"),
        (lambda rows: [*rows[:2], rows[2][:-1]], "newline"),
        (lambda rows: [b"{}\n", *rows[1:]], "not a line"),
        (lambda rows: [rows[0].replace(b'","', b'", "', 1), *rows[1:]], "edited"),
    ],
    ids=["edited", "first-gone", "middle-gone", "swapped", "torn", "other", "spaced"],
)
def test_a_damaged_chain_is_refused(tiny_task: Path, damage, why: str) -> None:  # type: ignore[no-untyped-def]
    pass_stages(tiny_task, "screen", "freeze", "abstract")
    path = tiny_task / EVIDENCE
    before = path.read_bytes()
    path.write_bytes(b"".join(damage(before.splitlines(keepends=True))))
    assert path.read_bytes() != before
    with pytest.raises(BadInput, match=why):
        read_evidence(tiny_task)
    with pytest.raises(BadInput, match="broken"):
        append_evidence(load_task(tiny_task), "validate", {})


def test_a_line_rehashed_by_hand_breaks_the_next_one(tiny_task: Path) -> None:
    pass_stages(tiny_task, "screen", "freeze")
    path = tiny_task / EVIDENCE
    first, second = path.read_bytes().splitlines(keepends=True)
    value = json.loads(first)
    del value["hash"]
    value["facts"] = {"note": "forged"}
    forged = json.dumps(
        {**value, "hash": sha256_json(value)}, sort_keys=True, separators=(",", ":")
    )
    path.write_bytes(forged.encode() + b"\n" + second)
    with pytest.raises(BadInput, match="does not follow"):
        read_evidence(tiny_task)


def test_stages_are_taken_in_order(tiny_task: Path) -> None:
    task = load_task(tiny_task)
    require_ready(task, "screen")
    with pytest.raises(BadInput, match=r"screen has not been passed.*referee task screen"):
        require_ready(task, "validate")
    pass_stages(tiny_task, "screen", "freeze")
    require_ready(task, "abstract")
    with pytest.raises(BadInput, match=r"abstract has not been passed.*referee task abstract"):
        require_ready(task, "validate")


@pytest.mark.parametrize(
    ("changed", "command"),
    [
        ("environment/source.toml", "screen"),
        ("environment/requirements.lock", "freeze"),
        ("environment/public/reproduce.py", "freeze"),
        ("instruction.md", "abstract"),
        ("environment/context/circle.md", "abstract"),
        ("tests/private/test_area.py", "validate"),
        ("solution/reference.patch", "validate"),
    ],
)
def test_a_later_change_names_the_stage_to_run_again(
    tiny_task: Path, changed: str, command: str
) -> None:
    pass_stages(tiny_task, "screen", "freeze", "abstract")
    (tiny_task / VALIDATION).write_bytes(b"{}\n")
    task = load_task(tiny_task)
    digest = "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"
    append_evidence(task, "validate", {"validation": digest})
    require_validated(task)
    path = tiny_task / changed
    path.write_bytes(path.read_bytes() + b"\n# more\n")
    with pytest.raises(BadInput, match=f"changed since {command}.*referee task {command}"):
        require_validated(load_task(tiny_task))


def test_an_earlier_stage_passed_again_makes_the_later_ones_stale(tiny_task: Path) -> None:
    pass_stages(tiny_task, "screen", "freeze", "abstract", "screen")
    problems = {s.stage: s.problem for s in stage_states(load_task(tiny_task))}
    assert problems["screen"] is None
    assert "passed again after freeze" in str(problems["freeze"])
    assert "passed again after abstract" in str(problems["abstract"])


def test_the_end_of_the_chain_cannot_be_cut_off(tiny_task: Path) -> None:
    (tiny_task / VALIDATION).write_bytes(b"{}\n")
    with pytest.raises(BadInput, match="no line of evidence"):
        check_validation_file(tiny_task)
    pass_stages(tiny_task, "validate")
    with pytest.raises(BadInput, match="not the file that the evidence names"):
        check_validation_file(tiny_task)
    (tiny_task / VALIDATION).unlink()
    with pytest.raises(BadInput, match="missing"):
        check_validation_file(tiny_task)


def test_a_validation_that_fell_short_needs_no_line(tiny_task: Path) -> None:
    (tiny_task / VALIDATION).write_text('{"passed": false}\n')
    check_validation_file(tiny_task)
    with pytest.raises(BadInput, match="screen has not been passed"):
        require_validated(load_task(tiny_task))
    pass_stages(tiny_task, "screen", "freeze", "abstract", "validate")
    with pytest.raises(BadInput, match="not the file that the evidence names"):
        require_validated(load_task(tiny_task))


def test_task_check_verifies_the_chain(tiny_task: Path) -> None:
    pass_stages(tiny_task, "screen", "freeze")
    command = [sys.executable, "-m", "referee", "task", "check", str(tiny_task)]
    good = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "its chain of evidence holds (screen, freeze)" in good.stdout
    assert "to be done: abstract has not been passed" in good.stdout
    path = tiny_task / EVIDENCE
    path.write_bytes(path.read_bytes().replace(b"screen", b"scream", 1))
    bad = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert bad.returncode == 2
    assert len(bad.stderr.splitlines()) == 1
    assert f"{EVIDENCE}:1" in bad.stderr
