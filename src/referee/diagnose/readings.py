"""Numbers that several rules read from a case: the claims, what they are compared with, errors."""

from __future__ import annotations

from dataclasses import dataclass

from referee.diagnose.alternatives import aggregate, alternatives_of_samples
from referee.diagnose.case import Case
from referee.diagnose.work import Approach, PerSample


@dataclass(frozen=True)
class Reference:
    """The value that a claim is compared with, and where it comes from."""

    value: float
    origin: str
    canonical: bool


def errors(case: Case) -> PerSample | None:
    """The validation errors of the best claim; of the only approach with errors if none is best."""
    work = case.work
    if work.best is not None:
        return work.best_errors
    found = [p for p in work.per_sample if p.split == "val"]
    return found[0] if len(found) == 1 else None


def best_row(case: Case) -> Approach | None:
    """The summary row of the best claim: of its name, and of its number if rows have one."""
    best = case.work.best
    if best is None:
        return None
    rows = [a for a in case.work.approaches if a.name == best.name]
    numbered = [a for a in rows if a.number is not None and a.number == best.number]
    return next(iter(numbered or rows), None)


def own_aggregate(case: Case, approach: str) -> Reference | None:
    """The canonical aggregate of the errors that the account itself gives for an approach."""
    given = case.work.errors_of(approach)
    if case.task.aggregate is None or given is None or not given.present:
        return None
    value = aggregate(given.present, case.task.aggregate)
    return Reference(value, f"its {len(given.present)} per-sample errors give", False)


def reference(case: Case) -> Reference | None:
    """The canonical loss if it is known, else the aggregate of the account's own errors."""
    if case.canonical is not None:
        return Reference(case.canonical.loss, "the canonical value is", True)
    best = case.work.best
    return own_aggregate(case, best.name) if best else None


def claims(case: Case) -> dict[str, float]:
    """All validation losses that the account gives for its best approach, by where they stand."""
    best, row = case.work.best, best_row(case)
    found: dict[str, float] = {}
    if best is not None and best.loss is not None:
        found["best model, loss"] = best.loss
    if best is not None:
        kept = {k: v for k, v in best.earlier.items() if not k.startswith("loss_proxy")}
        found |= {f"best model, {key}": value for key, value in kept.items()}
    if row is not None and row.loss is not None and row.loss not in found.values():
        found["summary row"] = row.loss
    return found


def alternatives(case: Case) -> dict[str, float]:
    """The catalogue to recognise claims in: the trusted side's, and that of per-sample errors."""
    how = case.task.aggregate
    given = errors(case)
    own = given.present if given else ()
    scores = case.canonical.scores if case.canonical else ()
    found: dict[str, float] = {}
    if how is not None and (scores or own):
        found |= alternatives_of_samples(scores or own, how)
    return found | (case.canonical.alternatives if case.canonical else {})


def spread(case: Case) -> tuple[float, float] | None:
    """The least and greatest error of the best claim, or None."""
    given = errors(case)
    return (min(given.present), max(given.present)) if given and given.present else None


def not_sentinel(case: Case, values: tuple[float, ...]) -> tuple[float, ...]:
    """The values that are not the score of a failed sample: a shared failure is no copy."""
    return tuple(v for v in values if v != case.task.sentinel)


def shown(value: float) -> str:
    """A number for evidence: six digits."""
    return f"{value:.6g}"


def listed(names: list[str] | tuple[str, ...], limit: int = 4) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
