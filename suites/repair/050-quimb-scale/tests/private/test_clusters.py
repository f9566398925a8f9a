# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""Several loops: the expansion against its definition, for clusters whose counts are known."""

import numpy as np

from referee.wall import contract

LADDER = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]
LEFT, RIGHT = [0, 1, 3, 4], [1, 2, 4, 5]
BOWTIE = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)]


@contract("generalization")
def test_two_plaquettes(candidate, rng, nets):
    """They share a rung, which is counted minus once where intersections are completed; without
    that its two sites are, and sites are normalised."""
    for complex_ in (False, True):
        sites = nets.draw(rng, LADDER, 6, bonds=(2, 2), complex_=complex_)
        gauges = nets.arbitrary(rng, sites)
        exponent = float(rng.uniform(-2, 2))
        plain = nets.expansion(sites, gauges, exponent, [(LEFT, 1), (RIGHT, 1)])
        completed = nets.expansion(sites, gauges, exponent, [(LEFT, 1), (RIGHT, 1), ([1, 4], -1)])
        cases = [
            (nets.norm_request(gloops=[LEFT, RIGHT]), plain),
            (nets.norm_request(gloops=4), plain),
            (nets.norm_request(), plain),
            (nets.norm_request(gloops=[LEFT, RIGHT], autoreduce=False), plain),
            (nets.norm_request(gloops=[LEFT, RIGHT], autocomplete=True), plain),
            (
                nets.norm_request(gloops=[LEFT, RIGHT], autocomplete=True, autoreduce=False),
                completed,
            ),
            (nets.norm_request(gloops=6), nets.norm(sites, gauges, exponent)),
        ]
        answers = candidate(nets.ask, sites, gauges, exponent, [request for request, _ in cases])
        for answer, (_, expected) in zip(answers, cases, strict=True):
            nets.close(answer["value"], expected)


@contract("generalization")
def test_two_triangles_with_one_site_in_common(candidate, rng, nets):
    sites = nets.draw(rng, BOWTIE, 5, bonds=(2, 3), complex_=True)
    gauges = nets.arbitrary(rng, sites)
    expected = nets.expansion(sites, gauges, 0.75, [([0, 1, 2], 1), ([2, 3, 4], 1)])
    one = nets.expansion(sites, gauges, 0.75, [([2, 3, 4], 1)])
    none = nets.expansion(sites, gauges, 0.75, [])
    asked = [
        nets.norm_request(),
        nets.norm_request(gloops=3, autocomplete=True),
        nets.norm_request(gloops=[[0, 1, 2], [2, 3, 4]], autoreduce=False),
        nets.norm_request(gloops=[[2, 3, 4]]),
        nets.norm_request(gloops=0),
    ]
    answers = candidate(nets.ask, sites, gauges, 0.75, asked)
    for answer, value in zip(answers, [expected, expected, expected, one, none], strict=True):
        nets.close(answer["value"], value)


@contract("coverage")
def test_clusters_that_are_no_loops(candidate, rng, nets):
    """Without reducing, pieces of a tree count as they are, whatever the gauges."""
    edges = [(n, n + 1) for n in range(4)]
    sites = nets.draw(rng, edges, 5)
    gauges = nets.arbitrary(rng, sites)
    expected = nets.expansion(sites, gauges, -1.0, [([0, 1, 2], 1), ([2, 3], 1)])
    reduced = nets.expansion(sites, gauges, -1.0, [])
    pieces = [[0, 1, 2], [2, 3]]
    asked = [
        nets.norm_request(gloops=pieces, autoreduce=False),
        nets.norm_request(gloops=pieces),
        {"ask": "norm", "positional": [0, False, True]},
        {"ask": "norm", "positional": [0, True, False]},
    ]
    answers = candidate(nets.ask, sites, gauges, -1.0, asked)
    for answer, value in zip(answers, [expected, reduced, reduced, reduced], strict=True):
        nets.close(answer["value"], value)


@contract("coverage")
def test_one_site(candidate, rng, nets):
    vector = rng.normal(size=5)
    for exponent in (0.0, 2.0):
        (answer,) = candidate(
            nets.ask, [[vector, ["k0"]]], {}, exponent, [nets.norm_request(gloops=0)]
        )
        nets.close(answer["value"], np.linalg.norm(vector) * 10**exponent)
