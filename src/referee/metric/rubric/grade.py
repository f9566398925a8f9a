"""What a task comes to: R = sum of share * score over the leaves, exact, with bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from referee.metric.rubric.graph import in_order
from referee.metric.rubric.leaf import (
    ONE,
    ZERO,
    Finding,
    LeafScore,
    Withheld,
    decided,
    open_between,
    score_leaf,
)
from referee.metric.rubric.schema import Root
from referee.metric.rubric.tree import Leaf, Rubric
from referee.record.fault import Infrastructure
from referee.record.reproduction import CATEGORIES, complete_between


@dataclass(frozen=True, slots=True)
class Part:
    """The leaves of one category or section: their share of the whole, and what of it was earned,
    at least and at most."""

    possible: Fraction
    low: Fraction
    high: Fraction

    @property
    def score(self) -> Fraction | None:
        """Earned over possible; None while leaves are withheld, or if the part has no leaf."""
        return self.low / self.possible if self.possible and self.low == self.high else None


@dataclass(frozen=True)
class Grade:
    """The grade of one submission.

    `score` is R, or None while any leaf is withheld: then R lies in [low, high]. `gate_pass` says
    whether every gate leaf has the full score (None: no gate leaf, or not decided); a failed gate
    asks for a review of the evidence and changes no score.
    """

    score: Fraction | None
    low: Fraction
    high: Fraction
    leaves: Mapping[str, LeafScore]
    by_category: Mapping[str, Part]
    by_section: Mapping[str, Part]
    gate_pass: bool | None

    @property
    def complete(self) -> bool | None:
        """Whether R > 0.9; None if the bounds allow both."""
        return complete_between(self.low, self.high)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The leaves without a score, in the order of the rubric."""
        return tuple(name for name, leaf in self.leaves.items() if leaf.withheld)

    @property
    def evidence_review_required(self) -> bool:
        """Whether a gate leaf failed."""
        return self.gate_pass is False


def grade(
    rubric: Rubric,
    findings: Mapping[str, Finding],
    groups: Mapping[str, bool | Withheld] | None = None,
) -> Grade:
    """The grade from one finding for each leaf, and one answer for each evidence group.

    Raises:
        Infrastructure: `leaf_ids`, a leaf or group without a finding, or a finding without one.
    """
    _closed("leaf", rubric.by_id, findings)
    _closed("group", {group.id for group in rubric.root.groups}, groups or {})
    scores = _scores(rubric, findings, groups or {})
    leaves = {leaf.id: scores[leaf.id] for leaf in rubric.leaves}
    whole = part_of(rubric.leaves, leaves)
    sections = dict.fromkeys(leaf.section for leaf in rubric.leaves)
    return Grade(
        score=None if any(s.withheld for s in leaves.values()) else whole.low,
        low=whole.low,
        high=whole.high,
        leaves=leaves,
        by_category={
            c: part_of((x for x in rubric.leaves if x.category == c), leaves) for c in CATEGORIES
        },
        by_section={
            s: part_of((x for x in rubric.leaves if x.section == s), leaves) for s in sections
        },
        gate_pass=_gate([scores[x.id] for x in rubric.leaves if x.node.gate]),
    )


def part_of(leaves: Iterable[Leaf], scores: Mapping[str, LeafScore]) -> Part:
    """What some leaves of a rubric come to."""
    chosen = list(leaves)
    return Part(
        possible=sum((leaf.share for leaf in chosen), ZERO),
        low=sum((leaf.share * scores[leaf.id].low for leaf in chosen), ZERO),
        high=sum((leaf.share * scores[leaf.id].high for leaf in chosen), ZERO),
    )


def _scores(
    rubric: Rubric, findings: Mapping[str, Finding], groups: Mapping[str, bool | Withheld]
) -> dict[str, LeafScore]:
    scores: dict[str, LeafScore] = {}
    edges = _requirements(rubric)
    for name in in_order(edges):
        required = [scores[need] for need in edges[name]]
        if name in groups:
            scores[name] = _group_score(groups[name], required)
        else:
            scores[name] = score_leaf(rubric.by_id[name].node, findings[name], required)
    return scores


def _requirements(rubric: Rubric) -> dict[str, tuple[str, ...]]:
    root: Root = rubric.root
    needs = {group.id: group.requires for group in root.groups}
    return needs | {leaf.id: leaf.node.requires for leaf in rubric.leaves}


def _group_score(met: bool | Withheld, required: list[LeafScore]) -> LeafScore:
    if met is False or any(need.high < 1 for need in required):
        return decided(ZERO, "code", "group_not_met")
    if isinstance(met, Withheld):
        return open_between(ZERO, ONE, met.reason)
    if any(need.withheld for need in required):
        return open_between(ZERO, ONE, "requirement_withheld")
    return decided(ONE, "code")


def _gate(scores: list[LeafScore]) -> bool | None:
    if any(score.high < 1 for score in scores):
        return False
    return None if not scores or any(score.withheld for score in scores) else True


def _closed(what: str, planned: Iterable[str], given: Iterable[str]) -> None:
    missing, extra = sorted(set(planned) - set(given)), sorted(set(given) - set(planned))
    if missing or extra:
        told = f"no finding for {missing[0]}" if missing else f"a finding for {extra[0]}"
        raise Infrastructure("leaf_ids", f"{told}: the rubric's {what} ids are locked")
