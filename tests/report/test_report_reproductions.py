"""Rows of reproductions as tables and figures: bounds, no rank for what is open, landscapes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from referee.report.reproduction_figures import (
    landscape_rows,
    profile_rows,
    write_reproduction_figures,
)
from referee.report.reproductions import (
    ReproductionRow,
    Stage,
    arm_cells,
    arm_scores,
    judge_remark,
    landscape_cells,
    task_cells,
)

POSSIBLE = {"Modeling": Fraction(1, 10), "Execution": Fraction(1, 10), "Validation": Fraction(4, 5)}


def row(
    task: str, arm: str, low: str, high: str | None = None, why: str = "judge_unavailable"
) -> ReproductionRow:
    bottom, top = Fraction(low), Fraction(high or low)
    return ReproductionRow(
        task=task,
        arm=arm,
        planned=1,
        scored=int(high is None),
        score=bottom if high is None else None,
        low=bottom,
        high=top,
        withheld={} if high is None else {why: 1},
        stages={c: Stage(p, p * bottom, p * top) for c, p in POSSIBLE.items()},
        replays={"completed": 1},
        judges=("scripted stand-in",),
    )


ROWS = [
    row("t1", "good", "1"),
    row("t1", "half", "1/2"),
    row("t1", "open", "1/2", "19/20"),
    row("t2", "good", "91/100"),
    row("t2", "half", "1/3"),
    row("t2", "open", "1"),
]


def test_an_arm_with_an_open_task_has_bounds_and_no_rank() -> None:
    heads, cells = arm_cells(ROWS)
    shown = {cell[0]: dict(zip(heads, cell, strict=True)) for cell in cells}
    assert shown["good"]["mean R>"] == "0.955"
    assert [shown[arm]["rank>"] for arm in ("good", "half", "open")] == ["1", "2", "-"]
    assert shown["open"]["mean R>"] == "0.750-0.975"
    assert (shown["open"]["complete>"], shown["open"]["tasks>"]) == ("1-2", "1/2")
    assert shown["open"]["Validation>"] == "75-98 %"
    assert arm_scores(ROWS)["half"].mean == Fraction(5, 12)


def test_the_landscape_counts_who_is_certainly_complete() -> None:
    _, cells = landscape_cells(ROWS)
    assert cells == [["t1", "1.000", "good", "1", "2"], ["t2", "1.000", "open", "2", "3"]]


def test_reasons_are_shown_where_there_are_some() -> None:
    heads, cells = task_cells(ROWS)
    assert heads[-1] == "open"
    assert [cell[-1] for cell in cells] == ["-", "-", "judge unavailable", "-", "-", "-"]
    assert "open" not in task_cells(ROWS[:2])[0]
    assert judge_remark(ROWS) == "judged by: scripted stand-in"


def test_figures_show_earned_and_open_and_are_the_same_each_time(tmp_path: Path) -> None:
    bars = {(r["task"], r["arm"], r["letter"]): r for r in profile_rows(ROWS)}
    assert (bars["t1", "open", "V"]["earned"], bars["t1", "open", "V"]["open"]) == (0.5, 0.95)
    best = {(r["task"], r["arm"]) for r in landscape_rows(ROWS) if r["best"]}
    assert best == {("t1", "good"), ("t2", "open")}
    first = write_reproduction_figures(ROWS, tmp_path / "one")
    again = write_reproduction_figures(ROWS, tmp_path / "two")
    assert [p.name for p in first] == [
        "stage-profile.svg",
        "stage-profile.png",
        "completion-landscape.svg",
        "completion-landscape.png",
    ]
    svg = [path.read_bytes() for path in first if path.suffix == ".svg"]
    assert svg == [path.read_bytes() for path in again if path.suffix == ".svg"]
    assert b"scripted stand-in" in svg[0]
    assert write_reproduction_figures([], tmp_path / "three") == ()
