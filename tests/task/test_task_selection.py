"""Selections by criteria, and selection files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.record.fault import BadInput
from referee.task.selection import (
    Criteria,
    in_ablation,
    is_compiled,
    languages,
    languages_at,
    make_selection,
    read_selection,
    restricted_tasks,
    select,
    write_selection,
)
from referee.task.suite import Suite, open_suite

BUILD = '\n[referee.build]\ncommands = [["make"]]\noutputs = ["a.so"]\n'


@pytest.fixture
def suite(tmp_path: Path, write_tiny_task: Callable[[Path], Path]) -> Suite:
    """Four tasks: geometry; physics in C; physics without science; physics not for everybody."""
    folder = tmp_path / "suites" / "tiny"
    changes = {
        "001-a": [],
        "002-b": [
            ('domain = "Mathematics"', 'domain = "Physics"'),
            ('paradigm = "issue-driven"', 'paradigm = "expert-exploratory"'),
            ('writable = ["tiny/**/*.py"]', 'writable = ["tiny/**/*.py", "src/*.c", "src/*.h"]'),
        ],
        "003-c": [
            ('domain = "Mathematics"', 'domain = "Physics"'),
            ('["with", "without"]', '["with"]'),
        ],
        "010-d": [
            ('domain = "Mathematics"', 'domain = "Physical Chemistry"'),
            ('licence = "MIT"', 'licence = "CC-BY-NC-4.0"'),
        ],
    }
    for label, pairs in changes.items():
        file = write_tiny_task(folder / label) / "task.toml"
        text = file.read_text()
        for old, new in pairs:
            assert old in text, (old, text)
            text = text.replace(old, new)
        file.write_text(text + (BUILD if label == "002-b" else ""))
    names = ", ".join(f'"{label}"' for label in changes)
    (folder / "suite.toml").write_text(
        f'[suite]\nname = "tiny"\nversion = "1"\ntitle = "Tiny"\ntasks = [{names}]\n'
    )
    return open_suite(folder)


def chosen(suite: Suite, **criteria: object) -> list[str]:
    found = select(suite, Criteria(**criteria))  # type: ignore[arg-type]
    return [task.label for task in found]


def test_everything_but_restricted_licences_is_meant(suite: Suite) -> None:
    assert chosen(suite) == ["001-a", "002-b", "003-c"]
    assert chosen(suite, restricted=True) == ["001-a", "002-b", "003-c", "010-d"]
    assert list(restricted_tasks(suite.load())) == ["010-d"]


def test_each_criterion_narrows_the_list(suite: Suite) -> None:
    assert chosen(suite, domains=("physics",)) == ["002-b", "003-c"]
    assert chosen(suite, domains=("phys",), restricted=True) == ["002-b", "003-c", "010-d"]
    assert chosen(suite, paradigms=("expert",)) == ["002-b"]
    assert chosen(suite, paradigms=("issue", "expert")) == ["001-a", "002-b", "003-c"]
    assert chosen(suite, languages=("c",)) == ["002-b"]
    assert chosen(suite, languages=("Python",)) == ["001-a", "002-b", "003-c"]
    assert chosen(suite, ablation=True) == ["001-a", "002-b"]
    assert chosen(suite, tasks="002-003", domains=("Phys",), ablation=True) == ["002-b"]


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ({"domains": ("Alchemy",)}, "--domain 'Alchemy' fits no task; choose from Mathematics"),
        ({"languages": ("py",)}, "--language 'py' fits no task; choose from c, python"),
        ({"paradigms": ("",)}, "--paradigm '' fits no task"),
        ({"tasks": "099"}, "names no task"),
        ({"tasks": "010"}, "under a restricted licence .*--allow-restricted-licenses"),
        ({"tasks": "003", "ablation": True}, "no task of suite tiny meets all"),
    ],
)
def test_criteria_that_leave_nothing_are_refused(
    suite: Suite, criteria: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        chosen(suite, **criteria)


def test_facts_come_from_the_package(suite: Suite) -> None:
    first, second, third, _fourth = suite.load()
    assert (languages(first), languages(second)) == (("python",), ("python", "c"))
    assert (is_compiled(first), is_compiled(second)) == (False, True)
    assert (in_ablation(first), in_ablation(third)) == (True, False)


def test_a_selection_file_keeps_tasks_by_digest(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "physics.json"
    made = make_selection(suite, select(suite, Criteria(domains=("Physics",))))
    write_selection(file, made)
    assert read_selection(file, suite) == made
    assert chosen(suite, file=file) == ["002-b", "003-c"]
    assert chosen(suite, file=file, tasks="001-002") == ["002-b"]
    text = (suite.root / "003-c/instruction.md").read_text()
    (suite.root / "003-c/instruction.md").write_text(text + "More.\n")
    with pytest.raises(BadInput, match=r"003-c is not what it was.*referee suite select"):
        chosen(suite, file=file)


def test_an_edited_or_foreign_selection_file_is_refused(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    write_selection(file, make_selection(suite, suite.load(["001-a", "002-b"])))
    value = json.loads(file.read_text())
    for change, sentence in (
        ({"tasks": value["tasks"][:1]}, "was edited: its hash does not hold"),
        ({"suite": "other"}, "it is of suite other, not tiny"),
        ({"more": 1}, "more"),
    ):
        file.write_text(json.dumps({**value, **change}))
        with pytest.raises(BadInput, match=sentence):
            read_selection(file, suite)


def test_languages_are_those_of_packages_that_did_not_change(suite: Suite):
    digests = {task.root.name: task.digest for task in suite.load()}
    assert languages_at(suite, digests)["002-b"] == ("python", "c")
    assert set(languages_at(suite, digests)) == {"001-a", "002-b", "003-c", "010-d"}
    assert languages_at(suite, {"001-a": "0" * 64, "unknown": "0" * 64}) == {}
    (suite.root / "001-a" / "task.toml").write_text("broken")
    assert "001-a" not in languages_at(suite, digests)
