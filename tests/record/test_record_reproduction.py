"""R in exact fractions: from leaves to a total, and records that contradict themselves."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from referee.metric.rubric.totals import totals_of
from referee.record.reproduction import (
    CATEGORIES,
    LeafResult,
    ReplayResult,
    Reproduction,
    ReproductionScore,
)

SHARES = st.fractions(0, 1, max_denominator=60)


@st.composite
def leaf_results(draw):
    weights = draw(st.lists(st.integers(1, 50), min_size=1, max_size=8))
    leaves = []
    for number, weight in enumerate(weights):
        low, high = sorted((draw(SHARES), draw(SHARES)))
        known = draw(st.booleans())
        high = low if known else high
        leaves.append(
            LeafResult(
                id=f"L{number}",
                category=draw(st.sampled_from(CATEGORIES)),
                share=str(Fraction(weight, sum(weights))),
                by="code",
                score=str(low) if known else None,
                low=str(low),
                high=str(high),
                method="code" if known else "withheld",
                reason=None if known else "judge_unavailable",
            )
        )
    return tuple(leaves)


@settings(max_examples=30)
@given(leaf_results())
def test_parts_add_up_to_the_total_and_bounds_hold_every_outcome(leaves):
    total, parts = totals_of(leaves)
    assert sum(Fraction(part.low) for part in parts.values()) == Fraction(total.low)
    assert sum(Fraction(part.high) for part in parts.values()) == Fraction(total.high)
    assert sum(Fraction(part.possible) for part in parts.values()) == 1
    assert (total.score is None) == any(leaf.score is None for leaf in leaves)
    outcome = sum(Fraction(x.share) * (Fraction(x.low) + Fraction(x.high)) / 2 for x in leaves)
    assert Fraction(total.low) <= outcome <= Fraction(total.high)
    replay = ReplayResult(status="completed", delivery="delivered", exit_code=0)
    made = Reproduction(replay=replay, judge=None, leaves=leaves, total=total, parts=parts)
    assert {leaf.id for leaf in made.withheld} == {x.id for x in leaves if x.score is None}


@pytest.mark.parametrize(
    ("score", "low", "high", "complete"),
    [
        ("9/10", "9/10", "9/10", True),  # strictly above
        ("91/100", "91/100", "91/100", False),
        (None, "1/2", "1", False),  # open: both are possible
        ("1/2", "1/4", "1/2", False),
        (None, "3/4", "1/2", False),
        (None, "1/2", "3/2", None),
    ],
)
def test_a_total_that_contradicts_itself_is_refused(score, low, high, complete):
    with pytest.raises(ValidationError):
        ReproductionScore(score=score, low=low, high=high, complete=complete)


@pytest.mark.parametrize(
    ("low", "high", "complete"),
    [("9/10", "9/10", False), ("1/2", "1", None), ("91/100", "1", True), ("0", "9/10", False)],
)
def test_complete_is_strictly_above_nine_tenths(low, high, complete):
    score = low if low == high else None
    assert ReproductionScore(score=score, low=low, high=high, complete=complete)


def test_a_withheld_leaf_says_why():
    facts = {"id": "A", "category": "Modeling", "share": "1", "by": "judge", "method": "withheld"}
    with pytest.raises(ValidationError, match="says not why"):
        LeafResult(**facts, score=None, low="0", high="1")
