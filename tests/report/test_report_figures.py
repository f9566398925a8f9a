"""Figures of samples: what is on them, that they are drawn, that they are the same again."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree

import pytest
from measured_run import TASK, Handed, MeasuredRun, measured

from referee.record.fault import BadInput
from referee.report.figures import axis_of, chart, marks_of, ticks_of, write_figures
from referee.report.samples import samples_of_run

SPREAD = [0.001 * 1.1**i for i in range(40)]


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    handed = {
        (TASK, "one", 1): Handed(measured(SPREAD)),
        (TASK, "exact", 1): Handed(measured([0.0] * 40)),
        (TASK, "broken", 1): Handed(measured([0.1] * 40), outcome="failed", reason="assertion"),
        (TASK, "opus47", 1): Handed(measured([0.2] * 35 + [None] * 5)),
    }
    run = MeasuredRun(handed, arms=("one", "exact", "broken", "opus47"), locked={"floor": 1e-3})
    (found,) = samples_of_run(run.write(tmp_path_factory.mktemp("runs") / "run"), published=True)
    return found


def test_the_axis_holds_all_numbers_and_is_logarithmic_for_errors(task):
    axis = axis_of(task)
    assert axis.log
    assert 0 < axis.low < 6.030496694231501e-08  # the least published fifth percentile
    assert axis.high > 0.8979
    ticks = ticks_of(axis)
    assert all(axis.low <= t <= axis.high for t in ticks)
    assert 5 <= len(ticks) <= 9


def test_rows_are_arms_and_then_comparable_agents(task):
    axis = axis_of(task)
    marks = marks_of(task, axis)
    assert [m.label for m in marks[:5]] == [
        "one",
        "exact",
        "broken (not valid)",
        "opus47",
        "gpt55_high",
    ]
    assert "opus47 (published)" in [m.label for m in marks]
    assert len({m.label for m in marks}) == len(marks)
    one, exact, broken, half = marks[:4]
    assert one.low < one.middle < one.high
    assert (exact.cut, exact.middle) == (True, axis.low)
    assert (broken.low, broken.middle, broken.high) == (None, None, None)
    assert (half.middle, half.high) == (0.2, axis.high)
    assert not any(m.ours for m in marks[4:])


def test_what_is_better_high_has_a_linear_axis(tmp_path):
    name = "007-template-bank"
    run = MeasuredRun(
        {(name, "one", 1): Handed(measured([0.4]))},
        tasks=(name,),
        arms=("one",),
        locked={"better": "higher", "requirement": 1.0},
    )
    (task,) = samples_of_run(run.write(tmp_path / "run"), published=True)
    axis = axis_of(task)
    assert (axis.log, axis.low) == (False, 0.0)
    assert axis.high > 1
    assert marks_of(task, axis)[0].middle == 0.4


def test_figures_are_drawn_and_the_same_again(task, tmp_path):
    written = write_figures([task], tmp_path / "figures")
    assert [p.name for p in written] == [f"{TASK}.svg", f"{TASK}.png"]
    drawn, pixels = (p.read_bytes() for p in written)
    text = " ".join(ElementTree.fromstring(drawn).itertext())
    for said in ("one", "broken (not valid)", "required 0.005", "floor 0.001", "gpt55_high"):
        assert said in text
    assert pixels.startswith(b"\x89PNG\r\n\x1a\n")
    again = write_figures([task], tmp_path / "again")[0].read_bytes()
    assert again == drawn


def test_every_task_of_a_chart_has_its_lines(task):
    layers = chart(task).to_dict()["layer"]
    assert len(layers) == 6


def test_a_missing_extra_is_one_sentence(task, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(BadInput, match=r"vl_convert is not installed.*referee\[report\]") as caught:
        write_figures([task], tmp_path / "figures")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "figures").exists()
