"""Comparisons from the folders of runs: which arms, over which tasks, and what is refused."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from referee.cli.main import run_command
from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.report.compare_runs import compare_runs


@pytest.fixture(scope="module")
def fake_run():
    path = Path(__file__).parents[1] / "trial/conftest.py"
    spec = importlib.util.spec_from_file_location("fake_run_for_compare", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.FakeRun


@pytest.fixture(scope="module")
def run(fake_run, tmp_path_factory):
    place = tmp_path_factory.mktemp("runs") / "run"
    fake_run(tasks=6, withheld=frozenset({("t1", "oracle", 1)})).finish(place)
    return place


@pytest.fixture(scope="module")
def ablation(fake_run, tmp_path_factory):
    """Two agents, each with and without science."""

    class Ablation(fake_run):
        def plan(self, **changes):
            arms = tuple(
                Arm(name=name, agent=name.split("-")[0], agent_version="1", condition=condition)
                for name, condition in zip(
                    self.arms, [{"science": "with"}, {"science": "without"}] * 2, strict=True
                )
            )
            return super().plan(**(changes | {"arms": arms}))

        def passes(self, identity, n):
            return identity.arm.endswith("+") or (identity.arm == "x" and identity.task_id == "t0")

    place = tmp_path_factory.mktemp("runs") / "ablation"
    Ablation(tasks=8, arms=("x-a+", "x", "y-a+", "y-b+")).finish(place)
    return place


def test_a_contest_of_two_arms_needs_no_choice(run):
    (found,) = compare_runs([run])
    c = found.comparison
    assert (c.first, c.second, c.table.only_second, c.table.n) == ("nop", "oracle", 5, 5)
    assert c.unpaired == {"oracle was withheld: sandbox_start": 1}
    assert [x.factor for x in found.differences] == ["agent"]
    assert (found.adjusted, c.pvalue) == (0.0625, 0.0625)
    assert found.usage[0].trials == 6


def test_a_factor_compares_every_pair_and_adjusts(ablation):
    x, y = compare_runs([ablation], factors=("science",))
    assert (x.comparison.first, x.comparison.second) == ("x-a+", "x")
    assert (y.comparison.first, y.comparison.second) == ("y-a+", "y-b+")
    assert x.comparison.table.only_first == 7
    assert x.adjusted == 2 * x.comparison.pvalue == pytest.approx(4 / 2**7)
    assert (y.comparison.pvalue, y.adjusted) == (1.0, 1.0)


def test_named_arms_must_differ_in_one_factor(ablation):
    with pytest.raises(BadInput, match=r"differ in more than one factor: agent .*science"):
        compare_runs([ablation], arms=("x", "y-a+"))
    (found,) = compare_runs([ablation], arms=("x", "y-a+"), factors=("agent", "science"))
    assert len(found.differences) == 2
    with pytest.raises(BadInput, match="there is no arm 'z'; the arms are x-a"):
        compare_runs([ablation], arms=("x", "z"))
    with pytest.raises(BadInput, match="a comparison is of two arms"):
        compare_runs([ablation], arms=("x",))
    with pytest.raises(BadInput, match="there are 4 arms, and none was chosen"):
        compare_runs([ablation])


def test_two_runs_of_one_contest_are_compared_and_of_two_are_not(run, fake_run, tmp_path):
    fake_run(tasks=6, arms=("half",)).finish(tmp_path / "other")
    (found,) = compare_runs([run, tmp_path / "other"], arms=("nop", "half"))
    assert found.comparison.second == "half"
    fake_run(tasks=6, arms=("half",), code=b"new").finish(tmp_path / "new")
    with pytest.raises(BadInput, match="they differ in grader"):
        compare_runs([run, tmp_path / "new"], arms=("nop", "half"))


def test_the_command_prints_lines_or_json(run, ablation, capsys):
    assert run_command(["compare", str(run)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("nop and oracle differ in agent (nop 1, oracle 1)\n5 of 6 planned pairs")
    assert "only oracle: t0, t2, t3, t4, t5" in text
    assert run_command(["compare", str(ablation), "--factor", "science", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [one["counts"]["only_first"] for one in made] == [7, 0]
    assert run_command(["compare", str(ablation), "--factor", "model"]) == 2
    assert "no two arms differ in model alone" in capsys.readouterr().err
