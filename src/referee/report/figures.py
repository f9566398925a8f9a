"""A figure of each artifact task: where the single samples of every arm lie, on one axis.

In the style of figure 2 of arXiv 2605.11269: a point for the median, a bar from the 5th to the 95th
percentile, the requirement and the floor as lines, and published agents in grey.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from referee.record.atomic import write_atomic
from referee.record.fault import BadInput
from referee.report.samples import TaskSamples, ranked

if TYPE_CHECKING:
    import altair

Facts = TypeVar("Facts")
OURS, THEIRS = "#1f5fa8", "#9a9a9a"
REQUIRED, FLOOR = "#b3261e", "#2e7d32"
_LABEL = "format(datum.value, datum.value >= 0.01 && datum.value < 1000 ? '~g' : '.0e')"
_SCALE = 2.0
"""Pixels of a PNG for one point of the figure."""


@dataclass(frozen=True)
class Mark:
    """One row of a figure. `low`, `middle` and `high` are in the units of the axis and lie on it;
    `cut` says that the median lies below the axis, as an error of zero does on a logarithmic one;
    `middle` is None for an arm without a number."""

    label: str
    ours: bool
    low: float | None
    middle: float | None
    high: float | None
    cut: bool = False


@dataclass(frozen=True)
class Axis:
    """From where to where the axis goes, and whether it is logarithmic."""

    low: float
    high: float
    log: bool


def write_figures(tasks: Iterable[TaskSamples], folder: Path) -> tuple[Path, ...]:
    """Write `TASK.svg` and `TASK.png` of each task; the folder is made if need be. The same records
    give the same SVG.

    Raises:
        BadInput: what figures need is not installed, or the folder cannot be written.
    """
    convert = converter()
    return tuple(
        path for task in tasks for path in _saved(convert, chart(task).to_dict(), folder, task.task)
    )


def save_charts(
    charts: Mapping[str, Callable[[Facts], Any]], facts: Facts, folder: Path
) -> tuple[Path, ...]:
    """Write the chart that each function makes of `facts` as `NAME.svg` and `NAME.png`.

    Raises:
        BadInput: as `write_figures`.
    """
    convert = converter()
    return tuple(
        path
        for name, make in charts.items()
        for path in _saved(convert, make(facts).to_dict(), folder, name)
    )


def _saved(convert: Any, spec: dict[str, Any], folder: Path, name: str) -> list[Path]:
    made = {
        "svg": convert.vegalite_to_svg(spec).encode(),
        "png": convert.vegalite_to_png(spec, scale=_SCALE),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, data in made.items():
            write_atomic(folder / f"{name}.{kind}", data)
    except OSError as error:
        raise BadInput(f"figures cannot be written ({error.strerror})", where=folder) from error
    return [folder / f"{name}.{kind}" for kind in made]


def converter() -> Any:
    try:
        import altair  # noqa: F401 - the chart needs it, and one sentence names both
        import vl_convert
    except ImportError as error:
        raise BadInput(
            f"figures need altair and vl-convert-python, and {error.name} is not installed",
            hint="pip install 'referee[report]'",
        ) from None
    return vl_convert


def axis_of(task: TaskSamples) -> Axis:
    """An axis that holds every number of a task. It is logarithmic for errors, which are positive
    or, where a sample is exact, zero; linear for what is better high, or has a negative number."""
    numbers = [v for a in task.arms for v in (a.median, a.p05, a.p95) if v is not None]
    numbers += [
        v for r in ranked(task) if r.comparable for v in (r.median, r.p05, r.p95) if v is not None
    ]
    numbers += [v for v in (task.requirement, task.floor) if v is not None]
    positive = [v for v in numbers if v > 0]
    if task.better == "lower" and positive and min(numbers) >= 0:
        low, high = math.log10(min(positive)), math.log10(max(positive))
        room = max(0.15, 0.04 * (high - low))
        return Axis(10 ** (low - room), 10 ** (high + room), log=True)
    low, high = min([0.0, *numbers]), max([*numbers, 0.0])
    room = 0.04 * (high - low) or 1.0
    return Axis(low - (room if low < 0 else 0.0), high + room, log=False)


def marks_of(task: TaskSamples, axis: Axis) -> tuple[Mark, ...]:
    """The rows of a figure: arms in their order, then published agents, best first; those that
    cannot be compared are left out."""
    ours = [
        _mark(a.arm if a.valid else f"{a.arm} (not valid)", True, (a.p05, a.median, a.p95), axis)
        for a in task.arms
    ]
    theirs = [
        _mark(r.agent, False, (r.p05, r.median, r.p95), axis) for r in ranked(task) if r.comparable
    ]
    known = {mark.label for mark in ours}
    return (*ours, *(m if m.label not in known else _renamed(m) for m in theirs))


def _renamed(mark: Mark) -> Mark:
    return Mark(f"{mark.label} (published)", mark.ours, mark.low, mark.middle, mark.high, mark.cut)


def _mark(
    label: str, ours: bool, values: tuple[float | None, float | None, float | None], axis: Axis
) -> Mark:
    low, middle, high = (None if v is None else max(v, axis.low) for v in values)
    if high is None and low is not None:  # the worst samples have no value: the bar has no end
        high = axis.high
    cut = middle is not None and values[1] is not None and values[1] < axis.low
    return Mark(label, ours, low, middle, high, cut)


def chart(task: TaskSamples) -> altair.LayerChart:
    """The figure of a task as a Vega-Lite chart."""
    import altair as alt

    axis = axis_of(task)
    marks = marks_of(task, axis)
    rows = [{**vars(m), "group": "ours" if m.ours else "published"} for m in marks]
    x = _x(task, axis)
    y = alt.Y("label:N", sort=[m.label for m in marks], title=None).axis(
        labelLimit=260, ticks=False, domain=False, labelFontSize=11, labelPadding=8
    )
    colour = alt.Color("group:N", legend=None).scale(
        domain=["ours", "published"], range=[OURS, THEIRS]
    )
    base = alt.Chart(alt.InlineData(values=rows))
    bars = base.mark_rule(strokeWidth=2.5, strokeCap="round").encode(
        x=x, x2="high:Q", y=y, color=colour
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("middle:Q"),
        y=y,
        color=colour,
        shape=alt.condition("datum.cut", alt.value("triangle-left"), alt.value("circle")),
    )
    layers = [*_lines(task, axis), bars, points]
    made: altair.LayerChart = (
        alt.layer(*layers, title=_title(task, marks))
        .properties(width=480, height=alt.Step(19), padding=12, background="white")
        .configure_view(stroke=None)
        .configure_axis(gridColor="#ececec", titleFontWeight="normal", titleFontSize=11)
    )
    return made


def _x(task: TaskSamples, axis: Axis) -> altair.X:
    import altair as alt

    units = "" if task.units == "1" else f" ({task.units})"
    scale = alt.Scale(
        type="log" if axis.log else "linear", domain=[axis.low, axis.high], nice=False, zero=False
    )
    title = f"{task.measure} of single samples{units}: median, 5th to 95th percentile"
    ticks = {"values": ticks_of(axis), "labelExpr": _LABEL} if axis.log else {"tickCount": 7}
    return alt.X("low:Q", title=title, scale=scale).axis(
        domainColor="#888", tickColor="#888", **ticks
    )


def ticks_of(axis: Axis) -> list[float]:
    """Powers of ten on a logarithmic axis, at most nine of them; 2 and 5 of each too on a short
    one."""
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    every = max(1, math.ceil((last - first) / 9))
    found = [m * 10.0**e for e in range(first, last + 1, every) for m in steps]
    return [v for v in found if axis.low <= v <= axis.high]


def _lines(task: TaskSamples, axis: Axis) -> list[altair.Chart | altair.LayerChart]:
    """The requirement and the floor, each with its name above: that of the floor higher up, so that
    near lines do not write over each other."""
    import altair as alt

    found: list[altair.Chart | altair.LayerChart] = []
    for name, value, colour, dash, up in (
        ("required", task.requirement, REQUIRED, [6, 3], 4),
        ("floor", task.floor, FLOOR, [2, 3], 17),
    ):
        if value is None:
            continue
        base = alt.Chart(alt.InlineData(values=[{"at": value, "name": f"{name} {value:.3g}"}]))
        found.append(
            base.mark_rule(color=colour, strokeDash=dash, strokeWidth=1.3).encode(x="at:Q")
        )
        found.append(
            base.mark_text(
                color=colour,
                fontSize=10,
                baseline="bottom",
                dy=-up,
                align="right" if _place(value, axis) > 0.8 else "left",
            ).encode(x="at:Q", y=alt.value(0), text="name:N")
        )
    return found


def _place(value: float, axis: Axis) -> float:
    """Where a value lies on the axis, from 0 to 1."""
    if axis.log:
        span = math.log(axis.high / axis.low)
        return math.log(value / axis.low) / span if value > 0 else 0.0
    return (value - axis.low) / (axis.high - axis.low)


def _title(task: TaskSamples, marks: Sequence[Mark]) -> altair.TitleParams:
    import altair as alt

    data = f"data: {task.data}" if task.data else "data: of the task"
    said = [f"{task.samples} samples, {task.better} is better; {data}"]
    if any(not mark.ours for mark in marks):
        left = sum(not r.comparable for r in ranked(task))
        more = f"; without {left} that cannot be compared" if left else ""
        said.append(f"grey: published agents, on the published data{more}")
    if any(mark.cut for mark in marks):
        said.append("an arrow at the left: the median is below the axis")
    return alt.TitleParams(
        task.task, subtitle=said, anchor="start", fontSize=14, offset=12, subtitleColor="#555"
    )
