"""The composition of a suite, and its tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.author.composition import TaskFacts, composition, spread, task_facts
from referee.environment.store import open_store
from referee.report.composition import composition_markdown, composition_tables
from referee.task.package import load_task


def facts(**changes: object) -> TaskFacts:
    fields: dict[str, object] = {
        "task": "001-a",
        "domain": "Physics",
        "paradigm": "issue-driven",
        "package": "a 1.0",
        "languages": ("python",),
        "compiled": False,
        "ablation": True,
        "licence": "MIT",
        "validated": True,
        "input_lines": 10,
        "files": 1,
        "added": 4,
        "removed": 1,
        "checks": {"private": 8, "public": 2},
        "contracts": {"knowledge": 5, "coverage": 3},
        "score": 1.0,
    }
    return TaskFacts(**{**fields, **changes})  # type: ignore[arg-type]


ROWS = [
    facts(),
    facts(task="002-b", paradigm="expert-exploratory", added=9, languages=("c", "python")),
    facts(task="003-c", domain="Biology", validated=False, score=None, removed=0, input_lines=31),
]


def test_counts_and_spreads() -> None:
    value = composition(ROWS)
    assert (value["tasks"], value["validated"]) == (3, 2)
    assert value["domains"] == {"Physics": 2, "Biology": 1}
    assert value["paradigms"] == {"issue": 2, "expert": 1, "engineering": 0}
    assert value["languages"] == {"python": 3, "c": 1}
    assert value["lines_added"] == {"min": 4, "mean": 5.7, "max": 9}
    assert value["lines_removed"] == {"min": 0, "mean": 0.7, "max": 1}
    assert value["input_lines"] == {"min": 10, "mean": 17.0, "max": 31}
    assert value["contracts"] == {"coverage": 3, "knowledge": 3}
    assert value["mutation_score"] == {"min": 1.0, "mean": 1.0}
    assert composition(ROWS[2:])["mutation_score"] is None
    json.dumps(value)


def test_a_spread_of_one() -> None:
    assert spread([3]).as_json() == {"min": 3, "mean": 3.0, "max": 3}


def test_tables_say_what_is_not_validated() -> None:
    tables = composition_tables(composition(ROWS), ROWS)
    assert tables[0].title == "3 tasks, 2 validated"
    assert ("paradigm: expert", "1") in tables[1].rows
    assert tables[-1].rows[0] == ("001-a", "Physics", "issue", "+4 -1", "8", "100.0%")
    assert tables[-1].rows[2][-1] == "not validated"
    text = composition_markdown(composition(ROWS), ROWS)
    assert "| domain | tasks |\n| --- | ---: |\n| Physics | 2 |\n| Biology | 1 |" in text


def test_facts_of_a_package(
    store_root: Path, tmp_path: Path, write_tiny_task: Callable[..., Path]
) -> None:
    root = write_tiny_task(tmp_path / "001-tiny")
    found = task_facts(open_store(store_root), load_task(root))
    assert (found.files, found.added, found.removed) == (1, 4, 1)
    assert found.input_lines == 5
    assert (found.languages, found.compiled, found.ablation) == (("python",), False, True)
    assert (found.validated, found.score, found.checks) == (False, None, {})


def test_facts_of_a_validated_package(store_root: Path, tiny_suite: Path) -> None:
    task = load_task(tiny_suite / "001-tiny")
    with pytest.raises(Exception, match=r"validation\.json"):
        # its evidence stands for a file without content
        task_facts(open_store(store_root), task)
    (tiny_suite / "001-tiny/evidence.jsonl").unlink()
    found = task_facts(open_store(store_root), task)
    assert not found.validated
    assert found.checks == {"private": 3, "public": 1, "regression": 2}
    assert found.contracts == {"interface": 1, "scaling": 2}
