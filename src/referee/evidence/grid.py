"""Grid contracts: at which points data must be there. A task states one; nothing is interpolated.

Each kind says which points are required; what is not required is refused unless `allow_extra`.
Along one axis the points must increase strictly; a product of axes may come in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise, product
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StringConstraints, model_validator

from referee.evidence.arrays import Numbers
from referee.record.measure import Finite
from referee.record.model import Frozen

Column = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Step = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Floats = NDArray[np.float64]
_MOST_POINTS = 1_000_000


class Axis(Frozen):
    """The points start, start + step, ... up to stop, which must be one of them."""

    start: Finite
    stop: Finite
    step: Step

    @model_validator(mode="after")
    def _ends_at_stop(self) -> Axis:
        count = (self.stop - self.start) / self.step
        if not (0 <= count <= _MOST_POINTS and abs(count - round(count)) <= 1e-6):
            raise ValueError(f"{self.stop} is not a whole number of steps after {self.start}")
        return self

    def points(self) -> Floats:
        """The points, in their order."""
        count = round((self.stop - self.start) / self.step) + 1
        return self.start + self.step * np.arange(count, dtype=np.float64)


class Linear(Axis):
    """One column with the points of an axis."""

    kind: Literal["linear"]
    column: Column
    tolerance: Tolerance
    allow_extra: bool = False


class Segments(Frozen):
    """One column with the points of several axes, one after the other."""

    kind: Literal["segments"]
    column: Column
    segments: Annotated[tuple[Axis, ...], Field(min_length=1)]
    tolerance: Tolerance
    allow_extra: bool = False


class RequiredValues(Frozen):
    """One column that has each of some values, in any order and beside others."""

    kind: Literal["required_values"]
    column: Column
    values: Annotated[tuple[Finite, ...], Field(min_length=1)]
    tolerance: Tolerance


class MonotonicUnique(Frozen):
    """One column that increases strictly, with at least so many points, from at most `lower` to at
    least `upper`, in steps of at most `max_step`."""

    kind: Literal["monotonic_unique"]
    column: Column
    least: Annotated[int, Field(ge=1)] = 2
    lower: Finite | None = None
    upper: Finite | None = None
    max_step: Step | None = None


class Cartesian(Frozen):
    """Every combination of the points of some axes, once."""

    kind: Literal["cartesian"]
    axes: Annotated[dict[Column, Axis], Field(min_length=1)]
    tolerance: Tolerance
    allow_extra: bool = False


class CartesianValues(Frozen):
    """Every combination of some values, once."""

    kind: Literal["cartesian_values"]
    axes: Annotated[
        dict[Column, Annotated[tuple[Finite, ...], Field(min_length=1)]], Field(min_length=1)
    ]
    tolerance: Tolerance
    allow_extra: bool = False


class CartesianCounts(Frozen):
    """So many different values in each column, and every combination of them, once."""

    kind: Literal["cartesian_counts"]
    counts: Annotated[dict[Column, Annotated[int, Field(ge=1)]], Field(min_length=1)]


class Nonempty(Frozen):
    """Some columns with at least so many rows."""

    kind: Literal["nonempty"]
    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    least: Annotated[int, Field(ge=1)] = 1


Grid = Annotated[
    Linear
    | Segments
    | RequiredValues
    | MonotonicUnique
    | Cartesian
    | CartesianValues
    | CartesianCounts
    | Nonempty,
    Field(discriminator="kind"),
]


def columns_of(grid: Grid) -> tuple[str, ...]:
    """The columns that a contract is about; a table may have others."""
    match grid:
        case Cartesian(axes=axes):
            return tuple(axes)
        case CartesianValues(axes=values):
            return tuple(values)
        case CartesianCounts(counts=counts):
            return tuple(counts)
        case Nonempty(columns=columns):
            return columns
        case _:
            return (grid.column,)


def grid_problem(grid: Grid, columns: Mapping[str, Numbers]) -> str | None:
    """What in the columns does not keep a contract, in one sentence; None if they keep it.

    `columns` has real arrays of shape (rows,), those of `columns_of` among them.
    """
    for name in columns_of(grid):
        values = columns.get(name)
        if values is None:
            return f"there is no column {name}"
        if values.ndim != 1 or values.dtype.kind != "f":
            return f"{name} is not a column of real numbers"
    match grid:
        case Linear():
            return _along(_real(columns, grid.column), grid.points(), grid)
        case Segments():
            points = np.unique(np.concatenate([axis.points() for axis in grid.segments]))
            return _along(_real(columns, grid.column), points, grid)
        case RequiredValues():
            return _lacking(_real(columns, grid.column), np.array(grid.values), grid.tolerance)
        case MonotonicUnique():
            return _monotonic(grid, _real(columns, grid.column))
        case Cartesian():
            wanted = {name: axis.points() for name, axis in grid.axes.items()}
            return _product(columns, wanted, grid.tolerance, grid.allow_extra)
        case CartesianValues():
            wanted = {name: np.array(values) for name, values in grid.axes.items()}
            return _product(columns, wanted, grid.tolerance, grid.allow_extra)
        case CartesianCounts():
            return _counts(grid, columns)
        case Nonempty():
            rows = min(len(columns[name]) for name in grid.columns)
            return None if rows >= grid.least else f"there are {rows} rows, not {grid.least}"


def _real(columns: Mapping[str, Numbers], name: str) -> Floats:
    return columns[name].astype(np.float64)


def _along(values: Floats, points: Floats, grid: Linear | Segments) -> str | None:
    if problem := _not_increasing(values):
        return problem
    if problem := _lacking(values, points, grid.tolerance):
        return problem
    extra = None if grid.allow_extra else _lacking(points, values, grid.tolerance)
    return None if extra is None else f"a point is too many: {extra}"


def _not_increasing(values: Floats) -> str | None:
    for row, (a, b) in enumerate(pairwise(values.tolist()), 2):
        if not b > a:
            return f"row {row}: {b!r} does not come after {a!r}"
    return None


def _lacking(values: Floats, points: Floats, tolerance: float) -> str | None:
    if values.size == 0:
        return "there is no value"
    ordered = np.sort(values)
    right = np.clip(np.searchsorted(ordered, points), 0, ordered.size - 1)
    left = np.clip(right - 1, 0, None)
    distance = np.minimum(np.abs(ordered[right] - points), np.abs(ordered[left] - points))
    absent = points[~(distance <= tolerance)]
    return None if absent.size == 0 else f"nothing is within {tolerance!r} of {absent[0].item()!r}"


def _monotonic(grid: MonotonicUnique, values: Floats) -> str | None:
    if problem := _not_increasing(values):
        return problem
    if values.size < grid.least:
        return f"there are {values.size} points, not {grid.least}"
    if grid.lower is not None and not values[0] <= grid.lower:
        return f"the first point is {values[0].item()!r}, not {grid.lower!r} at most"
    if grid.upper is not None and not values[-1] >= grid.upper:
        return f"the last point is {values[-1].item()!r}, not {grid.upper!r} at least"
    widest = float(np.max(np.diff(values), initial=0.0))
    if grid.max_step is not None and not widest <= grid.max_step:
        return f"a step is {widest!r}, not {grid.max_step!r} at most"
    return None


def _product(
    columns: Mapping[str, Numbers], axes: Mapping[str, Floats], tolerance: float, extra: bool
) -> str | None:
    rows = {len(columns[name]) for name in axes}
    if len(rows) != 1:
        return "the columns have different lengths"
    found: set[tuple[int, ...]] = set()
    for row, values in enumerate(zip(*(_real(columns, n).tolist() for n in axes), strict=True), 1):
        at = tuple(
            _nearest(points, value, tolerance)
            for points, value in zip(axes.values(), values, strict=True)
        )
        if None in at:
            if not extra:
                return f"row {row}: {values} is no point of the grid"
            continue
        key = tuple(index for index in at if index is not None)
        if key in found:
            return f"row {row}: {values} is there twice"
        found.add(key)
    for key in product(*(range(len(points)) for points in axes.values())):
        if key not in found:
            absent = [points[i].item() for points, i in zip(axes.values(), key, strict=True)]
            return f"there is no row for {', '.join(map(repr, absent))}"
    return None


def _nearest(points: Floats, value: float, tolerance: float) -> int | None:
    at = int(np.argmin(np.abs(points - value)))
    return at if abs(points[at].item() - value) <= tolerance else None


def _counts(grid: CartesianCounts, columns: Mapping[str, Numbers]) -> str | None:
    axes = {name: np.unique(_real(columns, name)) for name in grid.counts}
    for name, count in grid.counts.items():
        if axes[name].size != count:
            return f"{name} has {axes[name].size} different values, not {count}"
    return _product(columns, axes, 0.0, False)
