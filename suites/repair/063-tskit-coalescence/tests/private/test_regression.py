# referee-canary 063 fc078153-144f-4ded-9496-57eec80d2d80
"""What is right today and stays right."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract

COUNTS, RATES, QUANTILES = (f"pair_coalescence_{n}" for n in ("counts", "rates", "quantiles"))


@contract("regression")
def test_archives_without_holes(candidate, own, rng):
    for kinds in ("t", "ttf", "ftft", "tttttt"):
        genealogy = own.random_genealogy(rng, kinds=kinds)
        sets, indexes = [[0, 1, 2], [3, 4]], [(0, 0), (0, 1), (1, 1)]
        # Windows that end with the trees, so that every window's last age group has its events.
        windows = np.array(genealogy.breaks(), dtype=float)
        ages = own.random_ages(genealogy, rng)
        shared = {"windows": windows, "sample_sets": sets, "indexes": indexes}
        asked = [
            (COUNTS, shared),
            (COUNTS, {**shared, "time_windows": ages, "pair_normalise": True}),
            (RATES, {**shared, "time_windows": ages}),
        ]
        expected = [
            own.counts(genealogy, windows, sets, indexes),
            own.counts(genealogy, windows, sets, indexes, ages=ages, pair=True),
            own.rates(genealogy, windows, sets, indexes, ages),
        ]
        for seen, right in zip(candidate(own.evaluate, genealogy.tables(), asked), expected):
            own.assert_same(seen, right)


@contract("regression")
def test_the_quantile_one_is_the_last_event(candidate, own, rng):
    genealogy = own.random_genealogy(rng, kinds="tt")
    last = max(t for _, _, p in genealogy.stretches for t in (genealogy.times[u] for u in p.values()))
    asked = [(QUANTILES, {"quantiles": np.array([0.0, 1.0])})]
    (seen,) = candidate(own.evaluate, genealogy.tables(), asked)
    sets = [list(range(genealogy.samples))]
    window = np.array([0.0, genealogy.length])
    ages, weights = own.distributions(genealogy, window, sets, [(0, 0)])
    own.assert_same(seen, [ages[weights[0, 0] > 0][0], last])


@contract("regression")
def test_counts_that_are_not_span_normalised(candidate, own, rng):
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 7))
        windows = own.random_windows(genealogy, rng, 6)
        sets, indexes = [[0, 1, 2], [3, 4]], [(0, 0), (0, 1), (1, 1)]
        shared = {
            "windows": windows,
            "sample_sets": sets,
            "indexes": indexes,
            "span_normalise": False,
        }
        asked = [(COUNTS, shared), (COUNTS, {**shared, "pair_normalise": True})]
        plain, fractions = candidate(own.evaluate, genealogy.tables(), asked)
        own.assert_same(plain, own.raw_counts(genealogy, windows, sets, indexes))
        own.assert_same(fractions, own.counts(genealogy, windows, sets, indexes, span=False, pair=True))


@contract("regression")
def test_diversity_is_per_unit_of_the_window(candidate, own, rng):
    # The branch distance of a pair is twice the age of its ancestor; holes add nothing to it.
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 6, letters="to"))
        windows = own.random_windows(genealogy, rng, 4)
        sets = [list(range(genealogy.samples))]
        raw = own.raw_counts(genealogy, windows, sets, [(0, 0)])[:, 0]
        total = 2 * (raw * np.array(genealogy.times)).sum(axis=1)
        pairs = genealogy.samples * (genealogy.samples - 1) / 2
        asked = [
            ("diversity", {"mode": "branch", "windows": windows}),
            ("diversity", {"mode": "branch", "windows": windows, "span_normalise": False}),
        ]
        mean, plain = candidate(own.evaluate, genealogy.tables(), asked)
        own.assert_same(plain, total / pairs)
        own.assert_same(mean, total / pairs / np.diff(windows))


@contract("regression")
def test_bad_input_is_still_refused(candidate, own, rng):
    genealogy = own.random_genealogy(rng, kinds="tot", samples=6)
    end = genealogy.length
    bad = [
        (COUNTS, {"windows": np.array([0.0, end / 2])}),
        (COUNTS, {"windows": np.array([0.0, end, end])}),
        (COUNTS, {"sample_sets": [[0, 99]]}),
        (COUNTS, {"sample_sets": [[0, 1], [2], [3]]}),
        (QUANTILES, {"quantiles": np.array([0.5, 0.2])}),
        (QUANTILES, {"quantiles": np.array([0.5, 1.2])}),
        (RATES, {"time_windows": np.array([0.0, 2.0, 1.0, np.inf])}),
        (RATES, {"time_windows": np.array([0.0, 1.0])}),
        (RATES, {"time_windows": np.array([0.5, np.inf])}),
    ]
    for request in bad:
        with pytest.raises(CandidateError):
            candidate(own.evaluate, genealogy.tables(), [request])
