"""The command line as a user meets it: output, JSON, exit codes, one sentence for bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Referee = Callable[..., subprocess.CompletedProcess[str]]

ROW_KEYS = [
    "arm",
    "planned",
    "scored",
    "withheld",
    "public",
    "private",
    "fail2pass",
    "pass2pass",
    "pass1",
]


@pytest.fixture
def referee(store_environment: Path, tmp_path: Path) -> Referee:
    """Runs one command line in a folder of its own."""

    def call(*arguments: str | Path, **options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "referee", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **options},
            timeout=300,
        )

    return call


def test_run_table_audit_and_resume(referee: Referee, tiny_suite: Path, tmp_path: Path) -> None:
    command = ["run", tiny_suite, "--agent", "nop", "--agent", "oracle", "--out", tmp_path / "run"]
    first = referee(*command, "--jobs", "2", "--json")
    assert first.returncode == 0, first.stderr
    rows = json.loads(first.stdout)
    assert [list(row)[: len(ROW_KEYS)] for row in rows] == [ROW_KEYS, ROW_KEYS]
    by_arm = {row["arm"]: row for row in rows}
    assert by_arm["oracle"]["pass1"] == 1.0
    assert by_arm["nop"]["pass1"] == 0.0
    assert by_arm["nop"]["planned"] == by_arm["nop"]["scored"] == 1

    ledger = (tmp_path / "run" / "ledger.jsonl").read_bytes()
    again = referee(*command, "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout) == rows
    assert (tmp_path / "run" / "ledger.jsonl").read_bytes() == ledger

    shown = referee("table", tmp_path / "run")
    assert shown.returncode == 0
    assert "oracle" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 100

    audit = referee("audit", tmp_path / "run", "--json")
    assert audit.returncode == 0
    report = json.loads(audit.stdout)
    assert report["ok"]
    assert referee("audit", tmp_path / "run", "--expect", report["head"]).returncode == 0
    assert referee("audit", tmp_path / "run", "--expect", "0" * 64).returncode == 1

    other = referee(*command[:-2], "--out", tmp_path / "run", "--attempts", "2")
    assert other.returncode == 2
    assert "another plan" in other.stderr

    verdict = next((tmp_path / "run" / "trials").glob("*/nop/1/grade/*/verdict.json"))
    verdict.write_bytes(verdict.read_bytes().replace(b'"failed"', b'"passed"', 1))
    assert referee("audit", tmp_path / "run").returncode == 1


def test_grade_says_yes_or_no_by_its_exit_code(
    referee: Referee, tiny_suite: Path, tmp_path: Path
) -> None:
    task = tiny_suite / "001-tiny"
    good = referee("grade", task, "--patch", task / "solution/reference.patch", "--json")
    assert good.returncode == 0, good.stderr
    verdict = json.loads(good.stdout)
    assert verdict["scores"]["pass1"] == 1
    assert isinstance(verdict["seed"], int)
    empty = tmp_path / "empty.patch"
    empty.write_bytes(b"")
    bad = referee("grade", task, "--patch", empty)
    assert bad.returncode == 1
    assert "Pass@1 0" in bad.stdout
    empty.write_bytes(b"no patch at all\n")
    refused = referee("grade", task, "--patch", empty)
    assert refused.returncode == 1
    assert refused.stdout.startswith("refused (malformed_patch")
    assert len(refused.stdout.splitlines()) == 1


def test_replay_of_predictions(referee: Referee, tiny_suite: Path, tmp_path: Path) -> None:
    patch = (tiny_suite / "001-tiny/solution/reference.patch").read_text()
    line = {"instance_id": "001-tiny", "model_name_or_path": "m", "model_patch": patch}
    (tmp_path / "predictions.jsonl").write_text(json.dumps(line) + "\n")
    done = referee("run", tiny_suite, "--agent", "replay:predictions.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["pass1"] == 1.0


def test_a_program_sees_its_half_of_the_task_and_no_more(
    referee: Referee, tiny_suite: Path, tmp_path: Path
) -> None:
    program = tmp_path / "look"
    program.write_text(
        "#!/bin/sh\nfind /task /workspace -type f | sort\n"
        'echo "wd $(pwd) $REFEREE_INSTRUCTION"\n'
        "grep -r referee-canary / --exclude-dir=proc --exclude-dir=sys -l 2>/dev/null\n"
        "/task/public/run -q\nid -u\n"
    )
    program.chmod(0o755)
    run = ["run", tiny_suite, "--agent", "command:look", "--out", "run"]
    run += ["--condition", "science=with,without"]
    done = referee(*run)
    assert done.returncode == 0, done.stderr
    trials = tmp_path / "run/trials/001-tiny"
    shown = (trials / "command-look/1/agent/stdout.log").read_text()
    assert "/task/instruction.md" in shown
    assert "/task/science/pi.md" in shown
    assert "/workspace/tiny/shapes.py" in shown
    assert "wd /workspace /task/instruction.md" in shown
    assert "test_unit_circle" in shown
    assert shown.rstrip().endswith("1000")
    for hidden in ("test_area", "baseline.json", "reference", "canary"):
        assert hidden not in shown
    without = (trials / "command-look+science=without/1/agent/stdout.log").read_text()
    assert "/task/context/circle.md" in without
    assert "science" not in without


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "SUITE"], "agent"),
        (["run", "SUITE", "--agent", "orakle"], "did you mean oracle"),
        (["run", "SUITE", "--agent", "nop", "--tasks", "7"], "names no task"),
        (["run", "SUITE", "--agent", "nop", "--jobs", "0"], "--jobs 0"),
        (["run", "SUITE", "--agent", "nop", "--attempts", "0"], "--attempts 0"),
        (["run", "SUITE", "--agent", "nop", "--seed=-1"], "--seed -1"),
        (["run", "SUITE", "--agent", "nop", f"--seed={2**63}"], "63 bits"),
        (["run", "SUITE", "--agent", "nop", "--condition", "science=maybe"], "with,without"),
        (["run", "SUITE", "--agent", "nop", "--condition", "weather=fair"], "known: science"),
        (["run", "SUITE", "--agent", "nop", "--out", "SUITE"], "not a run"),
        (["run", "/nowhere", "--agent", "nop"], "there is no suite"),
        (["grade", "SUITE/001-tiny", "--patch", "/nowhere.patch"], "cannot be read"),
        (["table", "/nowhere"], "/nowhere"),
        (["audit", "/nowhere"], "/nowhere"),
        (["task", "show", "nothing/1"], "there is no task"),
        (["suite", "show", "nothing"], "there is no suite"),
        (["frobnicate"], "No such command"),
        (["run"], "Missing argument 'suite'; see `referee run --help`"),
        (["run", "SUITE", "--agent", "nop", "--frobnicate"], "No such option"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(
    referee: Referee, tiny_suite: Path, arguments: list[str], sentence: str
) -> None:
    done = referee(*(part.replace("SUITE", str(tiny_suite)) for part in arguments))
    assert done.returncode == 2, (done.stdout, done.stderr)
    lines = [line for line in done.stderr.splitlines() if line.startswith("referee: ")]
    assert len(lines) == 1
    assert sentence in lines[0]
    assert "Traceback" not in done.stderr


def test_a_stale_baseline_cannot_be_scored(referee: Referee, tiny_suite: Path) -> None:
    instruction = tiny_suite / "001-tiny/instruction.md"
    assert referee("task", "check", tiny_suite / "001-tiny").returncode == 0
    instruction.write_text(instruction.read_text() + "More.\n")
    assert referee("task", "check", tiny_suite / "001-tiny").returncode == 1
    done = referee("run", tiny_suite, "--agent", "nop")
    assert done.returncode == 2
    assert "changed since its baseline; run `referee task baseline" in done.stderr


def test_an_unreadable_package_index_leaves_nothing_behind(
    referee: Referee, tiny_suite: Path, tmp_path: Path, open_folder: Path
) -> None:
    store = open_folder / "store"
    offline = {
        "REFEREE_STORE": str(store),
        "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple",
        "UV_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_CONFIG_FILE": os.devnull,
    }
    done = referee("run", tiny_suite, "--agent", "nop", "--out", "run", **offline)
    assert done.returncode == 2, done.stderr
    assert "tiny-1.0.tar.gz" in done.stderr
    assert not (tmp_path / "run").exists()
    assert not list((store / "snapshot").iterdir())


def test_lists_are_json(referee: Referee, tiny_suite: Path, tmp_path: Path) -> None:
    listed = referee("suite", "list", "--json")
    assert listed.returncode == 0
    tasks = json.loads(listed.stdout)["tasks"]
    assert [task["id"] for task in tasks if task["suite"] == "tiny"] == ["001"]
    built = referee("env", "build", tiny_suite, "--json")
    assert json.loads(built.stdout)[0]["task"] == "001-tiny"
    things = json.loads(referee("env", "list", "--json").stdout)["things"]
    assert {"snapshot", "env", "downloads"} <= {thing["kind"] for thing in things}
    doctor = json.loads(referee("doctor", "--json").stdout)
    assert doctor["ready"] is True
    shown = json.loads(referee("task", "show", "tiny/001", "--json").stdout)
    assert shown["checks"] == {"public": 1, "private": 3, "regression": 2}


def test_suites_are_measured_selected_and_validated(
    referee: Referee, tiny_suite: Path, tmp_path: Path
) -> None:
    (tiny_suite / "001-tiny/evidence.jsonl").unlink()
    stats = json.loads(referee("suite", "stats", tiny_suite, "--json").stdout)
    assert (stats["tasks"], stats["validated"]) == (1, 0)
    assert stats["domains"] == {"Mathematics": 1}
    assert stats["paradigms"] == {"issue": 1, "expert": 0, "engineering": 0}
    assert "not validated" in referee("suite", "stats", tiny_suite).stdout
    assert "| Mathematics | 1 |" in referee("suite", "stats", tiny_suite, "--markdown").stdout
    done = referee("suite", "select", tiny_suite, "--domain", "math", "--out", "chosen.json")
    assert done.returncode == 0, done.stderr
    chosen = json.loads((tmp_path / "chosen.json").read_text())
    assert [row["task"] for row in chosen["tasks"]] == ["001-tiny"]
    assert chosen["selection"] in done.stdout
    run = ["run", tiny_suite, "--agent", "nop", "--selection", "chosen.json", "--out", "run"]
    refused = referee(*run)
    assert refused.returncode == 2
    assert "not validated" in refused.stderr
    assert not (tmp_path / "run").exists()
    done = referee(*run, "--allow-unvalidated", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["unvalidated"] == ["001-tiny"]


def test_a_suite_is_validated_in_one_command(
    referee: Referee, tiny_suite: Path, tmp_path: Path
) -> None:
    before = sorted(path.name for path in (tiny_suite / "001-tiny").iterdir())
    only = ["--only", "reference", "--only", "nop", "--repeats", "2", "--seed", "1"]
    done = referee("suite", "validate", tiny_suite, *only, "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["task"], row["passed"], row["mode"], row["cases"]) == (
        "001-tiny",
        True,
        "partial",
        7,
    )
    assert sorted(path.name for path in (tiny_suite / "001-tiny").iterdir()) == before
    baseline = tiny_suite / "001-tiny/tests/baseline.json"
    value = json.loads(baseline.read_text())
    value["checks"]["private/test_area.py::test_area_of_two"]["passed"] = True
    baseline.write_text(json.dumps(value))
    done = referee("suite", "validate", tiny_suite, "--only", "nop", "--seed", "1")
    assert done.returncode == 1
    assert "not as locked in the baseline" in done.stdout
    assert "referee task validate" in done.stdout


def test_disk_of_a_suite_is_told(referee: Referee, tiny_suite: Path) -> None:
    referee("env", "build", tiny_suite)
    value = json.loads(referee("env", "disk", tiny_suite, "--json").stdout)
    assert value["not_built"] == []
    assert 0 < value["together_bytes"] <= value["alone_bytes"]
    assert "less by sharing" in referee("env", "disk", tiny_suite).stdout
