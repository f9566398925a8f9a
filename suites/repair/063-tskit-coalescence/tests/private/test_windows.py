# referee-canary 063 fc078153-144f-4ded-9496-57eec80d2d80
"""Holes and windows in every position, against the definitions worked out pair by pair."""

import numpy as np

from referee.wall import contract

COUNTS, RATES, QUANTILES = (f"pair_coalescence_{n}" for n in ("counts", "rates", "quantiles"))


def compare(candidate, own, rng, genealogy, windows, sets=None, indexes=((0, 0),), what="crq"):
    """Profiles of `genealogy` in `windows` are those of the definitions."""
    sets = sets or [list(range(genealogy.samples))]
    indexes = list(indexes)
    ages = own.random_ages(genealogy, rng)
    wanted = own.safe_quantiles(genealogy, windows, sets, indexes, rng)
    shared = {"windows": windows, "sample_sets": sets, "indexes": indexes}
    asked, expected = [], []
    if "c" in what:
        for pair in (False, True):
            asked.append((COUNTS, {**shared, "pair_normalise": pair}))
            expected.append(own.counts(genealogy, windows, sets, indexes, pair=pair))
            asked.append((COUNTS, {**shared, "pair_normalise": pair, "time_windows": ages}))
            expected.append(own.counts(genealogy, windows, sets, indexes, ages=ages, pair=pair))
    if "r" in what:
        asked.append((RATES, {**shared, "time_windows": ages}))
        expected.append(own.rates(genealogy, windows, sets, indexes, ages))
    if "q" in what:
        asked.append((QUANTILES, {**shared, "quantiles": wanted}))
        expected.append(own.quantiles(genealogy, windows, sets, indexes, wanted))
    for seen, right in zip(candidate(own.evaluate, genealogy.tables(), asked), expected):
        own.assert_same(seen, right)


@contract("coverage")
def test_counts_of_the_whole_genome(candidate, own, rng):
    for _ in range(4):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 6))
        compare(candidate, own, rng, genealogy, np.array([0.0, genealogy.length]), what="c")


@contract("coverage")
def test_rates_and_quantiles_of_the_whole_genome(candidate, own, rng):
    for _ in range(4):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 6))
        compare(candidate, own, rng, genealogy, np.array([0.0, genealogy.length]), what="rq")


@contract("coverage")
def test_holes_at_the_start_in_the_middle_and_at_the_end(candidate, own, rng):
    for kinds in ("ot", "tot", "to", "oto", "totoft", "fo", "ofoto"):
        genealogy = own.random_genealogy(rng, kinds=kinds)
        compare(candidate, own, rng, genealogy, np.array([0.0, genealogy.length]))


@contract("coverage")
def test_windows_that_end_where_holes_end(candidate, own, rng):
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 7))
        breaks = genealogy.breaks()
        inner = [b for b in breaks[1:-1] if rng.random() < 0.7]
        compare(candidate, own, rng, genealogy, np.array([0.0, *inner, breaks[-1]], dtype=float))


@contract("exploration")
def test_windows_that_end_inside_holes(candidate, own, rng):
    for kinds in ("tototo", own.random_kinds(rng, 6), own.random_kinds(rng, 6, letters="tof")):
        genealogy = own.random_genealogy(rng, kinds=kinds)
        compare(candidate, own, rng, genealogy, own.windows_in_holes(genealogy, rng))


@contract("exploration")
def test_many_windows_in_one_hole_and_many_holes_in_one_window(candidate, own, rng):
    genealogy = own.random_genealogy(rng, kinds="tototototf", longest=12)
    compare(candidate, own, rng, genealogy, np.array([0.0, 1.0, genealogy.length]))
    genealogy = own.random_genealogy(rng, kinds="tot", longest=12)
    grid = np.arange(0.0, genealogy.length + 1)
    compare(candidate, own, rng, genealogy, grid)


@contract("exploration")
def test_windows_anywhere(candidate, own, rng):
    for count in (1, 3, 8, 20):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 7))
        compare(candidate, own, rng, genealogy, own.random_windows(genealogy, rng, count))


@contract("exploration")
def test_pairs_times_length_add_up_over_windows(candidate, own, rng):
    # Normalised counts times covered spans are additive, so finer windows must give the whole.
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 8))
        fine = own.random_windows(genealogy, rng, 9)
        whole = np.array([0.0, genealogy.length])
        asked = [(COUNTS, {"windows": fine}), (COUNTS, {"windows": whole})]
        parts, total = candidate(own.evaluate, genealogy.tables(), asked)
        spans = own.covered_spans(genealogy, fine)
        own.assert_same(
            (parts * spans[:, None]).sum(axis=0), total[0] * own.covered_spans(genealogy, whole)
        )


@contract("generalization")
def test_pairs_within_and_between_sample_sets(candidate, own, rng):
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 6), samples=9)
        order = [int(u) for u in rng.permutation(9)]
        sets = [order[:3], order[3:5], order[5:8]]
        indexes = [(0, 0), (0, 1), (2, 1), (2, 2), (0, 2)]
        windows = own.random_windows(genealogy, rng, 5)
        compare(candidate, own, rng, genealogy, windows, sets, indexes)
