"""Runs at a reproduction task: what the agent sees, what is recorded, audited, withheld, shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.author.evidence import require_validated
from referee.cli.main import run_command
from referee.environment.store import open_store, remove_tree
from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.report.reproductions import arm_cells, reproduction_rows, standings, task_cells
from referee.report.table import table_rows
from referee.trial.audit import audit_run
from referee.trial.contest import RunRequest, prepare_contest, run_contest

Run = Callable[..., Path]


@pytest.fixture
def run(store_root: Path, reproduction_suite: Path, tmp_path: Path) -> Run:
    """Runs agents at the tiny reproduction suite."""

    def go(*agents: str, name: str = "run", **fields: object) -> Path:
        out = tmp_path / name
        request = RunRequest(str(reproduction_suite), agents, out=out, seed=1, **fields)  # type: ignore[arg-type]
        prepared = prepare_contest(
            request, say=lambda _: None, store=open_store(store_root), require=require_validated
        )
        run_contest(prepared, jobs=1, on_event=lambda _: None)
        return out

    return go


def trial_of(run: Path, arm: str) -> Trial:
    return load_record(run / "trials/901-slab" / arm / "1/trial.json", Trial)


def test_the_oracle_is_complete_and_nop_is_nought(run: Run) -> None:
    out = run("oracle", "nop")
    report = audit_run(out)
    assert (report.ok, report.complete, report.findings) == (True, True, ())
    rows = {row.arm: row for row in reproduction_rows(out)}
    assert (rows["oracle"].score, rows["nop"].score) == (Fraction(1), Fraction(0))
    assert rows["nop"].replays == {"starter_only": 1}
    assert rows["oracle"].judges == ("scripted stand-in",)
    assert (rows["oracle"].complete, rows["nop"].complete) == (True, False)
    counts = {row["arm"]: (row["scored"], row["pass1"]) for row in table_rows(out)}
    assert counts == {"oracle": (1, None), "nop": (1, None)}
    (found,) = standings(list(rows.values())).values()
    assert (found.best, found.by, found.complete, found.scored) == (1, ("oracle",), 1, 2)
    heads, cells = arm_cells(list(rows.values()))
    assert [dict(zip(heads, row, strict=True))["rank>"] for row in cells] == ["1", "2"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("replay/outputs/outputs/transmission.json", "was changed"),
        ("replay/source/src/solve.py", "was changed"),
        ("replay/console.log", "was changed"),
        ("replay/outputs/outputs/more.json", "was added"),
    ],
)
def test_an_audit_finds_evidence_that_was_touched(run: Run, path: str, told: str) -> None:
    out = run("oracle")
    place = out / "trials/901-slab/oracle/1" / path
    if place.exists():
        place.chmod(0o644)
    place.parent.chmod(0o755)
    place.write_text("{}")
    findings = [finding.what for finding in audit_run(out).findings]
    assert any(path.removeprefix("replay/") in what and told in what for what in findings)


def test_an_edited_leaf_is_found(run: Run) -> None:
    out = run("nop")
    (verdict,) = out.glob("trials/901-slab/nop/1/grade/*/verdict.json")
    value = json.loads(verdict.read_text())
    leaf = value["reproduction"]["leaves"][0]
    leaf |= {"score": "1", "low": "1", "high": "1"}
    verdict.write_text(json.dumps(value))
    findings = [finding.what for finding in audit_run(out).findings]
    assert any("the score does not follow from its leaves" in what for what in findings)


def test_without_a_judge_the_trial_is_withheld_with_its_bounds(run: Run) -> None:
    out = run("oracle", judge="none")
    trial = trial_of(out, "oracle")
    assert trial.outcome == "withheld"
    assert trial.withheld is not None
    assert trial.withheld.reason == "judge_unavailable"
    assert trial.withheld.detail == "open leaves: A1"
    assert trial.reproduction is not None
    assert (trial.reproduction.low, trial.reproduction.high) == ("4/5", "1")
    assert audit_run(out).ok
    (row,) = reproduction_rows(out)
    assert (row.score, row.low, row.high, row.complete) == (None, Fraction(4, 5), 1, None)
    assert row.withheld == {"judge_unavailable": 1}
    assert "judge unavailable" in task_cells([row])[1][0]
    (counted,) = table_rows(out)
    assert counted["withheld_by_reason"] == {"judge_unavailable": 1}


def test_the_agent_sees_the_paper_and_what_it_ran_itself_is_no_part_of_its_work(
    run: Run, tiny_reproduction: SimpleNamespace, tmp_path: Path
) -> None:
    program = tmp_path / "worker"
    program.write_text(
        "#!/bin/bash\nset -eu\ntest ! -e /task/public\n"
        "grep -q 'two interfaces' /task/paper/paper.md\ngrep -q '1e-9' /task/paper/addendum.md\n"
        f"cat > src/solve.py <<'END'\n{tiny_reproduction.SOLVE}END\nbash reproduce.sh\n"
        "echo stale > outputs/stale.json\n"
    )
    program.chmod(0o755)
    out = run(f"command:{program}")
    (row,) = reproduction_rows(out)
    assert row.score == 1
    (folder,) = out.glob("trials/901-slab/*/1")
    made = sorted(p.name for p in (folder / "replay/outputs/outputs").iterdir())
    assert made == ["evidence_manifest.json", "transmission.json"]
    assert "b/outputs/" not in (folder / "submission/patch.diff").read_text()


def test_another_judge_is_another_run(run: Run) -> None:
    out = run("nop")
    with pytest.raises(BadInput, match=r"another plan.*judge"):
        run("nop", judge="none")
    assert run("nop") == out


def test_a_judge_that_is_not_there_is_one_sentence(run: Run) -> None:
    with pytest.raises(BadInput, match="recorded answers cannot be read"):
        run("nop", judge="recorded:nowhere.json")


def test_the_commands_grade_and_show(
    run: Run,
    reproduction_suite: Path,
    store_environment: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    task = reproduction_suite / "901-slab"
    patch = task / "solution/partial/one-wavelength-missing.patch"
    kept = tmp_path / "kept"
    assert run_command(["grade", str(task), "--patch", str(patch), "--evidence", str(kept)]) == 1
    shown = capsys.readouterr().out
    assert "R = 0.2000 (1/5)" in shown
    assert "written rules, no model" in shown
    assert (kept / "replay/trusted_replay.json").is_file()
    assert run_command(["grade", str(task), "--patch", str(patch), "--evidence", str(kept)]) == 2
    assert run_command(["grade", str(task), "--patch", str(patch), "--judge", "none"]) == 3
    assert "R lies in 0.0000 to 0.2000: 1 leaves are open" in capsys.readouterr().out
    out = run("oracle")
    assert run_command(["table", str(out)]) == 0
    assert "judged by: scripted stand-in" in capsys.readouterr().out
    assert run_command(["table", str(out), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["reproductions"][0]["stages"]["Validation"]["low"] == "4/5"
    remove_tree(kept)
