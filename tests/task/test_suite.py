"""Suites are found by path and by name; tasks by id, range, name and path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.record.fault import BadInput
from referee.task.suite import Suite, open_suite, resolve_suite, resolve_task, select_labels

MakeSuite = Callable[[Path, list[str]], Suite]


@pytest.fixture
def suite_of(write_tiny_task: Callable[[Path], Path]) -> MakeSuite:
    """Makes a suite `tiny` of the named task folders below `root/suites`."""

    def make(root: Path, labels: list[str]) -> Suite:
        folder = root / "suites" / "tiny"
        for label in labels:
            write_tiny_task(folder / label)
        names = ", ".join(f'"{label}"' for label in labels)
        (folder / "suite.toml").write_text(
            f'[suite]\nname = "tiny"\nversion = "1"\ntitle = "Tiny"\ntasks = [{names}]\n'
        )
        return open_suite(folder)

    return make


def test_ids_and_ranges_select_in_suite_order(tmp_path: Path, suite_of: MakeSuite) -> None:
    suite = suite_of(tmp_path, ["003-c", "010-a", "012-b"])
    assert select_labels(suite, None) == ("003-c", "010-a", "012-b")
    assert select_labels(suite, "012,003") == ("003-c", "012-b")
    assert select_labels(suite, "4-11") == ("010-a",)
    assert select_labels(suite, "010-a") == ("010-a",)


@pytest.mark.parametrize("text", ["099", "20-30", "", "003,,012", "abc"])
def test_a_selection_that_names_nothing_is_refused(
    tmp_path: Path, text: str, suite_of: MakeSuite
) -> None:
    suite = suite_of(tmp_path, ["003-c", "010-a"])
    with pytest.raises(BadInput, match="names no task of suite tiny; it has 003, 010"):
        select_labels(suite, text)


def test_a_suite_is_found_by_path_and_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite_of: MakeSuite
) -> None:
    suite_of(tmp_path, ["003-c"])
    assert resolve_suite(str(tmp_path / "suites/tiny")).table.name == "tiny"
    monkeypatch.chdir(tmp_path)
    assert resolve_suite("tiny").root == tmp_path / "suites/tiny"
    with pytest.raises(BadInput, match="did you mean tiny"):
        resolve_suite("tinny")


def test_a_task_is_found_by_suite_and_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite_of: MakeSuite
) -> None:
    suite_of(tmp_path, ["003-c"])
    monkeypatch.chdir(tmp_path)
    for name in ("tiny/003", "003-c", "suites/tiny/003-c"):
        assert resolve_task(name).label == "003-c"
    with pytest.raises(BadInput, match="there is no task"):
        resolve_task("tiny/004")


def test_a_suite_that_names_a_missing_task_is_refused(tmp_path: Path, suite_of: MakeSuite) -> None:
    suite = suite_of(tmp_path, ["003-c"])
    file = suite.root / "suite.toml"
    file.write_text(file.read_text().replace('"003-c"', '"003-c", "004-d"'))
    with pytest.raises(BadInput, match="names 004-d, which has no task"):
        open_suite(suite.root)
