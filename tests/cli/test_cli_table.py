"""`referee table --format`: one document on standard output, or one sentence."""

from __future__ import annotations

import csv
import importlib.util
import io
import subprocess
import sys
from pathlib import Path

import pytest


def referee(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    path = Path(__file__).parents[1] / "trial/conftest.py"
    spec = importlib.util.spec_from_file_location("fake_run_for_cli_table", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    place = tmp_path_factory.mktemp("runs") / "run"
    module.FakeRun(tasks=3).finish(place)
    return place


def test_csv_is_all_that_is_printed(run):
    done = referee("table", run, "--format", "csv", "--by", "paradigm")
    assert (done.returncode, done.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["arm"], row["paradigm"]) for row in rows] == [
        ("nop", "issue-driven"),
        ("nop", "expert-exploratory"),
        ("oracle", "issue-driven"),
        ("oracle", "expert-exploratory"),
    ]
    assert [row["pass1_method"] for row in rows] == ["Wilson score", "", "Wilson score", ""]


def test_an_unknown_format_is_one_sentence(run):
    done = referee("table", run, "--format", "odf")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "referee: there is no format 'odf'; use --json, or --format with one of "
        "csv, markdown, latex"
    ]
    assert referee("table", run, "--format", "csv", "--json").returncode == 2
