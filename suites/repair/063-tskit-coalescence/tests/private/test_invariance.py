# referee-canary 063 fc078153-144f-4ded-9496-57eec80d2d80
"""What must not change a profile: curation, direction and scale of the genome."""

import numpy as np

from referee.wall import contract, probe

COUNTS, RATES, QUANTILES = (f"pair_coalescence_{n}" for n in ("counts", "rates", "quantiles"))


def profile(own, genealogy, windows, ages, wanted):
    """What is asked of one archive, for all samples and between two halves."""
    half = genealogy.samples // 2
    sets = [list(range(half)), list(range(half, genealogy.samples))]
    shared = [{"windows": windows}, {"windows": windows, "sample_sets": sets}]
    return [
        *((COUNTS, {**s, "time_windows": ages}) for s in shared),
        *((RATES, {**s, "time_windows": ages}) for s in shared),
        *((QUANTILES, {**s, "quantiles": wanted}) for s in shared),
    ]


def steps_avoided(own, genealogy, windows, rng):
    half = genealogy.samples // 2
    sets = [
        list(range(half)),
        list(range(half, genealogy.samples)),
        list(range(genealogy.samples)),
    ]
    return own.safe_quantiles(genealogy, windows, sets, [(0, 1), (2, 2)], rng)


@contract("generalization")
def test_holes_may_be_closed(candidate, own, rng):
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 7))
        closed, place = own.without_holes(genealogy)
        windows = own.random_windows(genealogy, rng, 5)
        images = place(windows)
        keep = np.concatenate([[True], np.diff(images) > 0])
        full = own.covered_spans(genealogy, windows) > 0
        ages = own.random_ages(genealogy, rng)
        wanted = steps_avoided(own, genealogy, windows, rng)
        opened = candidate(
            own.evaluate, genealogy.tables(), profile(own, genealogy, windows, ages, wanted)
        )
        shut = candidate(
            own.evaluate, closed.tables(), profile(own, closed, images[keep], ages, wanted)
        )
        for before, after in zip(opened, shut):
            own.assert_same(before[full], after)


@contract("generalization")
def test_the_direction_of_the_genome_does_not_matter(candidate, own, rng):
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds=own.random_kinds(rng, 7))
        turned = own.reversed_genome(genealogy)
        windows = own.random_windows(genealogy, rng, 5)
        back = (genealogy.length - windows)[::-1]
        ages = own.random_ages(genealogy, rng)
        wanted = steps_avoided(own, genealogy, windows, rng)
        one = candidate(
            own.evaluate, genealogy.tables(), profile(own, genealogy, windows, ages, wanted)
        )
        other = candidate(own.evaluate, turned.tables(), profile(own, turned, back, ages, wanted))
        for before, after in zip(one, other):
            own.assert_same(before, after[::-1])
        whole = own.counts(genealogy, windows, [list(range(genealogy.samples))], [(0, 0)], ages=ages)
        own.assert_same(one[0], whole[:, 0])


@probe
def curated(columns, holes, ages, wanted):
    """Profiles of an archive after the candidate's own tools have cut `holes` out of it."""
    import numpy as np
    import tskit

    tables = tskit.TableCollection(columns["length"])
    for u, time in enumerate(columns["times"]):
        flags = tskit.NODE_IS_SAMPLE if u < columns["samples"] else 0
        tables.nodes.add_row(flags=flags, time=time)
    tables.edges.set_columns(
        left=columns["left"],
        right=columns["right"],
        parent=columns["parent"],
        child=columns["child"],
    )
    tables.sort()
    whole = tables.tree_sequence()
    cut = whole.delete_intervals(holes, simplify=False, record_provenance=False)
    versions = [
        cut,
        cut.ltrim(record_provenance=False),
        cut.rtrim(record_provenance=False),
        cut.trim(record_provenance=False),
        cut.simplify(filter_nodes=False, record_provenance=False),
    ]
    moved = cut.dump_tables()
    moved.sequence_length += 9.0
    moved.edges.left, moved.edges.right = moved.edges.left + 7.0, moved.edges.right + 7.0
    versions.append(moved.tree_sequence())
    return [
        [
            np.array(ts.pair_coalescence_counts(time_windows=ages)),
            np.array(ts.pair_coalescence_rates(ages)),
            np.array(ts.pair_coalescence_quantiles(wanted)),
        ]
        for ts in versions
    ]


