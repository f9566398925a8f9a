"""The verdict of a reproduction: real replays of a tiny task, decided by code and by the judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.environment.store import open_store
from referee.grade.reproduction.findings import nothing
from referee.grade.reproduction.grading import Places, grade_reproduction, judge_frozen
from referee.grade.reproduction.scheme import load_scheme
from referee.judge.choose import judge_for
from referee.judge.protocol import Identity
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.totals import totals_of
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput, Infrastructure
from referee.replay import engine
from referee.replay.record import ReplayRecord
from referee.submission.apply import tree_reader
from referee.submission.gate import from_patch
from referee.submission.policy import Policy
from referee.task.package import load_task
from referee.trial.workspace import bench_for

Grade = Callable[..., SimpleNamespace]


class Judge:
    """Says the same of every leaf."""

    identity = Identity("test", "test", True, "f" * 64)

    def __init__(self, value: object) -> None:
        self.value, self.asked = value, []

    def findings(self, task):
        self.asked += task.leaves
        return {name: Finding(self.value) for name in task.leaves}


@pytest.fixture
def graded(
    reproduction_task: Path, tiny_reproduction: SimpleNamespace, store_root: Path, tmp_path: Path
) -> Grade:
    """Grades a patch, or another text of src/solve.py; the judge is the scripted one."""

    def grade(solve: str | None = None, *, patch: str | None = None, judge: object = "scripted"):
        if patch is None:
            text = tiny_reproduction.SOLVE if solve is None else solve
            patch = tiny_reproduction.solve_patch(text)
        task = load_task(reproduction_task)
        bench, scheme = bench_for(open_store(store_root), task), load_scheme(task)
        snapshot = bench.prepared.snapshot
        read = tree_reader(snapshot.manifest, snapshot.tree)
        policy = Policy.of_task(task)
        submission, _, applied = from_patch(snapshot.manifest, read, patch.encode(), policy)
        places = Places(tmp_path / "evidence", tmp_path / "audit")
        if judge == "scripted":
            judge = judge_for("scripted", task.evaluator.tests / "config")
        verdict = grade_reproduction(bench, scheme, submission, applied, judge=judge, places=places)
        return SimpleNamespace(
            verdict=verdict,
            made=verdict.reproduction,
            leaves={leaf.id: leaf for leaf in verdict.reproduction.leaves},
            places=places,
            again=lambda judge: judge_frozen(
                bench, scheme, submission, record_of(places), judge=judge, places=places
            ),
            scheme=scheme,
        )

    return grade


def record_of(places: Places) -> ReplayRecord:
    return ReplayRecord.model_validate_json(
        (places.evidence / "trusted_replay.json").read_bytes(), strict=False
    )


def test_the_reference_is_complete_and_says_what_it_rests_on(graded: Grade) -> None:
    done = graded()
    assert done.made.total.score == "1"
    assert done.made.total.complete is True
    assert done.made.replay.status == "completed"
    receipt = (done.places.evidence / "trusted_replay.json").read_bytes()
    assert done.made.replay.record_sha256 == sha256_bytes(receipt)
    assert done.made.judge.stand_in
    assert '"count":6' in done.leaves["C1"].detail
    assert {row.phase for row in done.verdict.enforcement} == {"replay"}
    assert done.verdict.passed
    assert done.verdict.checks == ()
    judged_again = done.again(judge_for("scripted", done.scheme.task.root / "tests/config"))
    assert judged_again.content_digest == done.verdict.content_digest


def test_the_starter_earns_nothing_and_nobody_is_asked(graded: Grade) -> None:
    judge = Judge(1)
    done = graded(patch="", judge=judge)
    assert done.made.total.score == "0"
    assert {leaf.reason for leaf in done.leaves.values()} == {"starter_only"}
    assert judge.asked == []


def test_a_refused_submission_earns_nothing_by_name(graded: Grade) -> None:
    patch = "diff --git a/src/x b/src/x\nnew file mode 120000\n--- /dev/null\n+++ b/src/x\n"
    done = graded(patch=patch + "@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n")
    assert done.made.replay.status == "rejected"
    assert {leaf.reason for leaf in done.leaves.values()} == {done.verdict.refusal} == {"symlink"}
    assert not done.places.evidence.exists()


def test_a_script_that_fails_is_judged_by_what_it_left(
    graded: Grade, tiny_reproduction: SimpleNamespace
) -> None:
    done = graded(tiny_reproduction.SOLVE + "raise SystemExit(3)\n")
    assert (done.made.replay.status, done.made.replay.reason) == ("failed", "nonzero_exit")
    assert done.made.total.score == "1"


def test_a_script_that_changes_its_source_earns_by_its_source_alone(
    graded: Grade, tiny_reproduction: SimpleNamespace
) -> None:
    link = "import os\nos.symlink('/etc/passwd', 'outputs/link')\n"
    done = graded(tiny_reproduction.SOLVE + link)
    assert done.made.replay.reason == "output_link"
    assert done.leaves["A1"].score == "1"
    assert (done.leaves["C1"].score, done.leaves["C1"].reason) == ("0", "output_link")
    assert done.made.total.score == "1/5"


def test_without_a_judge_its_leaves_are_open_between_bounds(graded: Grade) -> None:
    done = graded(judge=None)
    assert done.made.total.score is None
    assert (done.made.total.low, done.made.total.high) == ("4/5", "1")
    assert done.made.total.complete is None
    assert done.leaves["A1"].reason == "judge_unavailable"
    assert not done.verdict.passed


@pytest.mark.parametrize(
    ("said", "score", "reason"),
    [
        (1, "1", None),
        (0, "0", None),
        (Withheld("judge_invalid"), None, "judge_invalid"),
        (0.5, None, "judge_error: 0.5 is not 0 or 1"),
        (True, None, "judge_error: True is no number"),
        ("1", None, "judge_error: '1' is text, not a number"),
    ],
)
def test_what_is_no_verdict_withholds_the_leaf(graded: Grade, said, score, reason) -> None:
    leaf = graded(judge=Judge(said)).leaves["A1"]
    assert leaf.score == score
    if reason is not None:
        assert leaf.reason.partition(":")[0] == reason.partition(":")[0]


def test_a_machine_that_fails_once_is_asked_again_and_then_withholds(
    graded: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([True, False])
    real = engine.run_script

    def flaky(*args, **kwargs):
        if next(failures):
            raise Infrastructure("sandbox_start", "no sandbox today")
        return real(*args, **kwargs)

    monkeypatch.setattr(engine, "run_script", flaky)
    done = graded()
    assert done.made.total.score == "1"
    assert len(list((done.places.evidence.parent / "history").iterdir())) == 1
    failures = iter([True, True])
    with pytest.raises(Infrastructure, match="no sandbox today"):
        graded()


def test_evidence_that_was_changed_after_freezing_is_never_judged(graded: Grade) -> None:
    done = graded()
    made = done.places.evidence / "outputs/outputs/transmission.json"
    made.chmod(0o644)
    made.write_text("{}")
    with pytest.raises(Infrastructure, match="invalid_evidence"):
        done.again(None)


def test_evidence_that_changes_while_it_is_judged_gives_no_verdict(graded: Grade) -> None:
    done = graded()

    class Meddling(Judge):
        def findings(self, task):
            receipt = done.places.evidence / "trusted_replay.json"
            text = receipt.read_text().replace('"wall_s":', '"wall_s": 0.0, "was":', 1)
            receipt.write_text(text)
            return super().findings(task)

    with pytest.raises(Infrastructure, match="invalid_evidence"):
        done.again(Meddling(1))


@pytest.fixture
def with_coverage(reproduction_task: Path, tiny_reproduction: SimpleNamespace) -> None:
    """The tiny task with an evidence group, a coverage gate and a science cap."""
    rubric = json.loads((reproduction_task / "tests/rubric.json").read_text())
    rubric |= {"groups": [{"id": "spectrum"}], "gate_and_cap": {}}
    rubric["sub_tasks"][1]["requires"] = ["spectrum"]
    plans = json.loads((reproduction_task / "tests/config/plans.json").read_text())
    wave = {"key": "slab", "case": "base", "column": "wavelength"}
    plan = {"kind": "across_cases", "operation": "coverage", "sources": {"wavelength": wave}}
    plans |= {"spectrum": plan, "gate_and_cap": plan}
    metrics = (reproduction_task / "tests/src/metrics.py").read_text()
    metrics = metrics.replace(
        "OPERATIONS = {",
        'OPERATIONS = {\n    "coverage": Operation('
        'quantities={"wavelength": Quantity(unit="um", ndim=1)}),',
    ).replace(
        'waves, power = quantities["wavelength"], quantities["power"]',
        'waves = quantities["wavelength"]\n    if operation == "coverage":\n'
        '        return {"coverage": waves.size / 6, "seen": int(waves.size), "planned": 6}\n'
        '    power = quantities["power"]',
    )
    tiny_reproduction.change(reproduction_task, "tests/config/plans.json", json.dumps(plans))
    tiny_reproduction.change(reproduction_task, "tests/src/metrics.py", metrics)
    tiny_reproduction.change(reproduction_task, "tests/rubric.json", json.dumps(rubric))


@pytest.mark.usefixtures("with_coverage")
def test_coverage_gates_and_science_caps_where_a_task_asks_for_them(
    graded: Grade, tiny_reproduction: SimpleNamespace
) -> None:
    whole = graded()
    assert whole.made.total.score == "1"
    short = graded(tiny_reproduction.SHORT_SOLVE)
    gate = Fraction(short.made.cap.gate_low)
    assert float(gate) == pytest.approx((5 / 6 - 4 / 5) / 0.15, abs=1e-12)
    assert Fraction(short.made.total.score) == gate * Fraction(1, 5)  # below the cap of 1/4
    assert (short.made.total, short.made.parts) == totals_of(short.made.leaves, short.made.cap)
    none = graded(tiny_reproduction.SOLVE.replace('"observations"', '"nothing"'))
    assert none.leaves["C1"].reason == "requirement_not_met"
    assert none.made.total.score == "0"
    assert graded(patch="").made.total.score == "0"


@pytest.mark.usefixtures("with_coverage")
def test_a_group_without_a_plan_is_a_fault_of_the_package(
    reproduction_task: Path, tiny_reproduction: SimpleNamespace
) -> None:
    plans = json.loads((reproduction_task / "tests/config/plans.json").read_text())
    del plans["spectrum"]
    tiny_reproduction.change(reproduction_task, "tests/config/plans.json", json.dumps(plans))
    with pytest.raises(BadInput, match="spectrum: has no plan"):
        load_scheme(load_task(reproduction_task))


def test_a_package_with_a_fault_is_not_graded(
    reproduction_task: Path, tiny_reproduction: SimpleNamespace
) -> None:
    (reproduction_task / "tests/rubric.json").write_text(
        (reproduction_task / "tests/rubric.json").read_text() + " "
    )
    with pytest.raises(BadInput, match="rubric_hash"):
        load_scheme(load_task(reproduction_task))


def test_nothing_zeroes_leaves_of_every_kind(reproduction_task: Path) -> None:
    scheme = load_scheme(load_task(reproduction_task))
    found = nothing(scheme, "absent")
    assert found.zeroed == set(scheme.rubric.by_id)
    assert replace(found, reason=None).of_leaf.keys() == set(scheme.rubric.by_id)
