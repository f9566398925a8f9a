"""Published results as rows of our own tables: marked, whole numbers of tasks, nothing invented."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from referee.record.fault import BadInput
from referee.report.published import published, published_table
from referee.report.published_medians import median_table, read_medians
from referee.report.published_repair import (
    paper,
    published_rows,
    published_tables,
    read_paper,
    solved_of,
)
from referee.report.score_cells import formatted
from referee.report.table import render_table

HEAD = "agent,task,median,p05,p95,aggregate_loss,canonical_n,source,flags\n"


def test_the_rates_are_whole_numbers_of_tasks():
    rows = {row["arm"]: row for row in published_rows(paper())}
    best = rows["Claude-Opus-5 (max), published"]
    assert best["pass1"] == 57 / 119
    found = best["confidence"]["pass1"]
    # Wilson's interval of 57 of 119 (statistics.md: 39.1 to 56.8 per cent)
    assert (round(found["low"], 3), round(found["high"], 3)) == (0.391, 0.568)
    assert best["confidence"]["private"] is None
    assert best["withheld"] is None
    assert best["private"] == pytest.approx(0.7511)
    with pytest.raises(ValueError, match="no whole number"):
        solved_of(46.3, 119)


def test_paradigms_add_up_to_the_whole():
    whole = {row["arm"]: row["pass1"] * 119 for row in published_rows(paper())}
    parts = dict.fromkeys(whole, 0.0)
    for row in published_rows(paper(), by="paradigm"):
        assert row["private"] is None
        parts[row["arm"]] += row["pass1"] * row["planned"]
    assert parts == pytest.approx(whole)
    assert published_rows(paper(), by="domain") == []


def test_failures_are_what_was_not_solved():
    solved = {row.model: solved_of(row.pass1, 119) for row in paper().table2}
    failed = {row.model: row.total + row.runtime for row in paper().table3}
    assert {model: 119 - count for model, count in failed.items()} == solved
    assert sum(paper().domains.values()) == 119


def test_published_rows_stand_in_every_form_of_the_table():
    rows = published_rows(paper())
    text = io.StringIO()
    from rich.console import Console

    Console(file=text, width=100).print(render_table(rows))
    assert "no shared rank" in text.getvalue()
    (first, *_) = csv.DictReader(io.StringIO(formatted(rows, "csv")))
    assert first["published"].startswith("arXiv 2608.19799")
    assert first["withheld"] == ""
    assert "(max), published |" in formatted(rows, "markdown")
    titles = [table.title for table in published_tables(paper())]
    assert len(titles) == 4
    assert all("published" in title for title in titles)


def test_a_file_whose_numbers_do_not_fit_is_refused(tmp_path: Path):
    value = json.loads(json.dumps(paper().as_json() | {}, default=str))
    for row in value["ablation"]:
        row["with"] = row.pop("with_", row.get("with"))
    place = tmp_path / "swe-bench-science.json"
    place.write_text(json.dumps(value))
    assert read_paper(place) == paper()
    value["table3"][0]["coverage"] += 1
    place.write_text(json.dumps(value))
    with pytest.raises(BadInput, match="do not add up"):
        read_paper(place)
    value["table3"][0]["coverage"] -= 1
    value["table2"][0]["pass1"] = 46.3
    place.write_text(json.dumps(value))
    with pytest.raises(BadInput, match="whole number"):
        read_paper(place)


def test_an_absent_median_is_withheld_and_flags_are_kept(tmp_path: Path):
    place = tmp_path / "gwbenchmarks_medians.csv"
    place.write_text(
        HEAD + "a,waveform,0.5,0.1,0.9,,250,x.json,partial n=120/250\n"
        "b,waveform,,,,,250,absent,no published value\n"
    )
    ours, theirs = read_medians(place)
    assert (ours.median, ours.samples, ours.flags) == (0.5, 250, "partial n=120/250")
    assert theirs.withheld
    assert [row[2] for row in median_table((ours, theirs)).rows] == ["0.5", "withheld"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a,t,nan,,,,1,x,", "no finite number"),
        ("a,t,,,,,1,x,", "absent"),
        ("a,t,1,,,,1,absent,", "absent"),
        ("a,t,1,,,,0,x,", "number of samples"),
        ("a,t,1,,,,1,x,\na,t,2,,,,1,x,", "line 3: a at t stands twice"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, line: str, words: str):
    place = tmp_path / "medians.csv"
    place.write_text(HEAD + line + "\n")
    with pytest.raises(BadInput, match=words):
        read_medians(place)


def test_packaged_medians_are_a_table_too():
    table = published_table(published())
    assert len(table.rows) == 8 * 13
    assert sum(row[2] == "withheld" for row in table.rows) >= 1
