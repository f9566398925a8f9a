"""Loading a reproduction task: strict about its files, complete about its faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.cli.main import run_command
from referee.cli.task import app
from referee.record.fault import BadInput
from referee.task.package import load_task
from referee.task.reproduction.audit import audit_package
from referee.task.reproduction.load import load_reproduction

POLICY = "tests/config/evaluation.json"


def test_a_sound_package(reproduction_task):
    loaded = load_task(reproduction_task)
    package = load_reproduction(loaded)
    assert audit_package(package) == ()
    assert loaded.agent.source.source.folder == str(
        reproduction_task / "environment/starter_submission"
    )
    assert package.operations == {"airy_error"}
    assert package.policy.forbidden_input_globs == ("**/*.npz",)
    assert (package.enforced.timeout_sec, package.advertised.memory_mb) == (30.0, 1024)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("tests/config/plan.json", "plan.json; did you mean plans.json"),
        ("tests/private/test_a.py", "unknown file private"),
        ("environment/starter/a", "did you mean starter_submission"),
        ("environment/paper/papers.md", "did you mean paper.md"),
        ("environment/starter_submission/run.sh", "unknown file run.sh"),
        ("solution/parts/a.patch", "unknown file parts"),
    ],
)
def test_an_unknown_file_is_named(reproduction_task, tiny_reproduction, path, told):
    tiny_reproduction.change(reproduction_task, path, "x")
    with pytest.raises(BadInput, match=told.replace("?", r"\?")):
        load_task(reproduction_task)


@pytest.mark.parametrize("path", ["tests/config/plans.json", "environment/paper/addendum.md"])
def test_a_missing_file_is_named(reproduction_task, path):
    (reproduction_task / path).unlink()
    with pytest.raises(BadInput, match=f"{path} is missing"):
        load_task(reproduction_task)


def test_an_unknown_key_of_the_policy_is_named(reproduction_task, tiny_reproduction):
    text = json.dumps({**tiny_reproduction.POLICY, "max_input_byte": 1})
    tiny_reproduction.change(reproduction_task, POLICY, text)
    with pytest.raises(BadInput, match="unknown key max_input_byte; did you mean max_input_bytes"):
        load_reproduction(load_task(reproduction_task))


@pytest.mark.parametrize("lines", ["", "Replay limits: 0 s, 1 CPU, 9 MB.\n"])
def test_the_addendum_states_the_limits(reproduction_task, tiny_reproduction, lines):
    tiny_reproduction.change(reproduction_task, "environment/paper/addendum.md", f"Rules.\n{lines}")
    with pytest.raises(BadInput, match="Replay limits: 120 s"):
        load_reproduction(load_task(reproduction_task))


def test_check_lists_every_fault(reproduction_task, tiny_reproduction):
    runner = CliRunner()
    good = runner.invoke(app, ["check", str(reproduction_task)])
    assert good.exit_code == 0, good.output
    assert "is sound" in good.output
    addendum = tiny_reproduction.ADDENDUM.replace("30 s", "60 s")
    tiny_reproduction.change(reproduction_task, "environment/paper/addendum.md", addendum)
    (reproduction_task / "environment/starter_submission/inputs/slab.json").unlink()
    (reproduction_task / "tests/config/public_contract.md").write_text("Something else.\n")
    bad = runner.invoke(app, ["check", str(reproduction_task), "--json"])
    assert bad.exit_code == 2
    codes = {fault["code"] for fault in json.loads(bad.stdout)["faults"]}
    assert codes == {"advertised_cap", "mandatory_input", "public_contract"}
    shown = runner.invoke(app, ["check", str(reproduction_task)])
    assert all(f"{code}: " in shown.output for code in codes)


def test_a_task_of_a_rubric_is_not_scored_by_checks(reproduction_task: Path, capsys) -> None:
    assert run_command(["task", "baseline", str(reproduction_task)]) == 2
    told = capsys.readouterr().err
    assert "has no baseline of checks" in told
    out = reproduction_task.parent / "run"
    assert run_command(["run", str(reproduction_task), "--agent", "nop", "--out", str(out)]) == 2
    assert "not validated: validate has not been passed" in capsys.readouterr().err
    assert not out.exists()
