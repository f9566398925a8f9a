"""`referee report` and `referee import published` from the command line."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from referee.cli.main import run_command


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    path = Path(__file__).parents[1] / "report/site_run.py"
    spec = importlib.util.spec_from_file_location("site_run_for_cli", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.SiteRun(tasks=1).write(tmp_path_factory.mktemp("runs") / "run")


def test_a_report_says_where_to_begin(run, tmp_path, capsys):
    out = tmp_path / "site"
    assert run_command(["report", str(run), "--out", str(out), "--no-figures", "--title", "X"]) == 0
    assert str(out / "index.html") in capsys.readouterr().out
    assert "<title>X</title>" in (out / "index.html").read_text()
    assert not (out / "figures").exists()


def test_a_report_does_not_write_over_work(run, tmp_path, capsys):
    (tmp_path / "thesis.tex").touch()
    assert run_command(["report", str(run), "--out", str(tmp_path)]) == 2
    assert "choose another --out" in capsys.readouterr().err
    assert run_command(["report", str(tmp_path), "--out", str(tmp_path / "site")]) == 2
    assert run_command(["report", str(run), "--out", str(tmp_path / "s"), "--suite", "none"]) == 2


def test_published_results_are_imported(tmp_path, capsys):
    assert run_command(["import", "published", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 8
    (tmp_path / "swe-bench-science.json").write_text(json.dumps(found["repair"]))
    assert run_command(["import", "published", str(tmp_path), "--format", "markdown"]) == 0
    assert "| GPT-5.6-sol (max) | Codex | 99.16 |" in capsys.readouterr().out
    assert run_command(["import", "published", str(tmp_path / "none")]) == 2
