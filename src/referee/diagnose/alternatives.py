"""Other aggregates of the same predictions, in which a claimed number may be recognised.

A substituted metric is one that is easier to be good at: the mean absolute error for the root mean
square, natural for decimal logarithms, twenty samples for all. Each is computed here by name, so
that a claim which differs from the canonical value can be told what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.diagnose.tasks import Aggregate
from referee.record.fault import BadInput

RECOGNISED = 1e-6
"""A claim is an alternative if they agree to this relative difference: values are stored with 16
digits, and two alternatives of real data do not come so near by chance."""

DIFFERS = 0.02
"""A claim differs from the canonical value if it is farther off than this."""

_SUBSETS = (10, 16, 20, 25, 32, 50, 64, 100, 120, 128, 200)
_LN10 = log(10.0)
_FLOOR = 1e-30


def _finite(found: Mapping[str, float]) -> dict[str, float]:
    """Without values that overflowed: no claim can be one of those."""
    return {name: value for name, value in found.items() if isfinite(value)}


Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Recognised:
    """The names of alternatives that reproduce a claim, and the nearest when none does.

    `names` are in the order of the catalogue; `distance` is the relative difference of the nearest.
    """

    names: tuple[str, ...]
    nearest: str
    distance: float


def aggregate(values: Sequence[float], how: Aggregate) -> float:
    """The loss of per-sample errors: their mean, or the root of their mean square.

    Raises:
        BadInput: there are no values.
    """
    if not values:
        raise BadInput("no per-sample errors to aggregate")
    e = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        return float(e.mean() if how == "mean" else np.sqrt(np.mean(e * e)))


def alternatives_of_samples(values: Sequence[float], how: Aggregate) -> dict[str, float]:
    """Aggregates, by name, of non-negative per-sample errors of which `how` is the canonical one.

    Subsets are the first n and n evenly spaced samples, for the n that people choose.

    Raises:
        BadInput: there are no values.
    """
    if not values:
        raise BadInput("no per-sample errors to aggregate")
    e = np.abs(np.asarray(values, dtype=np.float64))
    with np.errstate(over="ignore"):
        found = {
            "mean": float(e.mean()),
            "root mean square": float(np.sqrt(np.mean(e * e))),
            "mean square": float(np.mean(e * e)),
            "median": float(np.median(e)),
            "maximum": float(e.max()),
            "minimum": float(e.min()),
        }
        if min(values) < 0:
            found["signed mean"] = float(np.mean(np.asarray(values, dtype=np.float64)))
    del found["mean" if how == "mean" else "root mean square"]
    canonical = aggregate([float(v) for v in e], how)
    found["natural logarithm for decimal"] = canonical * _LN10
    found["decimal logarithm for natural"] = canonical / _LN10
    found["percent"] = canonical * 100
    for n in (n for n in _SUBSETS if n < len(e)):
        evenly = e[np.linspace(0, len(e) - 1, n).astype(int)]
        found[f"first {n} samples"] = aggregate([float(v) for v in e[:n]], how)
        found[f"{n} evenly spaced samples"] = aggregate([float(v) for v in evenly], how)
    return _finite(found)


def _pair(truth: ArrayLike, prediction: ArrayLike) -> tuple[Reals, Reals]:
    t, p = np.asarray(truth, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if t.shape != p.shape or t.ndim != 1 or not t.size:
        raise BadInput(f"truth {t.shape} and prediction {p.shape} are no two equal vectors")
    if not (np.isfinite(t).all() and np.isfinite(p).all()):
        raise BadInput("truth or prediction is not finite")
    return t, p


def alternatives_of_regression(truth: ArrayLike, prediction: ArrayLike) -> dict[str, float]:
    """Alternatives to the root-mean-square error over the range of the truth (NRMSE).

    Arrays have shape (n,). A constant truth has range zero: then nothing is normalised by it.

    Raises:
        BadInput: the shapes differ, or a value is not finite.
    """
    t, p = _pair(truth, prediction)
    e = p - t
    span = float(np.ptp(t))
    normed = e / span if span > 0 else e
    found = alternatives_of_samples([float(v) for v in np.abs(normed)], "rms")
    found |= {
        "root mean square, not normalised": float(np.sqrt(np.mean(e * e))),
        "mean absolute, not normalised": float(np.mean(np.abs(e))),
        "mean square, not normalised": float(np.mean(e * e)),
        "median absolute, not normalised": float(np.median(np.abs(e))),
        "maximum absolute, not normalised": float(np.abs(e).max()),
    }
    scales = {"standard deviation": float(np.std(t)), "mean": float(abs(t.mean()))}
    rms = float(np.sqrt(np.mean(e * e)))
    found |= {f"root mean square over the {n}": rms / s for n, s in scales.items() if s > 0}
    if (t != 0).all():
        found["mean relative error"] = float(np.mean(np.abs(e / t)))
    return _finite(found)


def alternatives_of_logarithms(truth: ArrayLike, prediction: ArrayLike) -> dict[str, float]:
    """Alternatives to the root-mean-square error of decimal logarithms, floored at 1e-30.

    Arrays have shape (n,) and hold the quantities, not their logarithms.

    Raises:
        BadInput: the shapes differ, or a value is not finite.
    """
    t, p = _pair(truth, prediction)
    e = np.log10(np.maximum(p, _FLOOR)) - np.log10(np.maximum(t, _FLOOR))
    found = alternatives_of_samples([float(v) for v in np.abs(e)], "rms")
    found |= {
        "mean absolute of natural logarithms": float(np.mean(np.abs(e)) * _LN10),
        "root mean square without logarithm": float(np.sqrt(np.mean((p - t) ** 2))),
        "mean absolute without logarithm": float(np.mean(np.abs(p - t))),
    }
    return _finite(found)


def alternatives_of_components(components: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Alternatives to the mean over samples and components: the mean of one component alone.

    `components` are per-sample scores by name, such as those of five detector-frame masses or of
    the two parts of a frequency.

    Raises:
        BadInput: a component has no values, or they differ in number.
    """
    if len({len(v) for v in components.values()}) > 1:
        raise BadInput("components with different numbers of samples")
    found = {f"{name} alone": aggregate(v, "mean") for name, v in components.items()}
    together = np.asarray(list(components.values()), dtype=np.float64).mean(axis=0)
    return _finite(found | alternatives_of_samples([float(v) for v in together], "mean"))


def recognise(claim: float, canonical: float, alternatives: Mapping[str, float]) -> Recognised:
    """Which alternatives a claim is; those that equal the canonical value are left out, because
    they explain nothing.

    Raises:
        BadInput: no alternative is left.
    """
    apart = {
        name: relative(claim, value)
        for name, value in alternatives.items()
        if relative(value, canonical) > RECOGNISED
    }
    if not apart:
        raise BadInput("no alternative differs from the canonical value")
    nearest = min(apart, key=lambda name: apart[name])
    names = tuple(name for name, distance in apart.items() if distance <= RECOGNISED)
    return Recognised(names, nearest, apart[nearest])


def relative(value: float, reference: float) -> float:
    """|value - reference| over |reference|; 0 if they are equal, infinite if only it is zero."""
    if value == reference:
        return 0.0
    return abs(value - reference) / abs(reference) if reference else float("inf")
