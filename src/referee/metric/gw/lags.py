"""The greatest modulus of a band-limited sum over a lag grid: exact, without the whole grid.

For bins q_0 ... q_{B-1} and a grid of N lags,

    z(t) = sum_k q_k exp(2 pi i k t / N),   wanted: max of |z(t)| over the integers t in [0, N).

One short transform gives z on a coarse grid of M >= 4 B points, a step of h = N/M lags. Turned by
half its bandwidth, z has exponential type s = pi (B-1)/N, so s h <= pi/4. With Z the supremum of
|z| over all real t, three bounds leave few lags, and those are summed in full:

1. Bernstein and Szego: f'^2 + s^2 f^2 <= s^2 Z^2 for each real part f of the turned z, hence
   arccos(f/Z) changes by at most s per lag. So Z <= C / cos(s h / 2), C the greatest coarse value;
2. and a coarse value too small to have a greater one than the best within h/2 excludes its cell.
3. Lagrange interpolation through nine coarse points misses z by at most (s h)^9 w Z / 9!, with w
   the product of the nine distances (in steps) at the cell's edge, where it is greatest: 6e-5 Z.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from referee.metric.gw.series import ComplexArray, FloatArray
from referee.metric.gw.spectrum import fast_length, inverse

OVERSAMPLING = 4
"""Points of the coarse grid per bin, at least."""

_TAPS = np.arange(-4, 5)
"""Coarse points through which z is interpolated, counted from the nearest."""

_LAGRANGE = np.array([math.prod(int(t - u) for u in _TAPS if u != t) for t in _TAPS], dtype=float)
"""Denominators of the Lagrange polynomials."""

_EDGE = math.prod(abs(0.5 - int(t)) for t in _TAPS) / math.factorial(_TAPS.size)

_SIDE = 2
"""Lags on either side of the best that are summed in any case."""

_BLOCK = 64
"""Bins per row when a sum is written as a product of matrices."""

_SLACK = 1e-9
"""Relative room for round-off in the bounds."""


def greatest_on_grid(q: ComplexArray, n_lags: int) -> float:
    """Maximum of |z(t)| over the integer lags t in [0, n_lags); `q` has shape (B,), complex128.

    Equal to the maximum over the inverse transform of length `n_lags` up to round-off. The number
    of the first bin does not matter, for it only turns the phase.

    Raises:
        ValueError: more bins than lags.
    """
    if q.size > n_lags:
        raise ValueError(f"{q.size} bins do not fit a grid of {n_lags} lags")
    points = fast_length(OVERSAMPLING * q.size)
    if points >= n_lags:
        return _greatest_of_all(q, n_lags)
    coarse = inverse(q, points)
    power = coarse.real**2 + coarse.imag**2
    best = int(power.argmax())
    if power[best] == 0:
        return 0.0
    step = math.pi * (q.size - 1) / points
    bound = math.sqrt(float(power[best])) / math.cos(step / 2)
    error = (step**_TAPS.size * _EDGE + _SLACK) * bound

    _, near = _interpolated(coarse, np.array([best]), q.size, n_lags)
    least = bound * math.cos(math.acos(_unit((float(near.max()) - error) / bound)) + step / 2)
    rivals = np.flatnonzero(power >= (max(0.0, least) * (1 - _SLACK)) ** 2)
    if 2 * rivals.size > points:
        return _greatest_of_all(q, n_lags)
    lags, moduli = _interpolated(coarse, rivals, q.size, n_lags)
    kept = lags[moduli >= moduli.max() - 2 * error]
    sides = lags[moduli.argmax()] + np.arange(-_SIDE, _SIDE + 1)
    wanted = np.unique(np.concatenate((kept, sides)) % n_lags)
    if wanted.size * q.size > 4 * n_lags * math.log2(n_lags):
        return _greatest_of_all(q, n_lags)
    return float(moduli_at(q, wanted, n_lags).max())


def moduli_at(q: ComplexArray, lags: NDArray[np.int64], n_lags: int) -> FloatArray:
    """|z(t)| at each of `lags` (shape (T,), integers), as a product of matrices; shape (T,).

    With k = 64 a + b the phase factor is a product of one that depends on a and one that depends
    on b, so B T products need only (B/64 + 64) T sines. Phases are reduced modulo `n_lags` in
    integers, so that they do not lose digits.
    """
    rows = -(-q.size // _BLOCK)
    table = np.zeros((rows, _BLOCK), dtype=np.complex128)
    table.reshape(-1)[: q.size] = q
    within = table @ _turns(np.arange(_BLOCK)[:, None] * lags, n_lags)
    across = _turns((np.arange(rows) * _BLOCK)[:, None] * lags, n_lags)
    total: FloatArray = np.abs((across * within).sum(axis=0))
    return total


def _turns(steps: NDArray[np.int64], n_lags: int) -> ComplexArray:
    phase = (steps % n_lags) * (2 * math.pi / n_lags)
    turned = np.empty(phase.shape, dtype=np.complex128)
    np.cos(phase, out=turned.real)
    np.sin(phase, out=turned.imag)
    return turned


def _greatest_of_all(q: ComplexArray, n_lags: int) -> float:
    z = inverse(q, n_lags)
    return math.sqrt(float((z.real**2 + z.imag**2).max()))


def _interpolated(
    coarse: ComplexArray, cells: NDArray[np.intp], n_bins: int, n_lags: int
) -> tuple[NDArray[np.int64], FloatArray]:
    """The integer lags within half a step of the coarse points `cells`, and |z| there, nearly.

    Lags are not reduced modulo `n_lags`. Neighbouring cells may share one; each has at least one.
    """
    points = coarse.size
    low = -((1 - 2 * cells) * n_lags // (2 * points))
    high = (2 * cells + 1) * n_lags // (2 * points)
    grid = low[:, None] + np.arange(int((high - low).max()) + 1)
    row, column = np.nonzero(grid <= high[:, None])
    lags = grid[row, column].astype(np.int64)
    # In integers, for the difference of two large places would lose digits.
    offset = (lags * points - cells[row] * n_lags) / n_lags
    turned = coarse[(cells[:, None] + _TAPS) % points] * np.exp(
        (-1j * math.pi * (n_bins - 1) / points) * _TAPS
    )
    value = (turned[row] * _lagrange(offset)).sum(axis=1)
    return lags, np.abs(value)


def _lagrange(offset: FloatArray) -> FloatArray:
    """The Lagrange polynomials of the taps at `offset` steps from the middle, shape (T, 9)."""
    distance = offset[:, None] - _TAPS
    before = np.ones_like(distance)
    after = np.ones_like(distance)
    np.cumprod(distance[:, :-1], axis=1, out=before[:, 1:])
    after[:, :-1] = np.cumprod(distance[:, :0:-1], axis=1)[:, ::-1]
    weights: FloatArray = before * after / _LAGRANGE
    return weights


def _unit(value: float) -> float:
    return min(1.0, max(-1.0, value))
