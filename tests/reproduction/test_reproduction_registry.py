"""The tiny task is sound, the registry is whole, and the page of the manual is the registry."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
import repro_cases  # noqa: F401
from repro_page import PAGE, page
from repro_registry import ELSEWHERE, FAMILIES, INFRA, INVALID, Elsewhere
from repro_world import LEAVES, PACKAGE, STARTER, Base, World, patched

from referee.task.package import load_task
from referee.task.reproduction.audit import audit_package
from referee.task.reproduction.load import load_reproduction

TESTS = Path(__file__).parents[1]


def test_the_tiny_task_is_sound() -> None:
    package = load_reproduction(load_task(PACKAGE))
    assert audit_package(package) == ()
    assert (STARTER / "reproduce.sh").read_text().startswith("#!/bin/bash\n")


@pytest.mark.parametrize(
    ("patch", "keeps"),
    [
        ("partial/without-the-thick", set(LEAVES) - {"C1"}),
        ("wrong/phase-of-vacuum", {"A2", "B1", "B2", "C5"}),
    ],
)
def test_known_submissions_have_their_exact_scores(
    tmp_path: Path, base: Base, monkeypatch: pytest.MonkeyPatch, patch: str, keeps: set[str]
) -> None:
    world = World(tmp_path, base, monkeypatch)
    world.hand_in()
    world.tree = patched(f"{patch}.patch", tmp_path / "known")
    done = world.replayed(for_real=True)
    kind, name = patch.split("/")
    told = tomllib.loads((PACKAGE / "solution/expected.toml").read_text())[kind][name]
    assert done.grade is not None
    assert (done.grade.score, done.kept) == (Fraction(told["score"]), keeps)


def test_names_are_unique_and_everything_loses_something() -> None:
    names = [(one.family, one.name) for one in (*INVALID, *INFRA)]
    assert len(set(names)) == len(names)
    assert all(one.code and one.keeps != set(LEAVES) for one in (*INVALID, *INFRA))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_both_kinds(family: int) -> None:
    assert [one for one in INVALID if one.family == family]
    assert [one for one in INFRA if one.family == family]


@pytest.mark.parametrize("one", ELSEWHERE, ids=lambda one: f"F{one.family} {one.name}")
def test_other_tests_are_there(one: Elsewhere) -> None:
    assert one.tests
    for told in one.tests:
        file, _, name = told.partition("::")
        text = (TESTS / file).read_text()
        assert f"def {name}(" in text, told


def test_the_page_says_what_the_registry_has() -> None:
    assert PAGE.read_text() == page(), "run `python tests/reproduction/repro_page.py`"
