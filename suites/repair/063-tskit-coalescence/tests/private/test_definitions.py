# referee-canary 063 fc078153-144f-4ded-9496-57eec80d2d80
"""What the domain says: forests are genealogy, holes are not, and what is unknown is not a number."""

import numpy as np

from referee.wall import contract

COUNTS, RATES, QUANTILES = (f"pair_coalescence_{n}" for n in ("counts", "rates", "quantiles"))
AGES = np.array([0.0, 1.2, 2.0, np.inf])
TREE = {0: 4, 1: 4, 2: 5, 3: 5, 4: 6, 5: 6}
FOREST = {0: 4, 1: 4, 2: 5, 3: 5}
TIMES = (0.0, 0.0, 0.0, 0.0, 1.0, 1.5, 3.0)


@contract("knowledge")
def test_a_stretch_with_several_roots_counts_as_span(candidate, own, rng):
    # Of six pairs one coalesces at 1.0 and one at 1.5 everywhere, four at 3.0 in a fraction f only.
    for _ in range(4):
        tree, forest, hole = (int(x) for x in rng.integers(5, 200, size=3))
        f = tree / (tree + forest)
        genealogy = own.Genealogy(
            4,
            TIMES,
            (
                (0, tree, TREE),
                (tree, tree + hole, {}),
                (tree + hole, tree + hole + forest, FOREST),
            ),
        )
        asked = [
            (COUNTS, {"time_windows": AGES}),
            (COUNTS, {"time_windows": AGES, "pair_normalise": True}),
            (RATES, {"time_windows": AGES}),
            (QUANTILES, {"quantiles": np.array([0.1, 0.3, 0.333 + 0.6 * f])}),
        ]
        seen = candidate(own.evaluate, genealogy.tables(), asked)
        own.assert_same(seen[0], [1.0, 1.0, 4 * f])
        own.assert_same(seen[1], [1 / 6, 1 / 6, 4 * f / 6])
        own.assert_same(seen[2], [np.log(6 / 5) / 1.2, np.log(5 / 4) / 0.8, 1.0])
        own.assert_same(seen[3], [1.0, 1.5, 3.0])


@contract("knowledge")
def test_a_quantile_that_is_not_reached_is_not_a_number(candidate, own, rng):
    for _ in range(4):
        tree, forest, hole = (int(x) for x in rng.integers(5, 200, size=3))
        top = (2 + 4 * tree / (tree + forest)) / 6
        genealogy = own.Genealogy(
            4,
            TIMES,
            ((0, hole, {}), (hole, hole + tree, TREE), (hole + tree, hole + tree + forest, FOREST)),
        )
        wanted = np.array([0.05, top - 0.01, top + 0.01, (1 + top + 0.01) / 2])
        (seen,) = candidate(own.evaluate, genealogy.tables(), [(QUANTILES, {"quantiles": wanted})])
        own.assert_same(seen, [1.0, 3.0 if top - 0.01 > 2 / 6 else 1.5, np.nan, np.nan])


@contract("knowledge")
def test_a_window_without_genealogy_has_no_profile(candidate, own, rng):
    genealogy = own.random_genealogy(rng, kinds="otoototo")
    borders = sorted(set(genealogy.breaks()))
    windows = np.array([float(x) for x in borders])
    ages = own.random_ages(genealogy, rng)
    sets = [list(range(genealogy.samples))]
    shared = {"windows": windows, "indexes": [(0, 0)], "sample_sets": sets}
    wanted = own.safe_quantiles(genealogy, windows, sets, [(0, 0)], rng)
    asked = [
        (COUNTS, {**shared, "time_windows": ages}),
        (COUNTS, {**shared, "pair_normalise": True}),
        (RATES, {**shared, "time_windows": ages}),
        (QUANTILES, {**shared, "quantiles": wanted}),
    ]
    counts, fractions, rates, quantiles = candidate(own.evaluate, genealogy.tables(), asked)
    empty = own.covered_spans(genealogy, windows) == 0
    assert empty.sum() >= 3
    assert np.all(counts[empty] == 0)
    assert np.all(fractions[empty] == 0)
    assert np.isnan(rates[empty]).all()
    assert np.isnan(quantiles[empty]).all()
    own.assert_same(counts, own.counts(genealogy, windows, sets, [(0, 0)], ages=ages))
    own.assert_same(rates, own.rates(genealogy, windows, sets, [(0, 0)], ages))
    own.assert_same(quantiles, own.quantiles(genealogy, windows, sets, [(0, 0)], wanted))


@contract("knowledge")
def test_lineages_of_other_samples_are_genealogy_too(candidate, own, rng):
    # Samples 0 and 1 are joined in the first stretch; in the second an edge covers 2 and 3 alone.
    for _ in range(3):
        first, second, hole = (int(x) for x in rng.integers(5, 200, size=3))
        genealogy = own.Genealogy(
            4,
            TIMES,
            (
                (0, first, TREE),
                (first, first + second, {2: 5, 3: 5}),
                (first + second, first + second + hole, {}),
            ),
        )
        f = first / (first + second)
        sets = [[0, 1], [2, 3]]
        asked = [
            (COUNTS, {"sample_sets": sets[:1], "time_windows": AGES}),
            (COUNTS, {"sample_sets": sets, "time_windows": AGES}),
            (QUANTILES, {"sample_sets": sets[:1], "quantiles": np.array([f / 2, (1 + f) / 2])}),
            (RATES, {"sample_sets": sets, "indexes": [(1, 1)], "time_windows": AGES}),
        ]
        within, between, quantiles, rates = candidate(own.evaluate, genealogy.tables(), asked)
        own.assert_same(within, [f, 0.0, 0.0])
        own.assert_same(between, [0.0, 0.0, 4 * f])
        own.assert_same(quantiles, [1.0, np.nan])
        own.assert_same(rates, [[0.0, 1 / (1.5 - 1.2), np.nan]])


@contract("knowledge")
def test_a_single_lineage_is_genealogy_on_both_sides_of_a_border(candidate, own, rng):
    # Between two trees sample 0 alone has an ancestor, and a window ends there.
    for _ in range(3):
        first, lone, second = (int(x) for x in rng.integers(6, 200, size=3))
        border, end = first + lone // 2, first + lone + second
        genealogy = own.Genealogy(
            4,
            TIMES,
            ((0, first, TREE), (first, first + lone, {0: 4}), (first + lone, end, TREE)),
        )
        windows = np.array([0.0, border, end])
        asked = [(COUNTS, {"windows": windows, "time_windows": AGES})]
        (seen,) = candidate(own.evaluate, genealogy.tables(), asked)
        parts = np.array([first / border, second / (end - border)])
        own.assert_same(seen, np.outer(parts, [1.0, 1.0, 4.0]))


@contract("knowledge")
def test_an_archive_without_any_edge_is_one_hole(candidate, own):
    genealogy = own.Genealogy(4, TIMES, ((0, 50, {}),))
    windows = np.array([0.0, 20.0, 50.0])
    asked = [
        (COUNTS, {"windows": windows}),
        (COUNTS, {"time_windows": AGES, "pair_normalise": True}),
        (RATES, {"windows": windows, "time_windows": AGES}),
        (QUANTILES, {"windows": windows, "quantiles": np.array([0.1, 0.5, 0.9])}),
    ]
    seen = candidate(own.evaluate, genealogy.tables(), asked)
    own.assert_same(seen[0], np.zeros((2, 7)))
    own.assert_same(seen[1], np.zeros(3))
    own.assert_same(seen[2], np.full((2, 3), np.nan))
    own.assert_same(seen[3], np.full((2, 3), np.nan))
