"""Template banks: overlaps, the coverage of a bank's prefixes, and the size that covers half.

For waveforms h sampled at F frequencies with quadrature weights w, each normalised so that
<h, h> = 1 with <a, b> = sum_f a conj(b) w:

    overlap(h, t) = |<h, t>|                          maximised over phase, not over time
    K = the least k such that at least half of the tests have an overlap >= 0.97 with one of the
        first k templates; n_bank + 1 when no prefix does
    relative efficiency = K_reference / K             higher is better

Source: gwBenchmarks (arXiv 2605.11269), code. Everything is a product of matrices in blocks, so
that memory beside inputs and result stays under 64 MiB.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from referee.metric.gw.series import ComplexArray, FloatArray

THRESHOLD = 0.97
"""Overlap from which a template covers a waveform."""

TARGET = Fraction(1, 2)
"""Share of the tests that must be covered."""

REFERENCE_SIZE = 27
"""K of the published reference scheme, recovered from the published relative efficiencies."""

_BLOCK_BYTES = 1 << 24

_LAG_ROWS = 8
"""Transforms per block: few enough to stay in the processor's cache."""

_DEPENDENT = 1e-12
"""A mode whose squared norm falls below this share, once others are taken off, adds nothing."""


@dataclass(frozen=True, slots=True)
class BankScore:
    """How well the prefixes of an ordered bank cover a test set.

    `k` is the loss, in templates (lower is better): n_bank + 1 with `reached` false when no prefix
    covers `target` of the tests. `covered[k-1]` tests of `n_tests` have an overlap of at least
    `threshold` with one of the first k templates; `best` has each test's best overlap with the
    whole bank (dimensionless, in [0, 1]). `nonfinite` templates overlap with nothing.
    """

    k: int
    reached: bool
    n_bank: int
    n_tests: int
    threshold: float
    target: Fraction
    covered: tuple[int, ...]
    best: tuple[float, ...]
    nonfinite: int = 0

    unit = "templates"
    scale = "linear"
    definition = (
        "least number of leading templates with which at least the target share of the tests "
        "has a best phase-maximised overlap of at least the threshold"
    )

    @property
    def coverage(self) -> float:
        """Share of the tests that the whole bank covers."""
        return self.covered[-1] / self.n_tests if self.covered else 0.0

    def relative_efficiency(self, k_reference: int = REFERENCE_SIZE) -> float | None:
        """K_reference / K, dimensionless, higher is better; None when no prefix reached the target.

        Raises:
            ValueError: k_reference < 1.
        """
        if k_reference < 1:
            raise ValueError(f"a reference bank of {k_reference} templates")
        return k_reference / self.k if self.reached else None


def normalised(
    waveforms: ComplexArray, weights: FloatArray
) -> tuple[ComplexArray, NDArray[np.bool_]]:
    """Rows of `waveforms`, shape (n, F), over the square root of sum_f |h|^2 w; and which are fit.

    A row that is not finite or has no power becomes zero, and False in the second array (n,).

    Raises:
        ValueError: shapes that do not go together, or weights that are not finite.
    """
    _require(waveforms, weights)
    with np.errstate(all="ignore"):
        square = (waveforms.real**2 + waveforms.imag**2) @ weights
        fit = np.isfinite(square) & (square > 0) & np.isfinite(waveforms).all(axis=1)
        rows: ComplexArray = np.where(fit[:, None], waveforms, 0j)
    return rows / np.sqrt(np.where(fit, square, 1.0))[:, None], fit


def overlaps(tests: ComplexArray, bank: ComplexArray, weights: FloatArray) -> FloatArray:
    """|sum_f h conj(t) w| of each test with each template, shape (n_tests, n_bank), float64.

    `tests` has shape (n_tests, F), `bank` (n_bank, F), `weights` (F,). Rows are used as they are.

    Raises:
        ValueError: shapes that do not go together, or weights that are not finite.
    """
    _require(tests, weights)
    _require(bank, weights)
    found = np.empty((len(tests), len(bank)))
    rows = _rows(weights.size)
    for low in range(0, len(bank), rows):
        templates = (bank[low : low + rows].conj() * weights).T
        for first in range(0, len(tests), rows):
            product = tests[first : first + rows] @ templates
            np.abs(product, out=found[first : first + rows, low : low + rows])
    return found


