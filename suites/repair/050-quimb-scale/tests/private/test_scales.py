# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""One state, its scale kept in different places; and what must not change by asking."""

import numpy as np

from referee.wall import contract


def ways(rng, nets, sites, gauges):
    """The same state, written in several ways: (sites, gauges, exponent)."""
    count = len(sites)
    c = float(rng.uniform(3, 9))
    power = float(rng.uniform(-4, 4))
    bond = list(gauges)[int(rng.integers(len(gauges)))]

    def times(factors):
        return [[d * f, a] for (d, a), f in zip(sites, factors, strict=True)]

    one = [c if n == 1 else 1 / c if n == 4 else 1.0 for n in range(count)]
    yield times(one), gauges, 0.0
    yield times([10.0 ** (-power / count)] * count), gauges, power
    yield times([10.0**-3.0] + [1.0] * (count - 1)), gauges, 3.0
    yield (
        times([1 / np.linalg.norm(d) for d, _ in sites]),
        gauges,
        sum(float(np.log10(np.linalg.norm(d))) for d, _ in sites),
    )
    yield *nets.gauged(sites, gauges, bond, np.full(len(gauges[bond]), c)), 0.0
    norms = [float(np.linalg.norm(g)) for g in gauges.values()]
    unit = {b: g / n for (b, g), n in zip(gauges.items(), norms, strict=True)}
    yield times([np.prod(norms)] + [1.0] * (count - 1)), unit, 0.0
    yield sites, {b: 1e4 * g for b, g in gauges.items()}, -4.0 * len(gauges)


@contract("exploration")
def test_the_place_of_the_scale_does_not_matter_on_trees(candidate, rng, nets):
    sites, gauges = nets.converged(rng, nets.tree(rng, 6), 6)
    exact = nets.norm(sites, gauges)
    for network in ways(rng, nets, sites, gauges):
        np.testing.assert_allclose(nets.norm(*network), exact, rtol=1e-10)
        (answer,) = candidate(nets.ask, *network, [nets.norm_request(gloops=0)])
        nets.close(answer["value"], exact)


@contract("exploration")
def test_the_place_of_the_scale_does_not_matter_with_loops(candidate, rng, nets):
    """Where the expansion is an approximation, it is the same one."""
    ladder = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]
    sites = nets.draw(rng, ladder, 6, bonds=(2, 2))
    gauges = nets.arbitrary(rng, sites)
    expected = nets.expansion(sites, gauges, 0.0, [([0, 1, 3, 4], 1), ([1, 2, 4, 5], 1)])
    for network in ways(rng, nets, sites, gauges):
        (answer,) = candidate(nets.ask, *network, [nets.norm_request(gloops=4)])
        nets.close(answer["value"], expected)


@contract("exploration")
def test_scales_outside_the_range_of_doubles(candidate, rng, nets):
    edges = [(n, n + 1) for n in range(8)]
    sites, gauges = nets.converged(rng, edges, 9, bonds=(2, 2))
    exact = nets.norm(sites, gauges)
    # Factor of each tensor, factor of each gauge and exponent; together 10**power.
    for tensor, gauge, exponent, power in (
        (-40, 0, 360.0, 0),
        (40, 0, -360.0, 0),
        (0, -50, 400.0, 0),
        (60, -60, -60.0, 0),
        (22, 0, 0.0, 198),
        (0, 0, 200.0, 200),
        (0, 0, -200.0, -200),
        (-22, 0, 0.0, -198),
        (50, 0, -250.0, 200),
    ):
        moved = [[d * 10.0**tensor, a] for d, a in sites]
        stretched = {b: g * 10.0**gauge for b, g in gauges.items()}
        (answer,) = candidate(nets.ask, moved, stretched, exponent, [nets.norm_request(gloops=0)])
        nets.close(answer["value"] / 10.0**power, exact)


@contract("exploration")
def test_asking_changes_nothing(candidate, rng, nets):
    sites = nets.draw(rng, [(0, 1), (1, 2), (0, 2), (2, 3)], 4, complex_=True)
    own = nets.arbitrary(rng, sites)
    gauges = {**own, "b7_8": rng.uniform(2, 3, 4)}
    terms = [[[0], nets.operator(rng, 3)]]
    asked = [
        nets.norm_request(),
        nets.norm_request(gloops=0, autoreduce=False),
        {
            "ask": "expect",
            "terms": terms,
            "options": [{"gloops": [[0, 1, 2]], "normalized": "global"}],
        },
    ]
    answers = candidate(nets.ask, sites, gauges, 1.25, asked)
    triangle = nets.expansion(sites, own, 1.25, [([0, 1, 2], 1)])
    nets.close(answers[0]["value"], triangle)
    nets.close(answers[1]["value"], nets.expansion(sites, own, 1.25, []))
    assert np.isfinite(answers[2]["values"]).all()
    for answer in answers:
        assert answer["exponent"] == 1.25
        assert list(answer["gauges"]) == list(gauges)
        # Scaled there and back would be good enough.
        for bond, vector in gauges.items():
            np.testing.assert_allclose(answer["gauges"][bond], vector, rtol=1e-13)
        for (data, axes), (after, names) in zip(sites, answer["sites"], strict=True):
            assert axes == names
            np.testing.assert_allclose(after, data, rtol=1e-13)


@contract("coverage")
def test_gauges_of_other_networks_do_not_count(candidate, rng, nets):
    sites, gauges = nets.converged(rng, nets.tree(rng, 5), 5)
    exact = nets.norm(sites, gauges)
    more = {"b8_9": rng.uniform(5, 9, 3), **gauges, "b9_10": rng.uniform(0.1, 0.2, 2)}
    asked = [nets.norm_request(gloops=0), {"ask": "normalize"}]
    norm, normalized = candidate(nets.ask, sites, more, 0.0, asked)
    nets.close(norm["value"], exact)
    nets.close(normalized["factor"], exact)


@contract("coverage")
def test_the_factor_of_normalize_simple(candidate, rng, nets):
    """Old state = factor * new state, for any graph, gauges and exponent; both worked out here."""
    for edges, count, complex_ in (
        ([(0, 1), (1, 2), (0, 2), (2, 3)], 4, False),
        (nets.tree(rng, 5), 5, True),
        ([], 1, False),
    ):
        sites = nets.draw(rng, edges, count, complex_=complex_)
        full = nets.arbitrary(rng, sites)
        half = dict(list(full.items())[::2])
        for gauges, exponent, options in (
            (full, 0.0, {}),
            (full, 1.5, {"optimize": "greedy"}),
            (half, 0.0, {}),
        ):
            (answer,) = candidate(
                nets.ask, sites, gauges, exponent, [{"ask": "normalize", "options": options}]
            )
            old = nets.state(sites, gauges, exponent)
            new = nets.state(answer["sites"], answer["gauges"], answer["exponent"])
            size = float(np.abs(old).max())
            np.testing.assert_allclose(answer["factor"] * new, old, rtol=0, atol=nets.RTOL * size)
            assert abs(answer["factor"].imag) <= nets.RTOL * answer["factor"].real
