"""Stage E, physics: signs, conventions, limits, shapes. Nearly all of it needs probes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from referee.diagnose import sources
from referee.diagnose.case import Case
from referee.diagnose.readings import listed, shown
from referee.diagnose.rules import Hit, rule

_SIGN = 0.1
_PHASE = 10.0
_PEAK = 5.0
_TAIL = 0.2
_EXTREMAL = 0.999
_DEGRADES = 1e3
_LEAST = 3


@rule("E1", "phase_sign", "certain")
def phase_sign(case: Case) -> Iterator[str]:
    """The complex conjugate of the prediction scores ten times better: the sign of the phase is
    wrong and the rest is right. Needs the canonical loss and that of the conjugate. A metric of
    real parts alone cannot see it. It can be wrong where both losses are near one by chance."""
    conjugate, canonical = case.probes.conjugate_loss, case.canonical
    if conjugate is not None and canonical and conjugate < _SIGN * canonical.loss:
        yield f"canonical {shown(canonical.loss)}, of the conjugate {shown(conjugate)}"


@rule("E2", "phase_term", "strong")
def phase_term(case: Case) -> Iterator[str]:
    """With one phase term removed or flipped the artifact scores ten times better: that term is
    wrong. Needs probes of the terms and the canonical loss. It can be wrong: a term that
    compensates another error is blamed for it."""
    canonical = case.canonical
    for name, loss in sorted(case.probes.phase_losses.items()):
        if canonical is not None and loss * _PHASE < canonical.loss:
            yield f"{name}: {shown(canonical.loss)} becomes {shown(loss)}"


@rule("E3", "mass_ratio_convention", "certain")
def mass_ratio_convention(case: Case) -> Iterator[Hit]:
    """Masses or spins are exchanged. Sources compute (chi1 + q chi2)/(1 + q), where with q = m1/m2
    the effective spin is (q chi1 + chi2)/(1 + q) (certain), or an input swapped in a probe lowers
    the loss by a tenth or more (strong). It can be wrong where q is m2/m1, which the task's inputs
    are not, and it is harmless where a learner is fed with it: it is then only another feature."""
    if (place := sources.wrong_effective_spin(case.work.sources)) is not None:
        yield Hit(f"(chi1 + q chi2)/(1 + q) in {place}")
    canonical = case.canonical
    for name, loss in sorted(case.probes.convention_losses.items()):
        if canonical is not None and loss < 0.9 * canonical.loss:
            yield Hit(f"{name}: {shown(canonical.loss)} becomes {shown(loss)}", "strong")


@rule("E4", "limit_failure", "strong")
def limit_failure(case: Case) -> Iterator[str]:
    """A limit with a known value is not met: equal masses, zero spin, test mass, damping sign, no
    kick for equal non-spinning bodies, zero outside the band. Needs probes, each with its expected
    value and tolerance, or checks of limits that failed. It can be wrong for a limit outside the
    range that the task covers."""
    for name, limit in sorted(case.probes.limits.items()):
        if not limit.ok:
            yield (
                f"{name} is {'not finite' if limit.value is None else shown(limit.value)} and must "
                f"be {shown(limit.expected)} within {shown(limit.tolerance)}"
            )
    if case.probes.failed_limits:
        yield f"not kept, by {listed(case.probes.failed_limits)}"


@rule("E5", "shape", "strong")
def shape(case: Case) -> Iterator[str]:
    """The amplitude does not peak within 5 M of t = 0, or the tail decays at a rate more than a
    fifth off the least damped mode. Needs probes. It can be wrong for a noisy tail: probe the rate
    before the noise."""
    peak, tail = case.probes.peak_time, case.probes.tail_rate
    if peak is not None and abs(peak) > _PEAK:
        yield f"the amplitude peaks at {shown(peak)} M"
    if tail is not None and abs(tail) > _TAIL:
        yield f"the tail's decay rate is off by {100 * abs(tail):.3g} %"


@rule("E6", "near_extremal", "strong")
def near_extremal(case: Case) -> Iterator[str]:
    """The median error of spins above 0.999 is more than a thousand times that of the others: the
    square-root behaviour at the extremal limit was not put in. Needs the two medians from a probe,
    or canonical scores with the parameter `spin` and three samples on either side. It can be wrong
    where the reference itself is poor there."""
    high, low = _extremal_medians(case)
    if high is not None and low is not None and high > _DEGRADES * low:
        yield f"median {shown(high)} above a = {_EXTREMAL}, {shown(low)} elsewhere"


def _extremal_medians(case: Case) -> tuple[float | None, float | None]:
    """Median errors of spins above 0.999 and of the others."""
    probed = (case.probes.median_near_extremal, case.probes.median_elsewhere)
    if None not in probed:
        return probed
    canonical = case.canonical
    spin = np.asarray(canonical.parameters.get("spin", ()) if canonical else ())
    scores = np.asarray(canonical.scores if canonical else ())
    if not len(spin) or len(spin) != len(scores):
        return None, None
    near, far = scores[spin > _EXTREMAL], scores[spin <= _EXTREMAL]
    if len(near) < _LEAST or len(far) < _LEAST:
        return None, None
    return float(np.median(near)), float(np.median(far))


@rule("E7", "oscillation", "strong")
def oscillation(case: Case) -> Iterator[str]:
    """Along the mass ratio the prediction bends back and forth more often than the reference does:
    a fit that rings between its training points. Needs a probe of the sign changes of the second
    difference. It can be wrong where noise of the size of the tolerance counts as bends: smooth it
    out in the probe."""
    turns, allowed = case.probes.turns, case.probes.turns_allowed
    if turns is not None and allowed is not None and turns > allowed:
        yield f"{turns} sign changes of the second difference, and the reference has {allowed}"


RULES = (
    phase_sign,
    phase_term,
    mass_ratio_convention,
    limit_failure,
    shape,
    near_extremal,
    oscillation,
)
