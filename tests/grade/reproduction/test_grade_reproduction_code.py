"""Leaves that code decides, from the evidence of a tiny submission: what is there, what is not."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.evidence.limits import LIMITS
from referee.grade.reproduction.code import ReplayFacts, decide_by_code, decide_nothing
from referee.grade.reproduction.module import load_metrics
from referee.grade.reproduction.plans import read_plans
from referee.metric.rubric.grade import grade
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.tree import rubric_from
from referee.record.fault import BadInput
from referee.replay.roots import evidence_of

FACTS = ReplayFacts(True, 0, 1.5, False, True, 2, 100)


class Place:
    """A package with the evidence of a submission that was run without a sandbox: it is ours."""

    def __init__(self, task: Path, tiny: SimpleNamespace, folder: Path) -> None:
        self.task, self.folder = task, folder
        run = tiny.write_submission(folder / "run", tiny.SOLVED)
        subprocess.run([sys.executable, "src/solve.py"], cwd=run, check=True, capture_output=True)
        (folder / "outputs").mkdir()
        (run / "outputs").rename(self.outputs)

    @property
    def outputs(self) -> Path:
        return self.folder / "outputs" / "outputs"

    @property
    def plans_file(self) -> Path:
        return self.task / "tests/config/plans.json"

    def rubric(self):
        return rubric_from(json.loads((self.task / "tests/rubric.json").read_text()))

    def change(self, name: str, edit) -> None:
        path = self.task / name
        value = json.loads(path.read_text())
        edited = edit(value)
        path.write_text(json.dumps(value if edited is None else edited))

    def loaded(self):
        rubric = self.rubric()
        module = load_metrics(self.task / "tests/src/metrics.py")
        return rubric, read_plans(self.plans_file, rubric, module), module

    def decided(self, facts=FACTS, limits=LIMITS):
        rubric, plans, module = self.loaded()
        evidence = replace(evidence_of(self.folder, self.task), limits=limits)
        return decide_by_code(rubric, plans, evidence, module, facts)


@pytest.fixture
def place(reproduction_task: Path, tiny_reproduction: SimpleNamespace, tmp_path: Path) -> Place:
    return Place(reproduction_task, tiny_reproduction, tmp_path / "evidence")


def test_a_right_number_earns_its_leaf(place):
    decided = place.decided()
    assert decided.findings == {"C1": Finding(1)}
    assert decided.measured["C1"][""].result["error"] <= 1e-9
    assert decided.faults == {}
    done = grade(place.rubric(), {**decided.findings, "A1": Finding(0)})
    assert done.score == Fraction(4, 5)


def test_a_wrong_number_does_not(place):
    path = place.outputs / "transmission.json"
    value = json.loads(path.read_text())
    value["power"][2] += 1e-6
    path.write_text(json.dumps(value))
    manifest = place.outputs / "evidence_manifest.json"
    told = json.loads(manifest.read_text())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    told["observations"]["slab"][0]["sha256"] = digest
    manifest.write_text(json.dumps(told))
    assert place.decided().findings == {"C1": Finding(0)}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda p: (p.outputs / "evidence_manifest.json").unlink(), "no such file"),
        (lambda p: (p.outputs / "evidence_manifest.json").write_text("{"), "evidence_manifest"),
        (lambda p: (p.outputs / "transmission.json").unlink(), "no such file"),
        (lambda p: (p.outputs / "transmission.json").write_text("{}"), "digest"),
    ],
)
def test_what_is_not_there_is_nought_with_its_reason(place, damage, told):
    damage(place)
    decided = place.decided()
    assert decided.findings == {"C1": Finding(None)}
    assert told in decided.faults["C1"][""]
    assert grade(place.rubric(), {**decided.findings, "A1": Finding(1)}).score == Fraction(1, 5)


def test_a_module_that_fails_by_itself_withholds(place):
    metrics = place.task / "tests/src/metrics.py"
    metrics.write_text(metrics.read_text().replace("waves.shape", "waves.shapes"))
    decided = place.decided()
    assert decided.findings == {"C1": Finding(Withheld("metric_crash"))}
    done = grade(place.rubric(), {**decided.findings, "A1": Finding(1)})
    assert (done.score, done.low, done.high) == (None, Fraction(1, 5), 1)


def about_the_replay(conditions):
    def edit(rubric):
        leaf = rubric["sub_tasks"][1]
        leaf["metric_operation"] = "replay"
        leaf["numeric_checks"] = conditions

    return edit


@pytest.mark.parametrize(
    ("facts", "value"),
    [(FACTS, 1), (replace(FACTS, completed=False, exit_code=3), 0), (replace(FACTS, outputs=0), 0)],
)
def test_a_leaf_may_be_about_the_replay(place, facts, value):
    conditions = [
        {"path": "/completed", "operator": "is_true"},
        {"path": "/outputs", "operator": "geq", "lower": 1},
    ]
    place.change("tests/rubric.json", about_the_replay(conditions))
    place.change("tests/config/plans.json", lambda _plans: {"C1": {"kind": "replay"}})
    assert place.decided(facts).findings == {"C1": Finding(value)}


def test_where_no_output_counts_every_such_leaf_is_nought(place):
    rubric, plans, _ = place.loaded()
    decided = decide_nothing(plans, rubric, "source_changed")
    assert grade(rubric, {**decided.findings, "A1": Finding(1)}).score == Fraction(1, 5)
    assert decided.faults == {"C1": {"": "source_changed"}}


def without(key):
    return lambda plans: {k: v for k, v in plans.items() if k != key}


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (without("C1"), "C1: is decided by code and has no plan"),
        (lambda p: {**p, "X": p["C1"]}, "X: has a plan and is no leaf"),
        (lambda p: {**p, "A1": {"kind": "replay"}}, "A1: has a plan, and the judge alone"),
        (lambda p: {"C1": {"kind": "replay"}}, "C1: its plan is about replay"),
        (lambda p: {"C1": {**p["C1"], "context": {"n": 2.0}}}, "context of airy_error must be"),
        (lambda p: {"C1": {**p["C1"], "more": 1}}, "more"),
        (lambda p: p["C1"]["sources"].pop("power") and p, "airy_error needs power, wavelength"),
    ],
)
def test_a_plan_that_does_not_fit_is_one_sentence(place, edit, told):
    place.change("tests/config/plans.json", edit)
    with pytest.raises(BadInput) as caught:
        place.loaded()
    assert told in caught.value.sentence()
    assert "plans.json" in caught.value.sentence()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import no_such_module_here\n", "ModuleNotFoundError"),
        ("def derive(:\n", "SyntaxError"),
        ("OPERATIONS = {}\n", "no function derive"),
        ("OPERATIONS = {'a': 1}\ndef derive(o, q, c): pass\n", "no dictionary of names"),
        ("def derive(o, q, c): pass\n", "no dictionary of names"),
    ],
)
def test_a_metric_module_that_cannot_be_used_is_one_sentence(tmp_path, text, told):
    path = tmp_path / "metrics.py"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        load_metrics(path)
    assert told in caught.value.sentence()


def test_a_unit_that_nobody_knows_is_one_sentence(tmp_path):
    path = tmp_path / "metrics.py"
    path.write_text(
        "from referee.evidence.measure import Operation, Quantity\n"
        "OPERATIONS = {'a': Operation(quantities={'x': Quantity(unit='parsec')})}\n"
        "def derive(o, q, c): pass\n"
    )
    with pytest.raises(BadInput, match="parsec"):
        load_metrics(path)
