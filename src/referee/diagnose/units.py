"""Per-sample errors in other units than the task's: signed, squared, unscaled, other logarithms."""

from __future__ import annotations

from math import log

import numpy as np

from referee.diagnose.case import Case
from referee.diagnose.readings import errors, shown

_SAME = 1e-6
_LN10 = log(10.0)


def unit_fault(case: Case) -> str | None:
    """How the account's per-sample errors are in other units, in a sentence; None if they are not,
    or if nobody can tell. Signs show by themselves; the rest needs canonical scores."""
    given = errors(case)
    if given is None or not given.present:
        return None
    negative = sum(v < 0 for v in given.present)
    if negative and given.meaning not in ("mismatch", "unknown"):
        return f"{negative} of {len(given.present)} per-sample errors are negative"
    # round-off leaves a mismatch of a perfect match slightly below zero
    if given.meaning == "mismatch" and min(given.present) < -_SAME:
        return f"{negative} of {len(given.present)} mismatches are negative"
    scores = case.canonical.scores if case.canonical else ()
    if len(scores) != len(given.values) or len(given.present) != len(given.values):
        return None
    return _compared(np.abs(np.asarray(given.present)), np.asarray(scores))


def _compared(mine: np.ndarray, canonical: np.ndarray) -> str | None:
    kept = canonical > 0
    if not kept.any() or np.allclose(mine, canonical, rtol=_SAME, atol=0):
        return None
    if np.allclose(mine, canonical**2, rtol=_SAME, atol=0):
        return "per-sample errors are the squares of the canonical ones"
    ratio = mine[kept] / canonical[kept]
    factor = float(np.median(ratio))
    if factor == 0 or not np.allclose(ratio, factor, rtol=_SAME, atol=0):
        return None
    if abs(factor / _LN10 - 1) <= _SAME:
        return "per-sample errors are of natural logarithms, and decimal ones are asked for"
    return f"per-sample errors are {shown(factor)} times the canonical ones: not normalised alike"
