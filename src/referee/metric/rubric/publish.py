"""What must hold of a grade before its number is published, checked from plain data alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from referee.metric.rubric.exact import exact
from referee.metric.rubric.tree import Rubric

SHARE_RTOL = Fraction(1, 10**8)
TOTAL_ATOL = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class PublishedLeaf:
    """A leaf as it stands in a record: `score` is None while it is withheld."""

    id: str
    share: float
    score: float | None


def publication_problems(
    rubric: Rubric, leaves: Sequence[PublishedLeaf], total: float | None
) -> tuple[str, ...]:
    """Why a recorded grade may not be published; empty if it may.

    Every leaf must be there exactly once, with a finite score in [0, 1] that is no truth value and
    its share within 1e-8 of the rubric's, and the total within 1e-6 of the sum of share * score.
    """
    counts = Counter(leaf.id for leaf in leaves)
    found = [f"the leaf {leaf.id} is missing" for leaf in rubric.leaves if not counts[leaf.id]]
    found += [f"the leaf {name} is there {n} times" for name, n in counts.items() if n > 1]
    found += [f"{name} is no leaf of the rubric" for name in counts if name not in rubric.by_id]
    found += [told for leaf in leaves if (told := _leaf_problem(rubric, leaf))]
    return tuple(found) or _total_problem(rubric, leaves, total)


def _leaf_problem(rubric: Rubric, leaf: PublishedLeaf) -> str | None:
    if leaf.score is None:
        return f"the leaf {leaf.id} is withheld"
    if isinstance(leaf.score, bool) or not isfinite(leaf.score) or not 0 <= leaf.score <= 1:
        return f"the score {leaf.score!r} of {leaf.id} is not a number in 0 to 1"
    known = rubric.by_id.get(leaf.id)
    if known is None:
        return None
    near = isfinite(leaf.share) and abs(exact(leaf.share) - known.share) <= SHARE_RTOL * known.share
    return None if near else f"the share {leaf.share!r} of {leaf.id} is not the rubric's"


def _total_problem(
    rubric: Rubric, leaves: Sequence[PublishedLeaf], total: float | None
) -> tuple[str, ...]:
    if total is None or isinstance(total, bool) or not isfinite(total):
        return (f"the total {total!r} is not a finite number",)
    summed = sum((rubric.by_id[x.id].share * exact(x.score) for x in leaves), Fraction(0))
    if abs(exact(total) - summed) <= TOTAL_ATOL:
        return ()
    return (f"the total {total!r} is not the sum of the leaves, {float(summed):.9f}",)
