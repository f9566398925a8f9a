"""Two figures of reproductions: the stage profile of each task, and the completion landscape.

The profile shows for each arm what of its share Modeling, Execution and Validation brought; the
landscape the score of every arm at every task beside the line that complete means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.record.reproduction import CATEGORIES, COMPLETE_ABOVE
from referee.report.figures import OURS, REQUIRED, THEIRS, save_charts
from referee.report.reproductions import ReproductionRow, judge_remark

if TYPE_CHECKING:
    import altair

_COLOURS = ("#1f5fa8", "#c77700", "#2e7d32")
_LETTERS = ("M", "E", "V")
_OPEN = "#d9d9d9"


def write_reproduction_figures(rows: Sequence[ReproductionRow], folder: Path) -> tuple[Path, ...]:
    """Write `stage-profile` and `completion-landscape`, each as SVG and PNG; nothing without rows.
    The same records give the same SVG.

    Raises:
        BadInput: what figures need is not installed, or the folder cannot be written.
    """
    if not rows:
        return ()
    return save_charts(
        {"stage-profile": profile_chart, "completion-landscape": landscape_chart}, rows, folder
    )


def profile_rows(rows: Sequence[ReproductionRow]) -> list[dict[str, Any]]:
    """One bar for each task, arm and stage: earned over possible, and up to where it is open."""
    found = []
    for row in rows:
        for letter, category in zip(_LETTERS, CATEGORIES, strict=True):
            stage = row.stages.get(category)
            if stage is None or not stage.possible:
                continue
            found.append(
                {
                    "task": row.task,
                    "arm": row.arm,
                    "stage": f"{letter} {category}",
                    "letter": letter,
                    "earned": float(stage.low / stage.possible),
                    "open": float(stage.high / stage.possible),
                }
            )
    return found


def profile_chart(rows: Sequence[ReproductionRow]) -> altair.FacetChart:
    """The stage profile as a Vega-Lite chart: a row of bars for each task and arm."""
    title = _title("Stage profile", rows, "grey: open, because leaves were not decided")
    made: altair.FacetChart = _configured(profile_bars(profile_rows(rows)).properties(title=title))
    return made


def profile_bars(values: Sequence[Mapping[str, Any]]) -> Any:
    """The bars of `profile_rows`, without a title and colours of a page."""
    import altair as alt

    stages = [f"{a} {b}" for a, b in zip(_LETTERS, CATEGORIES, strict=True)]
    base = alt.Chart().encode(
        y=alt.Y("letter:N", sort=list(_LETTERS), title=None).axis(
            ticks=False, domain=False, labelFontSize=10
        )
    )
    x = alt.X("earned:Q", title="earned of what the stage can bring")
    x = x.scale(domain=[0, 1]).axis(format="%", tickCount=5, domainColor="#888")
    room = base.mark_bar(color=_OPEN, height=9).encode(x="earned:Q", x2="open:Q")
    bars = base.mark_bar(height=9).encode(
        x=x,
        color=alt.Color("stage:N", title=None, legend=alt.Legend(orient="top")).scale(
            domain=stages, range=list(_COLOURS)
        ),
    )
    layered = alt.layer(room, bars, data=alt.InlineData(values=[dict(row) for row in values]))
    header = alt.Header(title=None, labelFontSize=11, labelAngle=0, labelAlign="left")
    arms = list(dict.fromkeys(row["arm"] for row in values))
    return layered.properties(width=190, height=alt.Step(12)).facet(
        row=alt.Row("task:N", header=header),
        column=alt.Column("arm:N", sort=arms, header=header),
    )


def landscape_rows(rows: Sequence[ReproductionRow]) -> list[dict[str, Any]]:
    """One point for each task and arm; an open one has only bounds."""
    return [
        {
            "task": row.task,
            "arm": row.arm,
            "low": float(row.low),
            "high": float(row.high),
            "score": None if row.score is None else float(row.score),
            "best": row.score is not None and row.score == _best(rows, row.task),
        }
        for row in rows
    ]


def _best(rows: Sequence[ReproductionRow], task: str) -> Fraction:
    return max(row.score for row in rows if row.task == task and row.score is not None)


def landscape_chart(rows: Sequence[ReproductionRow]) -> altair.LayerChart:
    """The completion landscape as a Vega-Lite chart."""
    title = _title("Completion landscape", rows, "blue: the best score")
    made: altair.LayerChart = _configured(
        landscape_points(landscape_rows(rows)).properties(title=title)
    )
    return made


def landscape_points(values: Sequence[Mapping[str, Any]]) -> Any:
    """The points of `landscape_rows`, without a title and colours of a page."""
    import altair as alt

    arms = list(dict.fromkeys(row["arm"] for row in values))
    tasks = list(dict.fromkeys(row["task"] for row in values))
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in values]))
    y = alt.Y("task:N", title=None, sort=tasks).axis(
        ticks=False, domain=False, labelLimit=260, labelFontSize=11, labelPadding=8
    )
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("low:Q", title="R; to the right of the line a task is complete", scale=scale)
    offset = alt.YOffset("arm:N", sort=arms)
    bounds = base.mark_rule(color=_OPEN, strokeWidth=4).encode(
        x=x, x2="high:Q", y=y, yOffset=offset
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("score:Q"),
        y=y,
        yOffset=offset,
        shape=alt.Shape("arm:N", title=None, legend=alt.Legend(orient="top")).scale(domain=arms),
        color=alt.condition("datum.best", alt.value(OURS), alt.value(THEIRS)),
    )
    line = alt.Chart(alt.InlineData(values=[{"at": float(COMPLETE_ABOVE)}]))
    rule = line.mark_rule(color=REQUIRED, strokeDash=[6, 3]).encode(x="at:Q")
    return alt.layer(rule, bounds, points).properties(
        width=460, height=alt.Step(14, **{"for": "offset"})
    )


def _configured(chart: Any) -> Any:
    return (
        chart.properties(padding=12, background="white")
        .configure_facet(spacing=12)
        .configure_view(stroke=None)
        .configure_axis(gridColor="#ececec", titleFontWeight="normal", titleFontSize=11)
    )


def _title(text: str, rows: Sequence[ReproductionRow], said: str) -> altair.TitleParams:
    import altair as alt

    return alt.TitleParams(
        text,
        subtitle=[judge_remark(rows), said],
        anchor="start",
        fontSize=14,
        offset=12,
        subtitleColor="#555",
    )
