"""What a candidate handed in, as an array of numbers or a flag that says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.metric.gw.score import NONFINITE, WRONG_SHAPE

FloatArray: TypeAlias = NDArray[np.float64]
ComplexArray: TypeAlias = NDArray[np.complex128]

_NUMBERS = "biufc"


def numbers(value: ArrayLike, ndim: int = 1) -> NDArray[Any] | None:
    """`value` as an array of real or complex numbers with `ndim` axes, none empty; else None."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if array.dtype.kind not in _NUMBERS or array.ndim != ndim or array.size == 0:
        return None
    return array


def truth(value: ArrayLike, what: str, ndim: int = 1) -> NDArray[Any]:
    """The evaluator's own array, checked.

    Raises:
        ValueError: not `ndim`-dimensional, empty, not of numbers, or not finite.
    """
    array = numbers(value, ndim)
    if array is None:
        raise ValueError(f"{what} must be a {ndim}-dimensional array of numbers that is not empty")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} is not finite")
    return array


def prediction(
    value: ArrayLike, accept: Callable[[int], bool]
) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """A candidate's one-dimensional array, or None and the flag that says what is wrong with it.

    `accept` is asked whether a length will do. An imaginary part must be finite too, also where
    only the real part is used.
    """
    array = numbers(value)
    if array is None or not accept(array.size):
        return None, (WRONG_SHAPE,)
    if not np.isfinite(array).all():
        return None, (NONFINITE,)
    return array, ()


def real_part(array: NDArray[Any]) -> FloatArray:
    """The real parts as contiguous float64."""
    return np.ascontiguousarray(array.real, dtype=np.float64)


def near_one(array: NDArray[Any]) -> NDArray[Any]:
    """`array` times the power of two that brings its greatest part to [0.5, 1).

    Squares then neither overflow nor vanish. The product is exact (but for subnormal numbers), so
    what does not depend on scale keeps its bits.
    """
    parts = (array.real, array.imag) if np.iscomplexobj(array) else (array,)
    peak = max(max(float(part.max()), -float(part.min())) for part in parts)
    if peak == 0 or 1e-30 < peak < 1e30:
        return array
    # Two steps, for one power of two may lie outside the range of float64 itself.
    exponent = -int(np.frexp(peak)[1])
    half = exponent // 2
    scaled: NDArray[Any] = array * 2.0**half * 2.0 ** (exponent - half)
    return scaled
