"""Public checks: one genealogy with and without an empty end."""

import numpy as np

from referee.wall import contract, probe


@probe
def profile(covered, empty):
    import numpy as np
    import tskit

    tables = tskit.TableCollection(covered + empty)
    for time in (0, 0, 0, 0, 1.0, 1.5, 3.0):
        tables.nodes.add_row(flags=tskit.NODE_IS_SAMPLE if time == 0 else 0, time=time)
    for parent, child in ((4, 0), (4, 1), (5, 2), (5, 3), (6, 4), (6, 5)):
        tables.edges.add_row(0, covered, parent, child)
    tables.sort()
    ts = tables.tree_sequence()
    windows = np.array([0.0, 1.2, 2.0, np.inf])
    return (
        ts.pair_coalescence_counts(time_windows=windows),
        ts.pair_coalescence_rates(windows),
        ts.pair_coalescence_quantiles(np.array([0.1, 0.9])),
    )


@contract("knowledge")
def test_counts_do_not_know_the_empty_end(candidate):
    for empty in (15.0, 200.0):
        counts, _rates, _quantiles = candidate(profile, 60.0, empty)
        np.testing.assert_allclose(counts, [1.0, 1.0, 4.0], rtol=1e-12)


@contract("knowledge")
def test_rates_and_quantiles_do_not_know_the_empty_end(candidate):
    for empty in (15.0, 200.0):
        _counts, rates, quantiles = candidate(profile, 60.0, empty)
        expected = [np.log(6 / 5) / 1.2, np.log(5 / 4) / 0.8, 1.0]
        np.testing.assert_allclose(rates, expected, rtol=1e-12)
        np.testing.assert_allclose(quantiles, [1.0, 3.0], rtol=1e-12)


@contract("regression")
def test_a_full_archive_keeps_its_profile(candidate):
    counts, rates, quantiles = candidate(profile, 60.0, 0.0)
    np.testing.assert_allclose(counts, [1.0, 1.0, 4.0], rtol=1e-12)
    np.testing.assert_allclose(rates, [np.log(6 / 5) / 1.2, np.log(5 / 4) / 0.8, 1.0], rtol=1e-12)
    np.testing.assert_allclose(quantiles, [1.0, 3.0], rtol=1e-12)
