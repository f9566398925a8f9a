"""The completion checklist: a whole folder that meets it, what is taken away, what nobody knows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from referee.cli.main import run_command
from referee.diagnose.case import case_of
from referee.diagnose.protocol import checklist
from referee.diagnose.published import read_published
from referee.diagnose.tasks import facts_of
from referee.record.fault import BadInput

CATEGORIES = ("svd", "symbolic", "interpolation", "ml")
LINE = "WAVEFORM_BENCH_COMPLETE"


def name_of(i: int) -> str:
    if i in (1, 5):
        return ("pysr", "gplearn")[i == 5] + f"_{i}"
    return f"{CATEGORIES[i % 4]}_{i}"


def row(i: int) -> dict:
    return {
        "approach": name_of(i),
        "approach_number": i + 1,
        "agent": "made_up",
        "benchmark": "waveform",
        "category": CATEGORIES[i % 4],
        "parameterization": ("raw", "log_q", "eta")[i % 3],
        "loss": 0.1 + 0.0123456 * i,
        "n_val": 250,
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A small folder that has everything the protocol asks for."""
    place = tmp_path_factory.mktemp("results") / "waveform"
    for name in facts_of("waveform").files:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"x" * 2000)
    entry = "- {}: saw a residual, suspected the phase, changed the basis, loss fell\n"
    (place / "CHANGELOG.md").write_text("".join(entry.format(name_of(i)) for i in range(20)))
    for i in range(20):
        model = place / "models" / f"{i + 1:02d}_{name_of(i)}"
        (model / "saved_model").mkdir(parents=True)
        (model / "train.py").write_text("import numpy\n")
        (model / "predict.py").write_text("import numpy\n")
        (model / "saved_model" / "weights.json").write_text("[]")
        (model / "scorecard.json").write_text(json.dumps(row(i)))
        if i in (1, 5):
            engine = name_of(i).partition("_")[0]
            (model / "train.py").write_text(f"import {engine}\n")
            front = [{"expression": f"q + {k}", "complexity": k, "loss": 1 / k} for k in (1, 2, 3)]
            (model / "saved_model" / "expressions.json").write_text(json.dumps(front))
    tables = place / "comparison"
    (tables / "summary_table.json").write_text(json.dumps([row(i) for i in range(20)]))
    (tables / "best_model.json").write_text(json.dumps(row(0)))
    errors = {name_of(0): {"train": [0.1] * 250, "val": [0.1] * 250}}
    (tables / "error_data.json").write_text(json.dumps(errors))
    return place


@pytest.fixture
def folder(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "waveform"))


def states(place: Path, said: str | None = LINE, task: str | None = None) -> dict[str, str]:
    work = read_published(place, agent="made_up", task=task, completion=said)
    return {item.name: item.state for item in checklist(case_of(work)).items}


def test_a_whole_folder_meets_everything(folder):
    found = states(folder, f"All is done.\n{LINE}\n")
    assert set(found.values()) == {"met"}
    assert len(found) == 12


def without(place: Path, pattern: str) -> None:
    paths = list(place.glob(pattern))
    assert paths
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    ("pattern", "item"),
    [
        ("models/20_*", "approaches"),
        ("models/03_*/predict.py", "parts of approaches"),
        ("models/03_*/saved_model", "parts of approaches"),
        ("models/*/saved_model/expressions.json", "symbolic regression by PySR"),
        ("models/02_*/saved_model/expressions.json", "symbolic regression by PySR"),
        ("models/06_*/saved_model/expressions.json", "symbolic regression by gplearn"),
        ("CHANGELOG.md", "changelog"),
        ("comparison/error_data.json", "errors"),
        ("comparison/best_model.json", "best model"),
        ("comparison/progress.pdf", "plots"),
        ("comparison/error_data.json", "files"),
    ],
)
def test_what_is_taken_away_is_not_met(folder, pattern, item):
    if pattern.startswith("models/20"):  # rows of the summary count too
        table = folder / "comparison" / "summary_table.json"
        table.write_text(json.dumps([row(i) for i in range(19)]))
    without(folder, pattern)
    expected = "unknown" if pattern.startswith("models/*") else "not met"
    assert states(folder)[item] == expected


def test_rows_decide_on_categories_and_parameterisations(folder):
    table = folder / "comparison" / "summary_table.json"
    table.write_text(json.dumps([row(i) | {"category": "svd"} for i in range(20)]))
    assert states(folder)["categories"] == "not met"
    table.write_text(json.dumps([row(i) | {"category": None} for i in range(20)]))
    assert states(folder)["categories"] == "unknown"
    table.write_text(json.dumps([row(i) | {"parameterization": "Raw"} for i in range(20)]))
    assert states(folder)["reparameterisations"] == "not met"


def test_a_replaced_search_is_not_symbolic_regression(folder):
    table = folder / "comparison" / "summary_table.json"
    rows = [row(i) for i in range(20)]
    rows[1]["notes"] = "PySR was unavailable, a polynomial stands in"
    table.write_text(json.dumps(rows))
    assert states(folder)["symbolic regression by PySR"] == "not met"


def test_a_changelog_is_an_entry_for_each_approach_with_a_reason(folder):
    log = folder / "CHANGELOG.md"
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[:19]))
    assert states(folder)["changelog"] == "not met"
    log.write_text("\n".join(f"- {name_of(i)}: done" for i in range(20)))
    assert states(folder)["changelog"] == "not met"


def test_the_line_stands_by_itself_or_nobody_knows(folder):
    assert states(folder, None)["completion"] == "unknown"
    assert states(folder, f"I will say {LINE} soon")["completion"] == "not met"
    assert states(folder, f"  {LINE}  \nbye")["completion"] == "met"


def test_a_copied_part_is_not_held_against_anybody(folder):
    found = states(folder / "comparison", None)
    assert not [name for name, state in found.items() if state == "not met"]
    assert found["approaches"] == found["best model"] == "met"
    assert found["plots"] == found["parts of approaches"] == found["changelog"] == "unknown"


def test_a_closed_form_needs_its_formula(folder):
    (folder / "expression.txt").write_text("q * exp(-t**2)\n")
    assert states(folder, task="analytic")["formula"] == "met"
    (folder / "expression.txt").unlink()
    assert states(folder, task="analytic")["formula"] == "not met"


def test_other_tasks_have_a_shorter_list(tmp_path):
    (tmp_path / "run_summary.json").write_text('{"n_bank": 3}')
    (tmp_path / "CHANGELOG.md").write_text("- greedy\n")
    found = states(tmp_path, "TEMPLATE_BANK_BENCH_COMPLETE", task="template_bank")
    assert found == {"files": "not met", "completion": "met"}


def test_a_task_without_a_protocol_is_a_sentence(folder):
    with pytest.raises(BadInput, match="no protocol is known for the task mine"):
        states(folder, task="mine")


def test_the_command_prints_a_report_and_no_judgement(folder, tmp_path, capsys):
    said = tmp_path / "said.txt"
    said.write_text(f"{LINE}\n")
    asked = ["diagnose", str(folder), "--protocol", "--said", str(said)]
    assert run_command(asked) == 0
    shown = capsys.readouterr().out
    assert "12 of 12 met, 0 not met" in shown
    assert "not a score" in shown
    shutil.rmtree(folder / "models")
    assert run_command([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["agent"], told["task"]) == ("made_up", "waveform")
    assert sum(told["counts"].values()) == len(told["items"]) == 12
    assert {i["state"] for i in told["items"] if i["name"] == "parts of approaches"} == {"unknown"}
