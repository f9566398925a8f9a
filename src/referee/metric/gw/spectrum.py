"""The first bins of the discrete Fourier transform of a real series, at any length, fast."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from referee.metric.gw.series import ComplexArray, FloatArray

_ROUGH = 400
"""A length whose prime factors sum to more is transformed as a convolution."""


def leading_bins(series: FloatArray, n: int, count: int) -> ComplexArray:
    """X_k = sum_j x_j exp(-2 pi i j k / n) for k in [0, count); shape (count,), complex128.

    `series` has at most `n` points and counts as zero beyond; count <= n // 2 + 1. Equals the
    first bins of numpy's `rfft(series, n)` up to round-off. Native grids have arbitrary lengths,
    often with a great prime factor, where a transform for all bins is slow: see `_few_bins`.
    """
    from scipy import fft

    if _factor_sum(n) > _ROUGH:
        return _few_bins(series, n, count)
    found: ComplexArray = fft.rfft(series, n)[:count]
    return found


def _few_bins(series: FloatArray, n: int, count: int) -> ComplexArray:
    """`leading_bins` as a convolution at a length that transforms fast, for the wanted bins only.

    Points of even and of odd place are the real and imaginary part of z. With jk written as
    (j^2 + k^2 - (k-j)^2)/2 (Bluestein), Z_k = sum_j z_j exp(-4 pi i j k / n) is a convolution, and
    the sums over even and over odd places are its parts even and odd under conjugation.
    """
    from scipy import fft

    chirp, turn, kernel = _chirp(n, count)
    pairs = np.zeros(kernel.size, dtype=np.complex128)
    half = (series.size + 1) // 2
    pairs.real[:half] = series[::2]
    pairs.imag[: series.size // 2] = series[1::2]
    pairs[:half] *= chirp[:half]
    z = fft.fft(pairs, overwrite_x=True)
    z *= kernel
    z = fft.ifft(z, overwrite_x=True)
    ahead = z[:count] * chirp[:count]
    behind = ahead.copy()
    behind[1:] = z[:-count:-1] * chirp[1:count]
    np.conjugate(behind, out=behind)
    found: ComplexArray = 0.5 * (ahead + behind) - 0.5j * turn * (ahead - behind)
    return found


def inverse(bins: ComplexArray, length: int) -> ComplexArray:
    """z_t = sum_k bins_k exp(2 pi i k t / length), not divided; shape (length,), complex128."""
    from scipy import fft

    z: ComplexArray = fft.ifft(bins, length, norm="forward")
    return z


def fast_length(least: int) -> int:
    """The smallest length of at least `least` that transforms fast."""
    from scipy import fft

    return int(fft.next_fast_len(least))


@lru_cache(maxsize=8)
def _chirp(n: int, count: int) -> tuple[ComplexArray, ComplexArray, ComplexArray]:
    """c_j = exp(-2 pi i j^2 / n); exp(-2 pi i k / n) for k < count; the kernel's transform.

    The kernel is conj(c_m) for m from -(points + bins - 2) to bins - 1, for as many points as
    there are even places and bins on both sides of zero.
    """
    from scipy import fft

    points = (n + 1) // 2
    place = np.arange(points + count - 1)
    # Reduced in integers, so that large squares lose no digits.
    chirp = _turn(place * place % n, n)
    length = fast_length(points + 2 * count - 2)
    kernel = np.zeros(length, dtype=np.complex128)
    kernel[:count] = chirp[:count].conj()
    kernel[length - chirp.size + 1 :] = chirp[:0:-1].conj()
    return chirp, _turn(place[:count], n), fft.fft(kernel, overwrite_x=True)


def _turn(steps: NDArray[np.int64], n: int) -> ComplexArray:
    angle = steps * (2 * math.pi / n)
    turned = np.empty(angle.size, dtype=np.complex128)
    np.cos(angle, out=turned.real)
    np.negative(np.sin(angle), out=turned.imag)
    return turned


@lru_cache(maxsize=1024)
def _factor_sum(n: int) -> int:
    total, divisor = 0, 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            total += divisor
            n //= divisor
        divisor += 1
    return total + (n if n > 1 else 0)
