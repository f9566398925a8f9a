"""The waveforms of the template-bank task: IMRPhenomXHM, seen edge-on, as LALSimulation has it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from referee.metric.gw.series import ComplexArray, FloatArray

Mode: TypeAlias = tuple[int, int]

MODES: tuple[Mode, ...] = (
    *((2, 2), (2, -2), (2, 1), (2, -1)),
    *((3, 3), (3, -3), (3, 2), (3, -2)),
    *((4, 4), (4, -4)),
)
"""Modes (l, m) of a signal."""

GROUPS: tuple[tuple[Mode, ...], ...] = (((2, 2), (2, -2)), ((3, 3), (3, -3)), ((4, 4), (4, -4)))
"""Modes of the three templates that the reference scheme has for a row."""

INCLINATION = math.pi / 2
F_REFERENCE = 50.0
DISTANCE_MPC = 1.0
PRECESSION_VERSION = 102

COLUMNS = ("m1", "m2", "s1z", "s2z", "phi_ref")


def plus(rows: FloatArray, frequencies: FloatArray, modes: Sequence[Mode] = MODES) -> ComplexArray:
    """h_plus of binaries at `frequencies` (F,), in Hz, of shape (n, F), in 1/Hz.

    `rows` has shape (n, 5): both masses in solar masses, both spins along the normal of the orbit,
    and the phase at 50 Hz in radians. The source is edge-on, one megaparsec away. A row of which
    LALSimulation makes nothing is NaN.

    Source: gwBenchmarks (arXiv 2605.11269); García-Quirós and others, arXiv:2001.10914.

    Raises:
        ValueError: other shapes, or frequencies that are not positive, finite and increasing.
    """
    if rows.ndim != 2 or rows.shape[1] != len(COLUMNS):
        raise ValueError(f"rows of shape {rows.shape} instead of (n, {len(COLUMNS)})")
    grid = np.asarray(frequencies, dtype=np.float64)
    if grid.ndim != 1 or grid.size < 2 or not np.isfinite(grid).all():
        raise ValueError("frequencies must be finite, at least two")
    if not (grid[0] > 0 and (np.diff(grid) > 0).all()):
        raise ValueError("frequencies must be positive and increase")
    sequence, options = _sequence(grid), _options(modes)
    found = np.full((len(rows), grid.size), np.nan + 0j)
    for place, row in enumerate(rows.tolist()):
        if all(map(math.isfinite, row)) and min(row[:2]) > 0:
            found[place] = _one(row, sequence, options)
    return found


def _one(row: list[float], sequence: Any, options: Any) -> ComplexArray | complex:
    import lal
    import lalsimulation as sim

    m1, m2, s1z, s2z, phase = row
    try:
        h_plus, _ = sim.SimInspiralChooseFDWaveformSequence(
            *(phase, m1 * lal.MSUN_SI, m2 * lal.MSUN_SI),
            *(0.0, 0.0, s1z, 0.0, 0.0, s2z),
            *(F_REFERENCE, DISTANCE_MPC * 1e6 * lal.PC_SI, INCLINATION),
            *(options, sim.IMRPhenomXHM, sequence),
        )
    except RuntimeError:
        return complex(math.nan)
    data: ComplexArray = np.array(h_plus.data.data, dtype=np.complex128)
    return data


def _sequence(grid: FloatArray) -> Any:
    import lal

    sequence = lal.CreateREAL8Sequence(grid.size)
    sequence.data = grid
    return sequence


def _options(modes: Sequence[Mode]) -> Any:
    import lal
    import lalsimulation as sim

    options = lal.CreateDict()
    chosen = sim.SimInspiralCreateModeArray()
    for degree, order in modes:
        sim.SimInspiralModeArrayActivateMode(chosen, degree, order)
    sim.SimInspiralWaveformParamsInsertModeArray(options, chosen)
    sim.SimInspiralWaveformParamsInsertPhenomXPrecVersion(options, PRECESSION_VERSION)
    return options
