"""Tools that look at numbers as a whole: histogram, a grid made small, a linear relation."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_BINS = 100
MOST_SIDE = 80
MOST_TERMS = 8


class OutOfRange(ValueError):
    """A tool was asked for what its numbers do not allow."""


def histogram(values: Any, bins: int) -> dict[str, Any]:
    """Counts in `bins` equal intervals (1 to 100) between the least and the largest value; of
    complex values by size."""
    if not 1 <= bins <= MOST_BINS:
        raise OutOfRange(f"bins must be 1 to {MOST_BINS}")
    counts, edges = np.histogram(_sizes(values), bins=bins)
    return {"counts": counts.tolist(), "edges": edges.tolist()}


def downsampled(values: Any, rows: int, columns: int) -> dict[str, Any]:
    """Means over blocks of a 2-D array, at most `rows` x `columns` (each 1 to 80) of them."""
    if not (1 <= rows <= MOST_SIDE and 1 <= columns <= MOST_SIDE):
        raise OutOfRange(f"rows and columns must be 1 to {MOST_SIDE}")
    grid = _sizes(values)
    if grid.ndim != 2:
        raise OutOfRange(f"the array has {grid.ndim} dimensions, not 2")
    across = np.array_split(grid, min(columns, grid.shape[1]), axis=1)
    narrow = np.stack([block.mean(axis=1) for block in across], axis=1)
    blocks = np.array_split(narrow, min(rows, grid.shape[0]), axis=0)
    small = np.stack([block.mean(axis=0) for block in blocks])
    return {"shape": list(grid.shape), "means": [[_plain(v) for v in line] for line in small]}


def linear_relation(target: Any, terms: dict[str, Any]) -> dict[str, Any]:
    """Least squares of `target` on up to eight real arrays of the same size and a constant: the
    coefficients, the largest residual, and the part of the variance that is explained."""
    if not 1 <= len(terms) <= MOST_TERMS:
        raise OutOfRange(f"there must be 1 to {MOST_TERMS} terms")
    arrays = {name: np.asarray(x).ravel() for name, x in {"": target, **terms}.items()}
    if any(np.iscomplexobj(x) for x in arrays.values()):
        raise OutOfRange("a relation is between real arrays")
    if len({x.size for x in arrays.values()}) != 1:
        raise OutOfRange("the arrays differ in size")
    goal = arrays.pop("").astype(float)
    if goal.size <= len(arrays) + 1:
        raise OutOfRange("there are no more values than coefficients")
    matrix = np.column_stack([*arrays.values(), np.ones(goal.size)]).astype(float)
    found, _residues, rank, _singular = np.linalg.lstsq(matrix, goal, rcond=None)
    rest = goal - matrix @ found
    spread = float(((goal - goal.mean()) ** 2).sum())
    explained = 1 - float((rest**2).sum()) / spread if spread > 0 else float("nan")
    return {
        "coefficients": {n: _plain(v) for n, v in zip([*arrays, "constant"], found, strict=True)},
        "rank": int(rank),
        "largest_residual": _plain(np.abs(rest).max()),
        "explained": _plain(explained),
    }


def _sizes(values: Any) -> Any:
    array = np.asarray(values)
    return np.abs(array) if np.iscomplexobj(array) else array


def _plain(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
