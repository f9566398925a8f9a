"""The canonical frequency-domain mismatch: 1 - match, maximised over phase and a grid of lags.

For real series r (reference) and p (prediction) of n points, X = rfft over n points and the band
[k0, k1) of `noise.band`:

    <a, b>_t = 4 df sum_k conj(A_k) B_k / S_k exp(2 pi i k t / N),   N = 2 (n // 2)
    match    = max over integers t in [0, N) of |<r, p>_t| / sqrt(<r, r>_0 <p, p>_0)

without window, taper or interpolation between lags. Equals PyCBC's `match` on the same inputs
within 1e-12; source: gwBenchmarks (arXiv 2605.11269), code. Complex series count with their real
parts only. A sample's error is the mean over five total masses, the loss the mean over samples.

A `Reference` holds all that does not depend on the prediction, and serves any number of them.
Where the evaluator's own array is at fault, ValueError is raised; where the candidate's is, the
sample scores 1 and carries a flag.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.metric.gw.constants import MASSES
from referee.metric.gw.lags import greatest_on_grid
from referee.metric.gw.noise import Band, band, bands
from referee.metric.gw.score import PADDED, ZERO_NORM, Score, mean
from referee.metric.gw.series import (
    ComplexArray,
    FloatArray,
    near_one,
    prediction,
    real_part,
    truth,
)
from referee.metric.gw.spectrum import leading_bins
from referee.record.canonical import sha256_bytes, sha256_json

Length = Literal["exact", "pad"]
"""What to do with a prediction of another length: refuse it, or fill the shorter up with zeros."""

WORST = 1.0


@dataclass(frozen=True, slots=True)
class SampleMismatch:
    """Mismatch of one sample: dimensionless, linear, in [0, 1]; `value` is the mean of `parts`.

    `parts` has one mismatch per total mass (one in all for a reference in the frequency domain).
    """

    value: float
    parts: tuple[float, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Filter:
    """A reference in one band: conj(R)/S and <r, r>/(4 df)."""

    band: Band
    conjugate: ComplexArray
    norm: float


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A reference series in the time domain, ready to be compared.

    `series` is its real part, float64, shape (n,); `dt` the step in units of the total mass M;
    `masses` the total masses in solar masses. Made by `reference`.
    """

    series: FloatArray
    dt: float
    masses: tuple[float, ...]
    filters: tuple[_Filter, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the parts of a mismatch, as the published suite has them."""
        return tuple(f"mismatch_{mass:g}Msun" for mass in self.masses)

    @property
    def grid_sha256(self) -> str:
        """Hash of the grid on which the mismatch is taken: points, step and masses."""
        return sha256_json({"n": self.series.size, "dt_M": self.dt, "masses": list(self.masses)})

    def mismatch(self, predicted: ArrayLike, *, length: Length = "exact") -> SampleMismatch:
        """Mismatch of a prediction on the reference's grid; never raises for the candidate's sake.

        With `length="pad"` the shorter series is filled up with zeros at its end and the sample is
        flagged `padded`; otherwise another length is a `wrong_shape`. A prediction that is not
        finite, has another shape, or has no power in the band at one of the masses scores 1.
        """
        n = self.series.size
        array, flags = prediction(predicted, lambda size: length == "pad" or size == n)
        if array is None:
            return _failed(len(self.masses), flags)
        if array.size > n:
            padded = np.pad(self.series, (0, array.size - n))
            longer = reference(padded, self.dt, self.masses)
            return _flagged(longer.mismatch(array), PADDED)
        count = max(each.band.last for each in self.filters)
        spectrum = leading_bins(near_one(real_part(array)), n, count)
        found = _compare(self.filters, spectrum)
        return found if array.size == n else _flagged(found, PADDED)


@dataclass(frozen=True, slots=True, eq=False)
class SpectralReference:
    """A reference that is in the frequency domain already: complex128, shape (n,), at k * df Hz.

    Made by `spectral_reference`. The lag grid has N = 2 (n - 1) points.
    """

    spectrum: ComplexArray
    df: float
    filter: _Filter

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of the one part."""
        return ("mismatch",)

    @property
    def grid_sha256(self) -> str:
        """Hash of the grid on which the mismatch is taken: bins and step."""
        return sha256_json({"n": self.spectrum.size, "df_Hz": self.df})

    def mismatch(self, predicted: ArrayLike, *, length: Length = "exact") -> SampleMismatch:
        """Mismatch of a predicted spectrum; as `Reference.mismatch`, with real and imaginary."""
        n = self.spectrum.size
        array, flags = prediction(predicted, lambda size: length == "pad" or size == n)
        if array is None:
            return _failed(1, flags)
        spectrum = near_one(np.asarray(array, dtype=np.complex128))
        if array.size == n:
            return _compare((self.filter,), spectrum)
        if array.size < n:
            padded = np.pad(spectrum, (0, n - array.size))
            return _flagged(_compare((self.filter,), padded), PADDED)
        longer = spectral_reference(np.pad(self.spectrum, (0, array.size - n)), self.df)
        return _flagged(_compare((longer.filter,), spectrum), PADDED)


def reference(series: ArrayLike, dt: float, masses: Sequence[float] = MASSES) -> Reference:
    """Prepare a reference: `series` of shape (n,), real or complex (only Re counts), step `dt` (M).

    Raises:
        ValueError: not a finite one-dimensional series; dt or a mass not positive; too short for
            15 to 990 Hz at one of the masses; or without power there.
    """
    real = real_part(truth(series, "the reference"))
    if not (math.isfinite(dt) and dt > 0) or not masses or not all(m > 0 for m in masses):
        raise ValueError("the step and every mass must be positive")
    chosen = tuple(float(mass) for mass in masses)
    used = bands(real.size, float(dt), chosen)
    spectrum = leading_bins(near_one(real), real.size, max(each.last for each in used))
    made = tuple(_filter(spectrum, each) for each in used)
    return Reference(real, float(dt), chosen, made)


def spectral_reference(spectrum: ArrayLike, df: float) -> SpectralReference:
    """Prepare a reference given at the frequencies k * `df` (Hz), k = 0 ... n-1, shape (n,).

    Raises:
        ValueError: not a finite one-dimensional array; df not positive; too few bins for 15 to
            990 Hz; or without power there.
    """
    array = np.asarray(truth(spectrum, "the reference"), dtype=np.complex128)
    if not (math.isfinite(df) and df > 0):
        raise ValueError("the step must be positive")
    made = _filter(near_one(array), band(array.size, float(df)))
    return SpectralReference(array, float(df), made)


def mismatch_score(
    references: Sequence[Reference] | Sequence[SpectralReference],
    samples: Sequence[SampleMismatch],
) -> Score:
    """The loss of a task: mean over samples of the mean over masses, dimensionless, in [0, 1].

    Components are `mean_fd_mismatch` and the means at each mass; the grid hash covers all
    references in their order.

    Raises:
        ValueError: no sample, a number of samples that is not that of the references, or
            references with different masses.
    """
    if len(references) != len(samples):
        raise ValueError(f"{len(samples)} samples for {len(references)} references")
    if len({each.labels for each in references}) != 1:
        raise ValueError("all references must have the same masses, and there must be one")
    labels = references[0].labels
    value = mean([sample.value for sample in samples])
    parts = {
        label: mean([sample.parts[place] for sample in samples])
        for place, label in enumerate(labels)
    }
    return Score(
        name="fd_mismatch",
        value=value,
        unit="1",
        scale="linear",
        definition=(
            "1 - match over phase and whole lags, 15-990 Hz, aLIGOZeroDetHighPower; "
            "mean over total masses, then over samples"
        ),
        samples=tuple(sample.value for sample in samples),
        flags=tuple(sample.flags for sample in samples),
        components={"mean_fd_mismatch": value} | parts,
        grid_sha256=sha256_bytes("".join(each.grid_sha256 for each in references).encode()),
    )


def _filter(spectrum: ComplexArray, band: Band) -> _Filter:
    used = spectrum[band.first : band.last]
    norm = float(np.dot(_power(used), band.weight))
    if not norm > 0:
        raise ValueError("the reference has no power in the band")
    return _Filter(band, np.asarray(used.conj() * band.weight, dtype=np.complex128), norm)


def _compare(filters: Sequence[_Filter], spectrum: NDArray[Any]) -> SampleMismatch:
    """Mismatches of one spectrum with the same reference in several bands."""
    power = _power(spectrum[: max(each.band.last for each in filters)])
    parts = []
    for each in filters:
        first, last = each.band.first, each.band.last
        norm = float(np.dot(power[first:last], each.band.weight))
        if not norm > 0:
            return _failed(len(filters), (ZERO_NORM,))
        peak = greatest_on_grid(spectrum[first:last] * each.conjugate, each.band.n_lags)
        match = peak / math.sqrt(norm) / math.sqrt(each.norm)
        parts.append(min(1.0, max(0.0, 1.0 - match)))
    return SampleMismatch(mean(parts), tuple(parts))


def _power(spectrum: NDArray[Any]) -> FloatArray:
    power: FloatArray = spectrum.real**2 + spectrum.imag**2
    return power


def _failed(n_parts: int, flags: tuple[str, ...]) -> SampleMismatch:
    return SampleMismatch(WORST, (WORST,) * n_parts, flags)


def _flagged(sample: SampleMismatch, flag: str) -> SampleMismatch:
    return SampleMismatch(sample.value, sample.parts, (*sample.flags, flag))
