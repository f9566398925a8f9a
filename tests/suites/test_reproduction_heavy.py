"""The reproduction task with a native solver: package, frozen numbers, known submissions."""

from __future__ import annotations

import json
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from referee.author.evidence import require_validated
from referee.environment.debian import require_packages
from referee.environment.store import open_store
from referee.grade.reproduction.module import load_metrics
from referee.metric.rubric.tree import rubric_of
from referee.record.fault import BadInput
from referee.task.package import load_task
from referee.task.reproduction.audit import audit_package
from referee.task.reproduction.load import load_reproduction
from referee.trial.grade_one import grade_patch

SUITE = Path(__file__).parents[2] / "suites" / "reproduction-heavy"
TASK = SUITE / "07-mos2-bands"


def expected() -> dict[str, Fraction]:
    """The score of each known submission, by the path of its patch."""
    told = tomllib.loads((TASK / "solution/expected.toml").read_text())
    scores = {"reference": Fraction(told["reference"]["score"])}
    for kind in ("partial", "wrong"):
        scores |= {f"{kind}/{name}": Fraction(row["score"]) for name, row in told[kind].items()}
    return scores


def test_the_package_is_sound() -> None:
    package = load_reproduction(load_task(TASK))
    assert [(f.code, f.where, f.what) for f in audit_package(package)] == []
    rubric = rubric_of(package.rubric)
    assert rubric.warnings == ()
    by_code = [leaf for leaf in rubric.leaves if leaf.node.how.by == "code"]
    assert 8 <= len(rubric.leaves) <= 15
    assert len(by_code) >= 0.75 * len(rubric.leaves)
    for name in expected():
        assert (TASK / "solution" / f"{name}.patch").is_file()


def test_the_task_is_validated_at_its_present_content() -> None:
    require_validated(load_task(TASK))
    rows = json.loads((TASK / "validation.json").read_text())["rows"]
    scores = {row["id"]: Fraction(row["score"]) for row in rows if "#" not in row["id"]}
    assert scores == {"nop": 0, **expected()}


def test_the_suite_lists_every_task() -> None:
    listed = tomllib.loads((SUITE / "suite.toml").read_text())["suite"]["tasks"]
    assert listed == sorted(path.parent.name for path in SUITE.glob("*/task.toml"))


def test_the_numbers_of_the_metrics_are_the_frozen_ones() -> None:
    routes = json.loads((TASK / "tests/refs/bands.json").read_text())
    first, second = routes["finite-differences"]["ev"], routes["plane-waves"]["ev"]
    module = load_metrics(TASK / "tests/src/metrics.py")
    points = [[0, 0, 0], [1 / 3, 1 / 3, 0], [0.5, 0, 0]]
    for name, other in second.items():
        assert abs(first[name] - other) <= (0.003 if name == "splitting" else 0.01)
    k = np.array(points)
    energies = np.tile(np.arange(30.0), (3, 1))
    told = {name: np.array([first[name]]) for name in ("gap_k", "gap", "gamma_k")}
    found = module.derive("gaps", {"k": k, "energies": energies, **told}, {})
    assert [abs(found[name]["error"]) for name in told] == pytest.approx([0, 0, 0], abs=1e-9)
    split = {"k": k, "energies": energies, "splitting": np.array([first["splitting"]])}
    assert module.derive("splitting", split, {})["error"] == pytest.approx(0, abs=1e-9)
    gap = {"k": k, "energies": energies, "gap": np.array([first["split_gap"]])}
    assert module.derive("split_gap", gap, {})["error"] == pytest.approx(0, abs=1e-9)


@pytest.fixture
def native() -> None:
    """Skip where the packages that the task names are not installed."""
    source = tomllib.loads((TASK / "environment/source.toml").read_text())
    try:
        require_packages(source["native"])
    except BadInput as fault:
        pytest.skip(str(fault))


@pytest.mark.slow
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("name", ["reference", "wrong/t-phase"])
def test_a_known_submission_scores_exactly_what_it_must(store_root: Path, name: str) -> None:
    patch = (TASK / "solution" / f"{name}.patch").read_bytes()
    _, verdict = grade_patch(
        open_store(store_root), load_task(TASK), patch, seed=1, judge="scripted"
    )
    assert verdict.reproduction is not None
    assert verdict.reproduction.total.score is not None
    assert Fraction(verdict.reproduction.total.score) == expected()[name]
