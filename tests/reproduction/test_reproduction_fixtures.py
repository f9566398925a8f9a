"""Every fixture of the registry: the invalid one loses what it must and no more, its honest twin
loses nothing, and where the verifier itself fails the score is withheld."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

import pytest
import repro_cases  # noqa: F401
from repro_registry import INFRA, INVALID, At, Infra, Invalid, Twin
from repro_world import LEAVES, Outcome, World, published


def marked(fixtures: Iterable[Invalid | Infra | Twin]) -> list[object]:
    return [
        pytest.param(
            one,
            id=one.name if isinstance(one, Twin) else f"F{one.family} {one.name}",
            marks=[pytest.mark.slow] if getattr(one, "slow", False) else [],
        )
        for one in fixtures
    ]


def outcome_of(world: World, one: Invalid | Infra | Twin) -> Outcome:
    at: At = one.at
    if at == "sealed":
        return world.sealed(one.does)
    if at == "package":
        return world.packaged(one.does)
    if at in ("tree", "run"):
        world.hand_in()
    else:
        world.freeze()
    one.does(world)
    return world.replayed(for_real=at == "run") if at in ("tree", "run") else world.graded()


def test_the_reference_has_every_leaf(world: World) -> None:
    world.freeze()
    done = world.graded()
    assert done.kept == set(LEAVES), done.causes
    assert done.grade is not None
    assert done.grade.score == 1


@pytest.mark.parametrize("one", marked(INVALID))
def test_the_invalid_one_loses_what_it_must(world: World, one: Invalid) -> None:
    done = outcome_of(world, one)
    assert done.kept == one.keeps, done
    assert done.codes & set(one.code.split("|"))
    assert done.grade is not None
    assert done.grade.score is not None, "nobody can force a score to be withheld"
    assert done.grade.score < 1
    assert done.grade.complete == (done.grade.score > Fraction(9, 10))
    assert published(done) == ()
    if one.says:
        console = world.folder / "console.log"
        assert re.search(one.says, console.read_text() if one.at == "run" else done.told)
    if done.record is not None and done.record.reason is not None:
        assert done.record.reason in one.code.split("|")


TWINS = {(one.twin.name, one.twin.at): one.twin for one in INVALID}


@pytest.mark.parametrize("one", marked(TWINS.values()))
def test_its_honest_twin_loses_nothing(world: World, one: Twin) -> None:
    done = outcome_of(world, one)
    assert (done.reason, done.kept) == (None, set(LEAVES)), done
    assert published(done) == ()


@pytest.mark.parametrize("one", marked(INFRA))
def test_where_the_verifier_fails_the_score_is_withheld(world: World, one: Infra) -> None:
    done = outcome_of(world, one)
    assert done.kept == one.keeps, done
    assert all(done.leaves[name].withheld for name in LEAVES if name not in one.keeps)
    assert one.code in done.codes
    assert done.grade is None or done.grade.score is None
    assert published(done) != ()


def test_a_case_is_half_of_its_leaf_and_a_failed_gate_asks_for_a_review(world: World) -> None:
    world.freeze()
    (world.outputs / "thick.json").unlink()
    done = world.graded().grade
    assert done is not None
    assert done.leaves["C1"].score == Fraction(1, 2)
    assert done.score == 1 - Fraction(3, 25)
    assert not done.evidence_review_required
    (world.outputs / "thin.json").unlink()
    done = world.graded().grade
    assert done is not None
    assert done.evidence_review_required
    assert done.leaves["C3"].score == 1
