"""The table of a run: fixed keys, coverage, splits, refusals, a hundred columns."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from referee.record.fault import BadInput
from referee.report.audit_text import audit_json, audit_lines
from referee.report.score_cells import formatted
from referee.report.table import render_table, table_rows
from referee.report.usage import usage_cells
from referee.trial.audit import audit_run
from referee.trial.run_folder import open_run

KEYS = [
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


@pytest.fixture(scope="module")
def fake_run():
    path = Path(__file__).parents[1] / "trial/conftest.py"
    spec = importlib.util.spec_from_file_location("fake_run_for_report", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.FakeRun


@pytest.fixture(scope="module")
def run(fake_run, tmp_path_factory):
    place = tmp_path_factory.mktemp("runs") / "run"
    fake = fake_run(arms=("nop", "oracle"), withheld=frozenset({("t1", "oracle", 1)}))
    fake.finish(place)
    return place


def shown(rows) -> str:
    out = io.StringIO()
    Console(file=out, width=100, highlight=False).print(render_table(rows))
    return out.getvalue()


def test_rows_have_the_promised_keys_first(run):
    rows = table_rows(run)
    assert [list(row)[: len(KEYS)] for row in rows] == [KEYS, KEYS]
    nop, oracle = rows
    assert (nop["arm"], nop["planned"], nop["scored"], nop["withheld"]) == ("nop", 2, 2, 0)
    assert (nop["private"], nop["fail2pass"], nop["pass2pass"], nop["pass1"]) == (0, 0, 1, 0)
    assert (oracle["scored"], oracle["withheld"], oracle["pass1"]) == (1, 1, 1.0)
    assert (oracle["pass1_of_planned"], oracle["withheld_by_reason"]) == (
        0.5,
        {"sandbox_start": 1},
    )
    json.dumps(rows, allow_nan=False)


def test_the_table_is_the_same_when_made_again(run):
    first = table_rows(run)
    (run / "index.parquet").unlink()
    assert table_rows(run) == first


def test_rows_split_by_paradigm_and_domain(run):
    rows = table_rows(run, by="paradigm")
    assert [(r["arm"], r["paradigm"], r["planned"], r["pass1"]) for r in rows] == [
        ("nop", "issue-driven", 1, 0),
        ("nop", "expert-exploratory", 1, 0),
        ("oracle", "issue-driven", 1, 1),
        ("oracle", "expert-exploratory", 1, None),
    ]
    with pytest.raises(BadInput, match="paradigm, domain"):
        table_rows(run, by="colour")


def test_people_see_coverage_and_why_trials_were_withheld(run):
    text = shown(table_rows(run))
    assert "1/2" in text
    assert "withheld by: sandbox_start 1" in text
    assert max(map(len, text.splitlines())) <= 100
    unscored = shown(table_rows(run, by="domain")[-1:]).splitlines()[3]
    assert unscored.split() == ["oracle", "domain", "1", "0/1", "1", *"------"]


def test_one_trial_has_no_spread(tmp_path, fake_run):
    fake_run(tasks=1, arms=("nop",)).finish(tmp_path / "run")
    (row,) = table_rows(tmp_path / "run")
    assert not [key for key in row if "std" in key or "error" in key or "interval" in key]
    assert set(row["confidence"].values()) == {None}
    assert "±" not in shown([row])
    assert "no estimate of an interval" in shown([row])
    assert "0.0 (no estimate)" in formatted([row], "markdown")


def test_each_mean_has_its_interval_beside_it(run):
    nop, oracle = table_rows(run)
    found = nop["confidence"]["pass1"]
    assert (found["low"], found["n"], found["method"]) == (0.0, 2, "Wilson score")
    assert f"0.00-{found['high']:.2f}" in shown([nop])
    assert oracle["confidence"]["pass1"] is None  # one of its two trials was withheld


def test_the_table_is_written_for_programs_and_papers(run):
    rows = table_rows(run, by="domain")
    facts = list(csv.DictReader(io.StringIO(formatted(rows, "csv"))))
    assert [fact["domain"] for fact in facts] == [row["domain"] for row in rows]
    assert [fact["pass1"] for fact in facts] == ["0.0", "0.0", "1.0", ""]
    (nop, _) = table_rows(run)
    (fact,) = csv.DictReader(io.StringIO(formatted([nop], "csv")))
    assert float(fact["pass1_high"]) == nop["confidence"]["pass1"]["high"]
    assert fact["comparability"] == nop["comparability"]
    assert (fact["usage_trials"], fact["usage_agent_s"], fact["usage_cost"]) == ("2", "1.0", "0.0")
    high = 100 * nop["confidence"]["pass1"]["high"]
    assert "| nop | 2/2 | 0 |" in formatted([nop], "markdown")
    assert f"0.0 (0.0-{high:.1f})" in formatted([nop], "markdown")
    assert f"0.0 (0.0-{high:.1f}) \\\\" in formatted([nop], "latex")
    with pytest.raises(ValueError, match="csv, markdown, latex, and not as 'odf'"):
        formatted(rows, "odf")


def test_what_arms_used_is_told_where_a_model_was_called(run):
    rows = table_rows(run)
    assert [row["usage"]["trials"] for row in rows] == [2, 2]
    assert (rows[0]["usage"]["agent_s"], rows[0]["usage"]["calls"]) == (1.0, 0)
    assert "usage" not in table_rows(run, by="domain")[0]
    assert usage_cells(rows)[1] == []
    used = {"calls": 3, "uncounted": 1, "input_tokens": 500, "output_tokens": 7, "cost": None}
    heads, (line,) = usage_cells([rows[0] | {"usage": rows[0]["usage"] | used}, rows[1]])
    assert line == ["nop", "2", "3", "500+", "7+", "unknown", "1"]
    assert len(heads) == len(line)


def test_a_split_of_long_names_is_still_readable(run):
    name = "mini-swe-agent+science=without"
    rows = [row | {"arm": name, "condition": row["arm"]} for row in table_rows(run, by="paradigm")]
    text = shown(rows)
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) <= 6 + 4 * len(rows)


def test_names_cannot_steer_the_table(run):
    (row, _) = table_rows(run)
    text = shown([row | {"arm": "[red]x[/red]"}])
    assert "[red]x[/red]" in text
    assert "\x1b" not in shown([row | {"arm": "\x1b]0;title\x07"}])


def test_an_unfinished_run_says_so(tmp_path, fake_run):
    fake = fake_run()
    with open_run(tmp_path / "run", fake.plan()) as writer:
        fake.commit(writer, writer.pending()[0])
        rows = table_rows(tmp_path / "run")
    assert [row["pending"] for row in rows] == [1, 2]
    assert "3 planned trials are not recorded yet" in shown(rows)


def test_equal_runs_share_a_table_and_unequal_ones_do_not(tmp_path, run, fake_run):
    fake_run(arms=("half", "nop")).finish(tmp_path / "other")
    rows = table_rows([run, tmp_path / "other"])
    assert [row["arm"] for row in rows] == [
        f"nop ({run})",
        "oracle",
        "half",
        f"nop ({tmp_path / 'other'})",
    ]
    for name, changes, words in (
        ("tasks", {"tasks": 3}, "tasks"),
        ("baseline", {"baseline": b"locked again"}, "tasks"),
        ("grader", {"code": b"new"}, "grader"),
        ("limits", {"limits": {"agent_s": 5}}, "limits"),
    ):
        fake_run(**changes).finish(tmp_path / name)
        with pytest.raises(BadInput, match=f"they differ in {words}"):
            table_rows([run, tmp_path / name])
        assert table_rows(tmp_path / name)[0]["comparability"] != rows[0]["comparability"]


def test_an_audit_reads_well(run):
    report = audit_run(run)
    assert audit_lines(report)[0].startswith("sound and complete")
    assert audit_lines(report)[-1] == f"head {report.head}"
    json.dumps(audit_json(report))
    (run / "\x1b[31mnote").touch()
    report = audit_run(run)
    (run / "\x1b[31mnote").unlink()
    lines = audit_lines(report)
    assert lines[0] == "not sound: 1 finding"
    assert lines[1] == "found: \\x1b[31mnote: was added"
