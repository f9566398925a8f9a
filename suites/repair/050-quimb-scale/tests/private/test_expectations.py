# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""Expectation values that are divided by one norm for all terms."""

import pytest

from referee.wall import contract

LADDER = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]
WHOLE = [[0, 1, 2, 3, 4, 5]]


def prepared(rng, nets, complex_):
    sites = nets.draw(rng, LADDER, 6, bonds=(2, 2), complex_=complex_, physical=2)
    gauges = nets.arbitrary(rng, sites)
    terms = [
        [[0], nets.operator(rng, 2, complex_)],
        [[1, 4], nets.operator(rng, 4, complex_)],
        [[5], nets.operator(rng, 2, complex_)],
    ]
    psi = nets.state(sites, gauges)
    exact = [nets.expectation(psi, where, matrix) for where, matrix in terms]
    return sites, gauges, terms, exact


@contract("generalization")
@pytest.mark.parametrize("complex_", [False, True], ids=["real", "complex"])
def test_one_norm_for_all_terms(candidate, rng, nets, complex_):
    sites, gauges, terms, exact = prepared(rng, nets, complex_)
    options = [
        {"gloops": WHOLE, "normalized": "global", "combine": combine, "autoreduce": reduce}
        for combine in ("prod", "sum")
        for reduce in (True, False)
    ]
    options.append({**options[0], "return_all": True})
    asked = [{"ask": "expect", "terms": terms, "options": options}]
    for exponent in (0.0, -2.5, 120.0):
        (answer,) = candidate(nets.ask, sites, gauges, exponent, asked)
        *sums, each = answer["values"]
        for value in sums:
            nets.close(value, sum(exact))
        for value, expected in zip(each, exact, strict=True):
            nets.close(value, expected)


@contract("generalization")
def test_a_tree_as_one_cluster(candidate, rng, nets):
    edges = nets.tree(rng, 5)
    sites = nets.draw(rng, edges, 5)
    gauges = nets.arbitrary(rng, sites)
    terms = [[[2], nets.operator(rng, 3)]]
    exact = nets.expectation(nets.state(sites, gauges), [2], terms[0][1])
    options = [{"gloops": [[0, 1, 2, 3, 4]], "autoreduce": False, "normalized": "global"}]
    asked = [{"ask": "expect", "terms": terms, "options": options}]
    for exponent in (0.0, 1.75):
        (answer,) = candidate(nets.ask, sites, gauges, exponent, asked)
        nets.close(answer["values"][0], exact)


@contract("exploration")
def test_what_was_asked_before_does_not_matter(candidate, rng, nets):
    """`info` is handed in again, for the same network and gauges."""
    sites, gauges, terms, exact = prepared(rng, nets, True)
    whole = {"gloops": WHOLE, "normalized": True}
    one = {"gloops": WHOLE, "normalized": "global"}
    order = [whole, one, whole, {**one, "combine": "sum"}, {**one, "autoreduce": False}, whole, one]
    for asked in (order, order[1:]):
        (answer,) = candidate(
            nets.ask,
            sites,
            gauges,
            0.5,
            [{"ask": "expect", "terms": terms, "options": asked, "shared": True}],
        )
        for value in answer["values"]:
            nets.close(value, sum(exact))
