"""How far a judge can be relied on: its verdicts beside a known truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """One leaf with known truth and what the judge said in each repeat; None where it withheld."""

    category: str
    truth: bool
    said: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class Reliability:
    """Rates in [0, 1]; None where there is nothing to divide by. Of what was `asked`, `verdicts`
    came; those that are withheld count in `error_rate` alone. `flip_rate` is the part of leaves, of
    those with two verdicts or more, on which repeats differ. Precision, recall and F1 are those of
    the verdict 1."""

    asked: int
    verdicts: int
    accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    flip_rate: float | None
    error_rate: float | None


def reliability(leaves: Iterable[Judged]) -> Reliability:
    """Rates over all repeats of all leaves."""
    leaves = tuple(leaves)
    pairs = [(leaf.truth, said) for leaf in leaves for said in leaf.said]
    known = [(truth, said) for truth, said in pairs if said is not None]
    both = sum(truth and bool(said) for truth, said in known)
    claimed, true = sum(bool(said) for _, said in known), sum(truth for truth, _ in known)
    again = [kept for leaf in leaves if len(kept := _decided(leaf.said)) > 1]
    return Reliability(
        asked=len(pairs),
        verdicts=len(known),
        accuracy=_rate(sum(truth == said for truth, said in known), len(known)),
        precision=_rate(both, claimed),
        recall=_rate(both, true),
        f1=_rate(2 * both, claimed + true),
        flip_rate=_rate(sum(len(set(kept)) > 1 for kept in again), len(again)),
        error_rate=_rate(len(pairs) - len(known), len(pairs)),
    )


def by_category(leaves: Iterable[Judged]) -> dict[str, Reliability]:
    """The same for each category."""
    leaves = tuple(leaves)
    names = sorted({leaf.category for leaf in leaves})
    return {name: reliability(one for one in leaves if one.category == name) for name in names}


def macro_f1(categories: Mapping[str, Reliability]) -> float | None:
    """Mean of the F1 of the categories that have one, each as heavy as the others."""
    known = [one.f1 for one in categories.values() if one.f1 is not None]
    return sum(known) / len(known) if known else None


def _decided(said: Sequence[bool | None]) -> list[bool]:
    return [one for one in said if one is not None]


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
