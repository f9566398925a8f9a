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
    often with a great prime factor, where a transform for all bins is slow: then jk is written as
    (j^2 + k^2 - (k-j)^2)/2 (Bluestein), and only the convolution that the wanted bins need is
    taken, at a length that transforms fast.
    """
    from scipy import fft

    found: ComplexArray
    if _factor_sum(n) <= _ROUGH:
        found = fft.rfft(series, n)[:count]
        return found
    chirp, kernel = _chirp(n, count)
    turned = fft.fft(series * chirp[: series.size], kernel.size)
    turned *= kernel
    found = fft.ifft(turned, overwrite_x=True)[:count] * chirp[:count]
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
def _chirp(n: int, count: int) -> tuple[ComplexArray, ComplexArray]:
    """exp(-pi i j^2 / n) for j in [0, n), and the transform of its conjugate over (-n, count)."""
    from scipy import fft

    chirp = _turn(np.arange(n), n)
    length = fast_length(n + count - 1)
    kernel = np.zeros(length, dtype=np.complex128)
    kernel[:count] = chirp[:count].conj()
    kernel[length - n + 1 :] = chirp[:0:-1].conj()
    return chirp, fft.fft(kernel, overwrite_x=True)


def _turn(place: NDArray[np.int64], n: int) -> ComplexArray:
    # Reduced in integers, so that large squares lose no digits.
    angle = (place * place % (2 * n)) * (math.pi / n)
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