@contract("generalization")
def test_cutting_trimming_and_shifting_keep_the_profile(candidate, own, rng):
    for _ in range(3):
        genealogy = own.random_genealogy(rng, kinds="ttfttt")
        end = int(genealogy.length)
        a, b, c = sorted(int(x) for x in rng.choice(np.arange(4, end - 4), size=3, replace=False))
        holes = [(0, 3), (a, b), (max(c, b + 1), end)] if b + 1 < end else [(0, 3), (a, b)]
        cut = []
        for left, right, parents in genealogy.stretches:
            knots = sorted({left, right, *(x for h in holes for x in h if left < x < right)})
            for start, stop in zip(knots, knots[1:]):
                gone = any(h[0] <= start and stop <= h[1] for h in holes)
                cut.append((start, stop, {} if gone else parents))
        rest = own.Genealogy(genealogy.samples, genealogy.times, tuple(cut))
        windows = np.array([0.0, rest.length])
        sets = [list(range(genealogy.samples))]
        ages = own.random_ages(genealogy, rng, count=2)
        wanted = own.safe_quantiles(rest, windows, sets, [(0, 0)], rng)
        expected = [
            own.counts(rest, windows, sets, [(0, 0)], ages=ages)[0, 0],
            own.rates(rest, windows, sets, [(0, 0)], ages)[0, 0],
            own.quantiles(rest, windows, sets, [(0, 0)], wanted)[0, 0],
        ]
        holes = np.array(holes, dtype=float)
        for version in candidate(curated, genealogy.tables(), holes, ages, wanted):
            for seen, right in zip(version, expected):
                own.assert_same(seen, right)


@probe
def real_numbers(length, holes, borders, shift, ages, wanted):
    """Profiles of one tree on a genome of real coordinates with holes, in windows `borders`."""
    import numpy as np
    import tskit

    tables = tskit.TableCollection(length)
    for time in (0, 0, 0, 0, 0, 1.0, 1.5, 3.0, 7.0):
        tables.nodes.add_row(flags=tskit.NODE_IS_SAMPLE if time == 0 else 0, time=time * shift)
    left = 0.0
    for start, stop in [*holes, (length, length)]:
        if start > left:
            for parent, child in ((5, 0), (5, 1), (6, 2), (6, 3), (7, 5), (7, 6), (8, 7), (8, 4)):
                tables.edges.add_row(left, start, parent, child)
        left = stop
    tables.sort()
    ts = tables.tree_sequence()
    return (
        np.array(ts.pair_coalescence_counts(windows=borders, time_windows=ages)),
        np.array(ts.pair_coalescence_rates(ages, windows=borders)),
        np.array(ts.pair_coalescence_quantiles(wanted, windows=borders)),
        np.array(ts.pair_coalescence_rates(np.array([0.0, np.inf]), windows=borders)),
    )


@contract("exploration")
def test_long_genomes_with_real_coordinates(candidate, own, rng):
    # One tree everywhere: each window with genealogy has the same profile, whatever its borders.
    # A pair's span in a window is a difference of numbers as large as the genome, so that up to
    # length / window * 2e-16 of it is rounding: 1e-7 leaves room for windows down to 1e-8 of it.
    for length in (1e8 / 3, 2.5e8 * np.pi, 1e5 / 7):
        cuts = np.sort(rng.uniform(0.02, 0.98, size=6)) * length
        holes = cuts.reshape(3, 2)
        inner = np.sort(rng.uniform(0.001, 0.999, size=60)) * length
        borders = np.array([0.0, *np.unique(np.concatenate([inner, holes[1]])), length])
        covered = np.diff(borders)
        for start, stop in holes:
            covered -= np.clip(np.minimum(borders[1:], stop) - np.maximum(borders[:-1], start), 0, None)
        inside = [
            any(start <= a and b <= stop for start, stop in holes)
            for a, b in zip(borders, borders[1:])
        ]
        empty = np.array(inside)
        # Windows with a sliver of genealogy are all rounding; they are not judged.
        full = ~empty & (covered > 1e-5 * length)
        shift = float(rng.uniform(0.3, 9.0))
        ages = np.array([0.0, 1.2, 2.0, np.inf]) * np.array([shift, shift, shift, 1.0])
        wanted = np.array([0.05, 0.15, 0.5, 0.95])
        seen = candidate(real_numbers, length, holes, borders, shift, ages, wanted)
        expected = [
            np.array([1.0, 1.0, 8.0]),
            np.array([np.log(10 / 9) / 1.2, np.log(9 / 8) / 0.8, 1 / (5.0 - 2.0)]) / shift,
            np.array([1.0, 1.5, 3.0, 7.0]) * shift,
            np.array([1 / 4.25]) / shift,
        ]
        for values, right in zip(seen, expected):
            assert values.shape == (len(borders) - 1, right.size)
            np.testing.assert_allclose(
                values[full], np.broadcast_to(right, values[full].shape), rtol=1e-7
            )
        assert empty.any()
        assert np.all(seen[0][empty] == 0)
        assert np.isnan(seen[1][empty]).all()
        assert np.isnan(seen[2][empty]).all()
