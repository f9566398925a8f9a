"""Single samples from records alone: quantiles, what is invalid, published rows beside them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_run import TASK, Handed, MeasuredRun, measured

from referee.cli.main import run_command
from referee.record.fault import BadInput
from referee.record.measure import Measured
from referee.report.published import published, published_task
from referee.report.samples import (
    as_json,
    published_cells,
    published_remarks,
    quantile,
    remarks,
    samples_of_run,
    title,
)

FINE = [0.001, 0.002, 0.004, 0.008]


def one_task(tmp_path, handed, **run):
    place = MeasuredRun({(TASK, *key): h for key, h in handed.items()}, **run).write(
        tmp_path / "run"
    )
    (task,) = samples_of_run(place, published=True)
    return task


def test_an_arm_has_its_quantiles_and_its_aggregate(tmp_path):
    task = one_task(
        tmp_path,
        {
            ("one", 1): Handed(measured(FINE, data={"grid": "native"})),
            ("two", 1): Handed(measured([0.5] * 4, data={"grid": "native"})),
        },
        locked={"floor": 1e-4},
    )
    one, two = task.arms
    assert (task.task, task.measure, task.units, task.better) == (
        TASK,
        "mean_fd_mismatch",
        "1",
        "lower",
    )
    assert (task.samples, task.requirement, task.floor) == (4, 5e-3, 1e-4)
    assert (one.median, one.aggregate, one.met, one.valid) == (0.003, 0.00375, 1, 1)
    assert one.p05 == pytest.approx(np.percentile(FINE, 5), rel=1e-15)
    assert one.p95 == pytest.approx(np.percentile(FINE, 95), rel=1e-15)
    assert (two.median, two.p05, two.p95, two.met) == (0.5, 0.5, 0.5, 0)
    assert remarks(task) == ["These scores rest on: grid native."]
    assert "4 samples; required 0.005; floor 0.0001" in title(task)


def test_an_artifact_that_broke_its_contract_has_no_part_in_any_number(tmp_path):
    broken = Handed(measured([1e-9] * 4), outcome="failed", reason="assertion")
    task = one_task(
        tmp_path,
        {
            ("one", 1): Handed(measured(FINE)),
            ("one", 2): broken,
            ("two", 1): broken,
            ("two", 2): Handed(withheld=True),
        },
        attempts=2,
    )
    one, two = task.arms
    assert (one.planned, one.scored, one.valid, one.median) == (2, 2, 1, 0.003)
    assert (two.scored, two.valid, two.met) == (1, 0, 0)
    assert (two.median, two.p05, two.p95, two.aggregate) == (None, None, None, None)


def test_attempts_are_taken_together_sample_by_sample(tmp_path):
    task = one_task(
        tmp_path,
        {("one", 1): Handed(measured([0.1, 0.2])), ("one", 2): Handed(measured([0.3, 0.8]))},
        attempts=2,
        arms=("one",),
    )
    (one,) = task.arms
    assert (one.median, one.aggregate) == (0.25, pytest.approx(0.35))


def test_samples_with_ids_are_told_one_by_one(tmp_path):
    ids = ("q 1", 2, "q 3")
    handed = {
        ("one", 1): Handed(measured([0.1, 0.2, 0.3], ids=ids)),
        ("one", 2): Handed(measured([0.2, 0.4, None], ids=ids)),
    }
    task = one_task(tmp_path, handed, attempts=2, arms=("one",), locked={"planned": 3})
    (one,) = task.arms
    assert [(named.id, named.values) for named in one.by_id] == [
        ("q 1", (0.1, 0.2)),
        (2, (0.2, 0.4)),
        ("q 3", (0.3, None)),
    ]
    told = json.loads(json.dumps(as_json(task)))["arms"][0]
    assert told["by_id"][1] == {"id": 2, "values": [0.2, 0.4]}
    assert told["worst"] == []


@pytest.mark.parametrize(("better", "low"), [("lower", 0.1), ("higher", None)])
def test_a_sample_without_a_value_is_the_worst_there_can_be(tmp_path, better, low):
    samples = [0.1, 0.1, 0.1, None]
    task = one_task(
        tmp_path,
        {("one", 1): Handed(measured(samples))},
        arms=("one",),
        locked={"better": better, "requirement": None},
    )
    (one,) = task.arms
    assert (one.without_value, one.median, one.p05) == (1, 0.1, low)
    assert one.p95 == (None if better == "lower" else 0.1)
    assert one.met is None
    assert "one: 1 samples without a value, counted as the worst." in remarks(task)


def test_the_plan_says_what_scores_rest_on(tmp_path):
    facts = {"size": "small", "source": "generated", "public": "a" * 64, "hidden": "b" * 64}
    labels = {"data": "generated (small)", "data_hidden_sha256": "b" * 64}
    task = one_task(
        tmp_path,
        {("one", 1): Handed(measured(FINE, data=labels))},
        plan_values={"data": {TASK: facts}},
    )
    assert task.data == "generated (small)"
    assert remarks(task) == [
        "These scores rest on: generated (small); data_hidden_sha256 bbbbbbbbbbbb."
    ]


def test_a_run_without_measures_is_a_sentence(tmp_path):
    run = MeasuredRun({}, paradigm="issue-driven", locked={"requirement": None})
    with pytest.raises(BadInput, match="no trial of this run has a measure"):
        samples_of_run(run.write(tmp_path / "run"))
    with pytest.raises(BadInput, match="no such run folder"):
        samples_of_run(tmp_path / "nowhere")


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.sampled_from([0.05, 0.5, 0.95, 1.0])
)
@settings(deadline=None, max_examples=60)
def test_quantiles_are_those_of_numpy(values, level):
    expected = float(np.quantile(values, level))
    assert quantile(sorted(values), level) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_a_quantile_between_a_number_and_none_is_none():
    inf = float("inf")
    assert quantile([], 0.5) is None
    assert quantile([1.0, inf], 0.5) is None
    assert quantile([1.0, 2.0, inf], 0.5) == 2.0
    assert quantile([-inf, -inf, 1.0], 0.25) is None


def test_the_published_values_are_whole_and_say_what_bars_a_comparison():
    tasks = published().tasks
    assert len(tasks) == 8
    assert {len(task.rows) for task in tasks.values()} == {13}
    assert sum(r.median is not None for t in tasks.values() for r in t.rows) == 97
    barred = {
        (r.agent, name)
        for name, t in tasks.items()
        for r in t.rows
        if not r.comparable and r.median
    }
    assert barred == {
        ("opus48", "waveform"),
        ("opus48", "validity"),
        ("gpt52", "ringdown"),
        ("kimi_k26", "analytic"),
        ("kimi_k26", "remnant"),
        ("kimi_k26", "validity"),
        ("deepseek_v4_pro_max", "remnant"),
        ("deepseek_v4_pro_max", "validity"),
    }
    for task in tasks.values():
        for row in task.rows:
            assert row.comparable or row.note
            assert row.p05 is None or row.p05 <= row.median <= row.p95
    (opus48,) = [r for r in tasks["waveform"].rows if r.agent == "opus48"]
    assert (opus48.median, opus48.note) == (0.09386946591309786, "120 of 250 samples")
    (opus48,) = [r for r in tasks["validity"].rows if r.agent == "opus48"]
    assert "natural" in opus48.note
    assert opus48.median / np.log(10) == pytest.approx(0.43456, abs=1e-5)


def test_published_rows_stand_beside_the_task_of_their_name(tmp_path):
    assert published_task("001-mauna-loa", "linear", "lower") is None
    assert published_task("007-template-bank", "linear", "higher").better == "higher"
    other = published_task("005-validity", "linear", "lower")
    assert not any(row.comparable for row in other.rows)
    assert other.rows[0].note == "published in the scale log10, lower is better"
    handed = {("004-ringdown", "one", 1): Handed(measured(FINE))}
    run = MeasuredRun(handed, tasks=("004-ringdown",)).write(tmp_path / "run")
    (task,) = samples_of_run(run, published=True)
    cells = published_cells(task)
    assert len(cells) == 12
    assert cells[0] == ["gpt54_mini", "1.306e-12", "8.861e-14", "1.688e-05"]
    assert cells[-1][0] == "gpt52 *"
    assert "* gpt52: the released errors give a median of 1.490e-12." in published_remarks(task)
    (alone,) = samples_of_run(run)
    assert alone.published is None


def test_the_command_prints_tables_or_json(tmp_path, capsys):
    run = MeasuredRun({(TASK, "one", 1): Handed(measured(FINE))}).write(tmp_path / "run")
    assert run_command(["samples", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "published" not in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert run_command(["samples", str(run), "--published", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (task,) = told["tasks"]
    assert [arm["median"] for arm in task["arms"]] == [0.003, None]
    assert len(task["published"]["rows"]) == 13
    assert told["figures"] == []
    assert run_command(["samples", str(run), "--json"]) == 0
    assert "published" not in json.loads(capsys.readouterr().out)["tasks"][0]


def named(values):
    return Measured(value=1.0, samples=tuple(values), ids=("q1", "q2", "q3"))


@pytest.mark.parametrize(
    ("better", "worst"), [("lower", ["q2", "q3", "q1"]), ("higher", ["q2", "q1", "q3"])]
)
def test_the_worst_samples_are_named(tmp_path, better, worst):
    handed = {
        (TASK, "one", 1): Handed(named([0.1, None, 0.5])),
        (TASK, "one", 2): Handed(named([0.2, 0.3, 0.4])),
    }
    locked = {"better": better, "requirement": None, "planned": 3}
    run = MeasuredRun(handed, arms=("one",), attempts=2, locked=locked).write(tmp_path / "run")
    (task,) = samples_of_run(run, worst=3)
    (arm,) = task.arms
    assert [sample.id for sample in arm.worst] == worst
    assert arm.worst[0].value is None
    first = {"lower": 0.2, "higher": 0.1}[better]
    assert {sample.id: sample.value for sample in arm.worst}["q1"] == first
    (task,) = samples_of_run(run, worst=1)
    assert [sample.id for sample in task.arms[0].worst] == ["q2"]


def test_the_command_names_the_worst(tmp_path, capsys):
    locked = {"requirement": None, "planned": 3}
    handed = {(TASK, "one", 1): Handed(named([0.1, 0.3, 0.2]))}
    run = MeasuredRun(handed, arms=("one",), locked=locked).write(tmp_path / "run")
    assert run_command(["samples", str(run), "--worst", "2"]) == 0
    shown = capsys.readouterr().out
    assert "q2" in shown
    assert "q1" not in shown
    assert run_command(["samples", str(run), "--worst", "1", "--json"]) == 0
    (task,) = json.loads(capsys.readouterr().out)["tasks"]
    assert task["arms"][0]["worst"] == [{"id": "q2", "value": 0.3}]
