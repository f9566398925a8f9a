"""The noise curve of the canonical mismatch: Advanced LIGO, zero detuning, high power."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from referee.metric.gw.constants import F_HIGH, F_LOW, MSUN_SEC
from referee.metric.gw.series import FloatArray

_TABLE_LOW = 7.4
_TABLE_CELLS = 4096
_TABLE_STEP = math.log(F_HIGH / _TABLE_LOW) / (_TABLE_CELLS - 1)
"""The table of 1/S: from this frequency on, this many cells, each as wide in log f."""


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The bins [first, last) that a mismatch uses, and 1/S at each of them.

    `n_lags` is the length of the lag grid, `weight` has shape (last - first,), float64, in Hz.
    """

    first: int
    last: int
    n_lags: int
    weight: FloatArray


def band(n_bins: int, df: float) -> Band:
    """Band of `n_bins` bins at multiples of `df` (Hz).

    first = int(15/df), last = min(int(990/df), int((N+1)/2)) with N = 2 (n_bins - 1) lags; the
    first bin may lie just below 15 Hz. Equals PyCBC's `get_cutoff_indices`.

    Raises:
        ValueError: the series is too short, so that the band is empty or starts at 0 Hz.
    """
    first = int(F_LOW / df)
    n_lags = 2 * (n_bins - 1)
    last = min(int(F_HIGH / df), (n_lags + 1) // 2)
    if first < 1 or last <= first:
        raise ValueError(
            f"{n_bins} bins of {df:.6g} Hz leave no band between {F_LOW:g} and {F_HIGH:g} Hz"
        )
    return Band(first, last, n_lags, weights(first, last, df))


@lru_cache(maxsize=64)
def bands(n: int, dt: float, masses: tuple[float, ...]) -> tuple[Band, ...]:
    """Bands of a series of `n` points, one per total mass.

    `dt` is the step in units of the total mass M, `masses` are in solar masses: the step in seconds
    is dt * m * MSUN_SEC and df = 1/(n * step). Cached, for data sets share few lengths.

    Raises:
        ValueError: as `band`, at one of the masses.
    """
    return tuple(band(n // 2 + 1, 1.0 / n / (dt * mass * MSUN_SEC)) for mass in masses)


def weights(first: int, last: int, df: float) -> FloatArray:
    """1/S at the frequencies k * df for k in [first, last), shape (last - first,), in Hz.

    S is LALSimulation's `SimNoisePSDaLIGOZeroDetHighPower`, interpolated in log f by polynomials of
    degree 5 between 4,096 of its values; the relative error is below 1e-13. Frequencies must lie
    between 7.5 and 990 Hz, where the first bin of a band and the last always do.

    Raises:
        ModuleNotFoundError: lalsuite is not installed (the extra `gw`).
    """
    place = np.log(np.arange(first, last) * (df / _TABLE_LOW)) / _TABLE_STEP
    cell = place.astype(np.intp)
    place -= cell
    coefficients = _table()
    value: FloatArray = coefficients[5][cell]
    for power in (4, 3, 2, 1, 0):
        value *= place
        value += coefficients[power][cell]
    return value


@lru_cache(maxsize=1)
def _table() -> FloatArray:
    """Coefficients, shape (6, cells), of 1/S in the place within a cell of the table."""
    import lalsimulation

    # Two knots before the first cell and three after the last one's start surround every cell.
    knots = _TABLE_LOW * np.exp(_TABLE_STEP * np.arange(-2, _TABLE_CELLS + 4))
    density = lalsimulation.SimNoisePSDaLIGOZeroDetHighPower
    values = 1.0 / np.array([density(f) for f in knots.tolist()])
    windows = np.lib.stride_tricks.sliding_window_view(values, 6)
    inverse = np.linalg.inv(np.vander(np.arange(-2.0, 4.0), increasing=True))
    return np.ascontiguousarray(inverse @ windows.T)
