"""Several comparisons: adjusted p-values equal to published ones and to statsmodels."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_oracles import ORACLES, about
from statsmodels.stats.multitest import multipletests

from referee.stats.multiple import benjamini_hochberg, benjamini_yekutieli, holm

FUNCTIONS = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "benjamini_yekutieli": benjamini_yekutieli,
}
IN_STATSMODELS = {
    "holm": "holm",
    "benjamini_hochberg": "fdr_bh",
    "benjamini_yekutieli": "fdr_by",
}
PVALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20)


@pytest.mark.parametrize("case", ORACLES["adjusted"], ids=lambda case: case["name"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_adjusted_values_of_the_oracles(case, name):
    found = FUNCTIONS[name](case["pvalues"])
    if name in case:
        assert list(found.adjusted) == about(case[name])
    if name == "benjamini_hochberg" and "rejected" in case:
        assert list(found.rejected) == case["rejected"]
    assert (found.n, found.pvalues) == (len(case["pvalues"]), tuple(case["pvalues"]))


@pytest.mark.parametrize("name", FUNCTIONS)
@given(PVALUES)
def test_equal_to_statsmodels(name, pvalues):
    found = FUNCTIONS[name](pvalues)
    rejected, adjusted, _, _ = multipletests(pvalues, 0.05, method=IN_STATSMODELS[name])
    assert list(found.adjusted) == pytest.approx(adjusted.tolist(), rel=1e-9, abs=1e-12)
    sure = [abs(value - 0.05) > 1e-9 for value in found.adjusted]
    assert [r for r, s in zip(found.rejected, sure, strict=True) if s] == [
        bool(r) for r, s in zip(rejected, sure, strict=True) if s
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
@given(PVALUES, st.randoms())
def test_never_lower_bounded_monotone_and_the_same_in_any_order(
    name, pvalues, chance: random.Random
):
    found = FUNCTIONS[name](pvalues)
    rows = sorted(zip(found.pvalues, found.adjusted, strict=True))
    assert all(p * (1 - 1e-12) <= q <= 1.0 for p, q in rows)
    assert all(a[1] <= b[1] * (1 + 1e-12) for a, b in pairwise(rows))
    order = chance.sample(range(len(pvalues)), len(pvalues))
    shuffled = FUNCTIONS[name]([pvalues[place] for place in order])
    assert shuffled.adjusted == tuple(found.adjusted[place] for place in order)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("pvalues", "alpha", "words"),
    [
        ([], 0.05, "at least 1 number"),
        ([0.1, 1.1], 0.05, r"pvalues\[1\] must lie between 0 and 1"),
        ([-0.1], 0.05, r"pvalues\[0\] must lie between 0 and 1"),
        ([float("nan")], 0.05, r"pvalues\[0\] must be finite"),
        ([0.1], 1.0, "alpha must lie between 0 and 1"),
    ],
)
def test_bad_input_is_refused(name, pvalues, alpha, words):
    with pytest.raises(ValueError, match=words):
        FUNCTIONS[name](pvalues, alpha=alpha)
