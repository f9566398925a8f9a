"""The figures of a site, each in a light and a dark SVG and as a PNG: score against tokens and cost
(the paper's figure 5), and domains (its figure 2). Letters stand beside colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from referee.report.figures import converter
from referee.report.reproduction_figures import (
    landscape_points,
    landscape_rows,
    profile_bars,
    profile_rows,
)
from referee.report.reproductions import ReproductionRow, judge_remark
from referee.report.site.composition_page import LETTERS
from referee.report.site.leaderboard import Line
from referee.report.site.model import Site

if TYPE_CHECKING:
    import altair

Theme = Literal["light", "dark"]
Row = Mapping[str, Any]
INK = {"light": "#1d2126", "dark": "#e7e9ec"}
SOFT = {"light": "#5a626c", "dark": "#a6aeb9"}
GRID = {"light": "#e3e6e9", "dark": "#333a43"}
BACK = {"light": "#ffffff", "dark": "#1b1f25"}
# Okabe and Ito's colours, apart for most colour-blind readers
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
SCALE = 2.0
PROFILE, LANDSCAPE = "stage-profile", "completion-landscape"


@dataclass(frozen=True)
class Figure:
    """One figure: its name in addresses, what it shows in words, and its rows."""

    name: str
    title: str
    alt: str
    caption: str
    rows: tuple[Row, ...]

    def files(self) -> tuple[str, str, str]:
        """Its files, from the top of the site: light SVG, dark SVG, PNG."""
        place = f"figures/{self.name}"
        return f"{place}.svg", f"{place}-dark.svg", f"{place}.png"


def score_figures(lines: Sequence[Line]) -> Iterator[Figure]:
    """Pass@1 against tokens, and against cost where it is known; only arms that asked a model."""
    for name, words in (("tokens", "tokens per trial"), ("cost", "cost per trial in dollars")):
        rows = with_front([row for line in lines if (row := _point(line, name)) is not None])
        if not rows:
            continue
        left = len(lines) - len(rows)
        best = ", ".join(row["letter"] for row in rows if row["front"] == "yes")
        yield Figure(
            f"score-{name}",
            f"Pass@1 against {words}",
            f"Pass@1 in per cent against {words}, one point for each of {len(rows)} arms; "
            f"no arm is both better and cheaper than {best}.",
            "Bars are 95 % intervals. A filled point: no arm solves more for less."
            + (f" Without {left} arms for which nothing is known here." if left else ""),
            rows,
        )


def _point(line: Line, name: str) -> Row | None:
    x, y = getattr(line, name), line.row.means["pass1"]
    if not x or y is None:
        return None
    found = line.row.intervals["pass1"]
    return {
        "letter": line.arm.letter,
        "arm": f"{line.arm.letter}  {line.arm.name}",
        "x": x,
        "y": 100 * y,
        "low": None if found is None else 100 * found.low,
        "high": None if found is None else 100 * found.high,
    }


def with_front(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with `front`: `yes` where no other has at least this score for at most this much,
    and one of both strictly."""

    def beats(a: Row, b: Row) -> bool:
        no_worse = bool(a["y"] >= b["y"] and a["x"] <= b["x"])
        return no_worse and bool(a["y"] > b["y"] or a["x"] < b["x"])

    return tuple(
        {**row, "front": "no" if any(beats(other, row) for other in rows) else "yes"}
        for row in rows
    )


def domain_figure(site: Site) -> Figure:
    """Tasks by domain and paradigm."""
    cells = Counter((task.domain, task.paradigm) for task in site.tasks)
    totals = Counter(task.domain for task in site.tasks)
    rows = tuple(
        {
            "domain": domain,
            "paradigm": f"{LETTERS.get(paradigm, '?')}  {paradigm}",
            "letter": LETTERS.get(paradigm, "?"),
            "tasks": count,
            "total": totals[domain],
        }
        for (domain, paradigm), count in sorted(cells.items())
    )
    return Figure(
        "domains",
        "Tasks by domain",
        f"{len(site.tasks)} tasks in {len(totals)} domains; the table has the counts.",
        "Letters and colours are paradigms.",
        rows,
    )