def maximised_overlaps(
    tests: ComplexArray, bank: ComplexArray, weights: FloatArray, n_lags: int
) -> FloatArray:
    """max over t in [0, n_lags) of |sum_k conj(h_k) t_k w_k exp(2 pi i k t / n_lags)|; (n, m).

    Maximised over phase and over a grid of lags, by inverse transforms in blocks. Equals PyCBC's
    `match` of spectra that are normalised with weights 4 df / S, where n_lags = 2 (bins - 1) and
    bins outside the band have weight zero or are left off at the front.

    Raises:
        ValueError: shapes that do not go together, weights that are not finite, or more
            frequencies than lags.
    """
    from scipy import fft

    _require(tests, weights)
    _require(bank, weights)
    if weights.size > n_lags:
        raise ValueError(f"{weights.size} frequencies do not fit a grid of {n_lags} lags")
    found = np.empty((len(tests), len(bank)))
    rows = min(_LAG_ROWS, _rows(n_lags))
    padded = np.zeros((rows, n_lags), dtype=np.complex128)
    for place, test in enumerate(tests):
        conjugate = test.conj() * weights
        for low in range(0, len(bank), rows):
            block = bank[low : low + rows]
            used = padded[: len(block)]
            used[:, weights.size :] = 0
            np.multiply(block, conjugate, out=used[:, : weights.size])
            z = fft.ifft(used, axis=1, norm="forward", overwrite_x=True)
            square = np.square(z.real) + np.square(z.imag)
            found[place, low : low + rows] = np.sqrt(square.max(axis=1))
    return found


def orthonormal_modes(modes: ComplexArray, weights: FloatArray) -> ComplexArray:
    """Templates of each parameter row made orthonormal in their order; shape (n, modes, F).

    `modes` has shape (n, modes, F), in the reference scheme (2,2), (3,3), (4,4) with their
    negative partners. Each is normalised and freed of those before it (Gram and Schmidt), which
    equals the published L = reversed Cholesky factor of the inverse of the reversed covariance. A
    mode without power, or that depends on those before it, becomes zero.

    Raises:
        ValueError: shapes that do not go together, or weights or modes that are not finite.
    """
    if modes.ndim != 3 or not np.isfinite(modes).all():
        raise ValueError("modes must be finite, of shape (rows, modes, frequencies)")
    _require(modes[:, 0], weights)
    done = np.zeros(modes.shape, dtype=np.complex128)
    for place in range(modes.shape[1]):
        rest, _ = normalised(modes[:, place], weights)
        for _ in range(2):  # once more, for what round-off left
            for other in range(place):
                inner = ((rest * done[:, other].conj()) @ weights)[:, None]
                rest = rest - inner * done[:, other]
        square = (rest.real**2 + rest.imag**2) @ weights
        kept = square > _DEPENDENT
        scale = np.where(kept, 1 / np.sqrt(np.where(kept, square, 1.0)), 0.0)
        done[:, place] = rest * scale[:, None]
    return done


def multimode_overlaps(tests: ComplexArray, modes: ComplexArray, weights: FloatArray) -> FloatArray:
    """sqrt(sum_j |<h, t_j>|^2) of each test with each row of orthonormal modes; (n_tests, n).

    The norm of the projection on the span of the row's templates. `modes` has shape (n, modes, F),
    from `orthonormal_modes`.

    Raises:
        ValueError: shapes that do not go together, or weights that are not finite.
    """
    if modes.ndim != 3:
        raise ValueError("modes must have shape (rows, modes, frequencies)")
    total = np.zeros((len(tests), len(modes)))
    for place in range(modes.shape[1]):
        total += overlaps(tests, modes[:, place], weights) ** 2
    return np.sqrt(total)


def bank_score(
    found: FloatArray, *, threshold: float = THRESHOLD, target: Fraction = TARGET
) -> BankScore:
    """Score an ordered bank by its overlaps with the tests, shape (n_tests, n_bank).

    Overlaps that are not finite count as zero, and templates with such a one are counted. An empty
    bank reaches nothing: K = 1.

    Raises:
        ValueError: no tests, another number of axes, or a target outside (0, 1].
    """
    if found.ndim != 2 or len(found) == 0:
        raise ValueError("overlaps must have shape (tests, templates), with at least one test")
    if not 0 < target <= 1:
        raise ValueError(f"a target of {target} is not in (0, 1]")
    n_tests, n_bank = found.shape
    bad = ~np.isfinite(found)
    if bad.any():
        found = np.where(bad, 0.0, found)
    hit = found >= threshold
    first = np.where(hit.any(axis=1), hit.argmax(axis=1), n_bank) if n_bank else np.zeros(0, int)
    covered = np.cumsum(np.bincount(first, minlength=n_bank + 1)[:n_bank])
    enough = np.flatnonzero(covered >= -(-target.numerator * n_tests // target.denominator))
    return BankScore(
        k=int(enough[0]) + 1 if enough.size else n_bank + 1,
        reached=bool(enough.size),
        n_bank=n_bank,
        n_tests=n_tests,
        threshold=threshold,
        target=target,
        covered=tuple(covered.tolist()),
        best=tuple(found.max(axis=1, initial=0.0).tolist()),
        nonfinite=int(bad.any(axis=0).sum()),
    )


def _rows(columns: int) -> int:
    return max(1, _BLOCK_BYTES // (16 * max(1, columns)))


def _require(waveforms: ComplexArray, weights: FloatArray) -> None:
    if waveforms.ndim != 2 or weights.ndim != 1 or waveforms.shape[1] != weights.size:
        raise ValueError(f"waveforms {waveforms.shape} do not fit weights {weights.shape}")
    if weights.size == 0 or not np.isfinite(weights).all():
        raise ValueError("weights must be finite, and there must be one")
