"""Stage D, evaluation: was the loss computed as the task says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from referee.diagnose.alternatives import DIFFERS, RECOGNISED, aggregate, relative
from referee.diagnose.case import Case
from referee.diagnose.integrity import equal_components, partial_evidence, substitutes
from referee.diagnose.readings import errors, listed, shown
from referee.diagnose.rules import Hit, rule, surrogate_task
from referee.diagnose.units import unit_fault

_LEAK = 10.0
_TRIES = 20
_SENTINEL_PART = 0.1
_SENTINEL_ROWS = 3
_INTERPOLANT = re.compile(r"\b(?:interp\w*|\w*spline\w*|knn\w*|nearest|rbf\w*|kernel|krr|gpr?)\b")
_SUBSET = re.compile(r"subset|partial", re.IGNORECASE)


@rule("D1", "partial_validation", "certain")
def partial_validation(case: Case) -> Iterator[Hit]:
    """The loss rests on a part of the validation set, or on another set (see rule I1). A key of an
    older loss that names a subset shows that it once did: that is indicative, since the present
    loss may be whole. It can be wrong as rule I1 can."""
    if found := partial_evidence(case):
        yield Hit("; ".join(found))
    best = case.work.best
    for key in [k for k in (best.earlier if best else {}) if _SUBSET.search(k)]:
        yield Hit(f"an earlier loss was on a subset: {key}", "indicative")


@rule("D2", "metric_substitution", "certain")
def metric_substituted(case: Case) -> Iterator[Hit]:
    """The loss is another aggregate than the task's (see rule I2, whose evidence this is, and which
    says how it can be wrong). Needs the canonical value or per-sample errors."""
    for hit in substitutes(case):
        yield Hit(hit.evidence, hit.confidence)


@rule("D3", "missing_loss_components", "certain", applies=lambda task: bool(task.components))
def missing_loss_components(case: Case) -> Iterator[str]:
    """The best approach lacks loss components that the scorecard must have. It can be wrong where
    they stand under other names."""
    best = case.work.best
    if best is None:
        return
    if missing := [c for c in case.task.components if c not in best.components]:
        yield f"{best.name} lacks {listed(missing)}"


@rule("D4", "identical_components", "strong", applies=lambda task: len(task.components) > 1)
def identical_components(case: Case) -> Iterator[str]:
    """Loss components of the best approach are equal to the last bit, though each is a measurement
    of its own. It can be wrong where components were filled in from the loss afterwards, as some
    agents did, and where two are exactly zero or one by nature."""
    best = case.work.best
    if best is not None and (same := equal_components(best.components)):
        yield f"{listed(same)} are {shown(best.components[same[0]])}"


@rule("D5", "claim_differs_from_canonical", "certain")
def claim_differs(case: Case) -> Iterator[str]:
    """The claimed loss is off the canonical value by more than 2 %. Needs the canonical value. It
    can be wrong if the artifact needs a package that the canonical run lacked and then failed on
    some samples."""
    best = case.work.best
    if best is None or best.loss is None or case.canonical is None:
        return
    off = relative(best.loss, case.canonical.loss)
    if off > DIFFERS:
        yield (
            f"claimed {shown(best.loss)}, canonical {shown(case.canonical.loss)}: "
            f"off by {100 * off:.3g} %"
        )


@rule("D6", "per_sample_inconsistent", "strong", applies=lambda task: task.aggregate is not None)
def per_sample_inconsistent(case: Case) -> Iterator[str]:
    """Per-sample errors of an approach do not give its loss to 1e-6, or the components of the best
    one do not average to its loss where the loss is their mean. It can be wrong where errors and
    loss were computed on different sets, which rule D1 tells."""
    how = case.task.aggregate
    wrong = []
    for a in case.work.approaches:
        given = case.work.errors_of(a.name)
        if how is None or a.loss is None or given is None or not given.present:
            continue
        value = aggregate(given.present, how)
        if relative(a.loss, value) > RECOGNISED:
            wrong.append(f"{a.name} (loss {shown(a.loss)}, from errors {shown(value)})")
    if wrong:
        yield f"{len(wrong)} of {len(case.work.approaches)} approaches: {listed(wrong, 3)}"
    best, names = case.work.best, case.task.components
    if (
        best is None
        or best.loss is None
        or len(names) < 2
        or not set(names) <= set(best.components)
    ):
        return
    mean = aggregate([best.components[n] for n in names], "mean")
    if relative(best.loss, mean) > RECOGNISED:
        yield f"the components average to {shown(mean)} and the loss is {shown(best.loss)}"


@rule("D7", "resampled_reference", "certain")
def resampled_reference(case: Case) -> Iterator[str]:
    """The model was scored on a grid of its own instead of the reference's: cut or coarser series
    change a mismatch by a factor of two. Needs a probe. It can be wrong if the task leaves the grid
    to the agent."""
    if case.probes.native_grid is False:
        yield "the grid is not the reference's own"


@rule("D8", "train_val_leak", "strong")
def train_val_leak(case: Case) -> Iterator[Hit]:
    """Validation samples are among the training data (certain, from a probe), or a validation loss
    is less than a tenth of the training loss of a method that does not pass through its training
    points. It can be wrong where training and validation losses are different quantities."""
    shared = case.probes.shared_samples
    if shared:
        yield Hit(f"{shared} validation samples are in the training data", "certain")
    for a in case.work.approaches:
        if a.loss is None or a.train_loss is None or _INTERPOLANT.search(a.words.replace("_", " ")):
            continue
        if 0 <= a.loss < a.train_loss / _LEAK:
            yield Hit(f"{a.name}: validation {shown(a.loss)}, training {shown(a.train_loss)}")


@rule("D9", "tuned_on_validation", "indicative", applies=surrogate_task)
def tuned_on_validation(case: Case) -> Iterator[str]:
    """The best of more than twenty tries was chosen by its validation loss, which is then too low
    by some part of the spread. The protocol invites it: it is a remark, not a fault. It can be
    wrong to call it tuning where tries were few per method."""
    n = len(case.work.losses)
    if case.work.best is not None and n > _TRIES:
        yield f"the best of {n} by validation loss"


@rule("D10", "unit_scale", "certain")
def unit_scale(case: Case) -> Iterator[str]:
    """Per-sample errors are signed, squared, not normalised, or in natural where decimal logarithms
    are asked for. Signs show by themselves; the others need canonical scores. It can be wrong for
    round-off below zero of an exact model."""
    if (fault := unit_fault(case)) is not None:
        yield fault


@rule("D11", "sentinel_losses", "strong", applies=lambda task: task.sentinel is not None)
def sentinel_losses(case: Case) -> Iterator[str]:
    """At least a tenth of the best approach's errors, or at least three losses, are exactly the
    score of a sample that failed: the evaluation failed, and was counted as a poor fit. It can be
    wrong where a model is honestly orthogonal to the reference to the last bit, which is rare."""
    given, worst = errors(case), case.task.sentinel
    if given is not None and given.present:
        n = sum(v == worst for v in given.present)
        if n >= _SENTINEL_PART * len(given.present):
            yield f"{n} of {len(given.present)} errors are exactly {worst:g}"
    rows = sum(v == worst for v in case.work.losses)
    if rows >= _SENTINEL_ROWS:
        yield f"{rows} of {len(case.work.losses)} losses are exactly {worst:g}"


RULES = (
    partial_validation,
    metric_substituted,
    missing_loss_components,
    identical_components,
    claim_differs,
    per_sample_inconsistent,
    resampled_reference,
    train_val_leak,
    tuned_on_validation,
    unit_scale,
    sentinel_losses,
)