def reproduction_figures(rows: Sequence[ReproductionRow], run: str = "") -> Iterator[Figure]:
    """What the stages brought, and how far all came with each task; of one run, which is named
    where there are several."""
    if not rows:
        return
    of_run, suffix = (f" of the run {run}", f"-{run}") if run else ("", "")
    remark = f"{judge_remark(rows).capitalize()}."
    arms = len({row.arm for row in rows})
    yield Figure(
        f"{PROFILE}{suffix}",
        f"Stage profile{of_run}",
        f"What modelling, execution and validation brought {arms} arms at each task, in per cent "
        "of what they can; the table has the numbers.",
        f"{remark} Grey: open, because leaves were not decided.",
        tuple(profile_rows(rows)),
    )
    yield Figure(
        f"{LANDSCAPE}{suffix}",
        f"Completion landscape{of_run}",
        f"R of {arms} arms at each task, beside the line above which a task is complete; the table "
        "has the numbers.",
        "Blue: the best score. To the right of the line a task is complete.",
        tuple(landscape_rows(rows)),
    )


def draw(figure: Figure) -> dict[str, bytes]:
    """The files of a figure. The same rows give the same SVG.

    Raises:
        BadInput: what figures need is not installed.
    """
    convert = converter()
    light, dark, png = figure.files()
    spec = _chart(figure, "light").to_dict()
    return {
        light: convert.vegalite_to_svg(spec).encode(),
        dark: convert.vegalite_to_svg(_chart(figure, "dark").to_dict()).encode(),
        png: convert.vegalite_to_png(spec, scale=SCALE),
    }


def _chart(figure: Figure, theme: Theme) -> altair.LayerChart:
    layers = _layers(figure, theme)
    made: altair.LayerChart = (
        layers.properties(padding=14, background=BACK[theme])
        .configure_view(stroke=None)
        .configure_facet(spacing=12)
        .configure_header(labelColor=INK[theme])
        .configure_axis(
            gridColor=GRID[theme],
            domainColor=SOFT[theme],
            tickColor=SOFT[theme],
            labelColor=INK[theme],
            titleColor=INK[theme],
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelColor=INK[theme], titleColor=INK[theme], labelFontSize=12)
    )
    return made


def _layers(figure: Figure, theme: Theme) -> Any:
    if figure.name.startswith(PROFILE):
        return profile_bars(figure.rows)
    if figure.name.startswith(LANDSCAPE):
        return landscape_points(figure.rows)
    return _domains(figure.rows, theme) if figure.name == "domains" else _scores(figure, theme)


def _scores(figure: Figure, theme: Theme) -> Any:
    import altair as alt

    values = [row["x"] for row in figure.rows]
    wide = max(values) > 8 * min(values)
    scale = alt.Scale(
        type="log" if wide else "linear", zero=min(values) == max(values), nice=True, padding=24
    )
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in figure.rows]))
    money = figure.name.endswith("cost")
    # the axis stands off, so that a point at zero does not cover its labels
    x = alt.X("x:Q", title=figure.title.partition(" against ")[2], scale=scale).axis(
        format="$,.3~r" if money else "~s", tickCount=6, offset=14
    )
    y = alt.Y("y:Q", title="Pass@1 (%)", scale=alt.Scale(domain=[0, 100])).axis(tickCount=6)
    colour = alt.Color("arm:N", title=None, scale=alt.Scale(range=list(PALETTE))).legend(
        symbolType="circle", labelLimit=320
    )
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
        x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour
    )
    points = [
        base.mark_point(size=420, strokeWidth=2, opacity=1, **how)
        .encode(x=x, y=y, color=colour)
        .transform_filter(f"datum.front == '{front}'")
        for front, how in (("yes", {"filled": True}), ("no", {"fill": BACK[theme]}))
    ]
    letters = base.mark_text(fontSize=12, fontWeight="bold").encode(
        x=x,
        y=y,
        text="letter:N",
        color=alt.condition("datum.front == 'yes'", alt.value("white"), alt.value(INK[theme])),
    )
    made: Any = alt.layer(bars, *points, letters)
    return made.properties(width=520, height=300)


def _domains(rows: Sequence[Row], theme: Theme) -> Any:
    import altair as alt

    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows]))
    y = alt.Y("domain:N", title=None, sort=alt.EncodingSortField("total", order="descending")).axis(
        labelLimit=320, ticks=False, domain=False, labelPadding=8
    )
    order = alt.Order("paradigm:N")
    x = alt.X("tasks:Q", stack="zero", title="tasks").axis(format="d", tickMinStep=1)
    colour = alt.Color("paradigm:N", title=None, scale=alt.Scale(range=list(PALETTE))).legend(
        orient="top", labelLimit=320
    )
    bars = base.mark_bar(height=17).encode(x=x, y=y, color=colour, order=order)
    letters = base.mark_text(color="white", fontWeight="bold", fontSize=11).encode(
        x=alt.X("tasks:Q", stack="zero", bandPosition=0.5), y=y, text="letter:N", order=order
    )
    made: Any = alt.layer(bars, letters)
    return made.properties(width=460, height=alt.Step(24))
