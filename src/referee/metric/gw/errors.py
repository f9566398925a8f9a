"""Errors of the remnant, dynamics, ringdown and validity tasks, one per sample and in sum.

Source of the formulas: gwBenchmarks (arXiv 2605.11269), code and prompts. Predictions that are not
finite or have another shape than the truth make a sample's error infinite and flag it; truths that
are not finite raise ValueError, for they are the evaluator's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.metric.gw.score import (
    CLIPPED,
    NONFINITE,
    WRONG_SHAPE,
    ZERO_TRUTH,
    Score,
    mean,
    root_mean_square,
)
from referee.metric.gw.series import FloatArray, numbers, prediction, truth

LOG_FLOOR = 1e-30
"""What predictions and truths are raised to before the logarithm of the validity task."""

ZERO_RANGE = "zero_range"
"""The truths are all equal, so that errors are not divided by their range."""

Flags = tuple[tuple[str, ...], ...]


def nrmse(predicted: ArrayLike, true: ArrayLike) -> Score:
    """Remnant: sqrt(mean((p - t)^2)) / (max t - min t), dimensionless; arrays of shape (n,).

    A sample's error is |p - t| / (max t - min t), and sqrt(mean(error^2)) is the loss exactly. If
    all truths are equal, errors keep their own unit and the score is noted `zero_range`.

    Raises:
        ValueError: the truths are not a finite array of real numbers of shape (n,), n >= 1.
    """
    target = _real(true)
    given, flags = _given(predicted, target.shape)
    width = float(np.ptp(target))
    with np.errstate(over="ignore", invalid="ignore"):
        errors = _infinite(np.abs(given - target) / (width if width > 0 else 1.0))
    samples = tuple(errors.tolist())
    value = root_mean_square(samples)
    return Score(
        name="nrmse",
        value=value,
        unit="1" if width > 0 else "that of the truth",
        scale="linear",
        definition="root mean square of p - t over the range of t on the validation set",
        samples=samples,
        flags=flags,
        components={"nrmse_v_k": value},
        notes=() if width > 0 else (ZERO_RANGE,),
    )


def relative_rms(predicted: Sequence[ArrayLike], true: Sequence[ArrayLike]) -> Score:
    """Dynamics: mean over simulations of sqrt(mean(((p - t)/t)^2)) over the points with t != 0.

    Dimensionless. Simulation i has arrays of shape (n_i,). One whose truth is zero everywhere has
    an infinite error and the flag `zero_truth`.

    Raises:
        ValueError: another number of predictions than of truths, none at all, or a truth that is
            not a finite array of real numbers of shape (n_i,).
    """
    if len(predicted) != len(true):
        raise ValueError(f"{len(predicted)} predictions for {len(true)} truths")
    found = [_relative(given, _real(target)) for given, target in zip(predicted, true, strict=True)]
    samples = tuple(error for error, _ in found)
    value = mean(samples) if samples else math.nan
    return Score(
        name="relative_rms",
        value=value,
        unit="1",
        scale="linear",
        definition="mean over simulations of the root mean square of (p - t)/t where t is not 0",
        samples=samples,
        flags=tuple(flags for _, flags in found),
        components={"rms_relative_error_x": value},
    )


def qnm_error(predicted: tuple[ArrayLike, ArrayLike], true: tuple[ArrayLike, ArrayLike]) -> Score:
    """Ringdown: (mean |dR/R| + mean |dI/I|) / 2, dimensionless; real and imaginary parts, (n,).

    A sample's error is (|dR/R| + |dI/I|) / 2. Where a true part is 0 the relative error is 0 if
    the prediction is exactly 0, and infinite otherwise. A flag on either part flags the sample.

    Raises:
        ValueError: the truths are not finite arrays of real numbers of one shape (n,).
    """
    real, imaginary = _real(true[0]), _real(true[1])
    if real.shape != imaginary.shape:
        raise ValueError("real and imaginary parts of the truth have different lengths")
    given_real, flags_real = _given(predicted[0], real.shape)
    given_imaginary, flags_imaginary = _given(predicted[1], imaginary.shape)
    of_real = _relative_parts(given_real, real)
    of_imaginary = _relative_parts(given_imaginary, imaginary)
    samples = tuple(((of_real + of_imaginary) / 2).tolist())
    parts = {
        "rel_error_omega_real": mean(of_real.tolist()),
        "rel_error_omega_imag": mean(of_imaginary.tolist()),
    }
    return Score(
        name="qnm_relative_error",
        value=sum(parts.values()) / 2,
        unit="1",
        scale="linear",
        definition="half the sum of the mean relative errors of real and imaginary frequency",
        samples=samples,
        flags=tuple(
            tuple(dict.fromkeys((*one, *other)))
            for one, other in zip(flags_real, flags_imaginary, strict=True)
        ),
        components=parts,
    )


def log10_rmse(predicted: ArrayLike, true: ArrayLike) -> Score:
    """Validity: root mean square of log10 p - log10 t, in dex; arrays of shape (n,).

    Both are raised to 1e-30 first; a prediction below it is flagged `clipped`. A sample's error is
    |log10 p - log10 t|, and sqrt(mean(error^2)) is the loss exactly.

    Raises:
        ValueError: the truths are not a finite array of real numbers of shape (n,), n >= 1.
    """
    target = _real(true)
    given, flags = _given(predicted, target.shape)
    low = given < LOG_FLOOR
    errors = np.abs(
        np.log10(np.maximum(given, LOG_FLOOR)) - np.log10(np.maximum(target, LOG_FLOOR))
    )
    samples = tuple(_infinite(errors).tolist())
    value = root_mean_square(samples)
    return Score(
        name="log10_rmse",
        value=value,
        unit="dex",
        scale="log10",
        definition="root mean square of log10 p - log10 t, both raised to 1e-30",
        samples=samples,
        flags=tuple(
            (*each, CLIPPED) if clipped else each
            for each, clipped in zip(flags, low.tolist(), strict=True)
        ),
        components={"rmse_log10_mismatch": value},
    )


def _real(value: ArrayLike) -> FloatArray:
    array = truth(value, "the truth")
    if np.iscomplexobj(array):
        raise ValueError("the truth must be real")
    return array.astype(np.float64)


def _given(value: ArrayLike, shape: tuple[int, ...]) -> tuple[FloatArray, Flags]:
    """A prediction as float64 with NaN for what cannot be used, and each sample's flags."""
    array = numbers(value)
    if array is None or array.shape != shape or np.iscomplexobj(array):
        return np.full(shape, np.nan), ((WRONG_SHAPE,),) * shape[0]
    given = array.astype(np.float64)
    finite = np.isfinite(given)
    flags: Flags = tuple(() if fine else (NONFINITE,) for fine in finite.tolist())
    return np.where(finite, given, np.nan), flags


def _relative(given: ArrayLike, target: FloatArray) -> tuple[float, tuple[str, ...]]:
    array, flags = prediction(given, lambda size: size == target.size)
    if array is None:
        return math.inf, flags
    if np.iscomplexobj(array):
        return math.inf, (WRONG_SHAPE,)
    used = target != 0
    if not used.any():
        return math.inf, (ZERO_TRUTH,)
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = (array[used].astype(np.float64) - target[used]) / target[used]
        square = float(np.mean(ratio**2))
    return math.sqrt(square) if not math.isnan(square) else math.inf, ()


def _relative_parts(given: FloatArray, target: FloatArray) -> FloatArray:
    zero = target == 0
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = np.abs(given - target) / np.abs(np.where(zero, 1.0, target))
    exact: NDArray[np.float64] = np.where(given == 0, 0.0, np.inf)
    return _infinite(np.where(zero, exact, ratio))


def _infinite(errors: FloatArray) -> FloatArray:
    """`errors` with NaN replaced by infinity."""
    worst: FloatArray = np.where(np.isnan(errors), np.inf, errors)
    return worst
