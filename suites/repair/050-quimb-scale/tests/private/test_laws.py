# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""What every norm holds, and the networks for which the expansion has no approximation left."""

import numpy as np
import pytest

from referee.wall import contract

RING = [(0, 1), (1, 2), (2, 3), (0, 3)]
BRANCHES = [(1, 4), (4, 5), (3, 6)]


@contract("knowledge")
@pytest.mark.parametrize("complex_", [False, True], ids=["real", "complex"])
def test_trees_are_exact(candidate, rng, nets, complex_):
    shapes = [
        [(n, n + 1) for n in range(6)],
        [(0, n) for n in range(1, 5)],
        nets.tree(rng, 7),
        [(0, 1)],
    ]
    for edges in shapes:
        count = len(edges) + 1
        sites, gauges = nets.converged(rng, edges, count, complex_=complex_)
        (answer,) = candidate(nets.ask, sites, gauges, 0.0, [nets.norm_request(gloops=0)])
        nets.close(answer["value"], nets.norm(sites, gauges))
        assert complex_ or not answer["complex"]


@contract("knowledge")
def test_the_norm_is_of_degree_one(candidate, rng, nets):
    edges = nets.tree(rng, 6)
    sites, gauges = nets.converged(rng, edges, 6)
    exact = nets.norm(sites, gauges)
    for factor in (1e-3, -7.0, float(rng.uniform(20, 50))):
        for n in (0, 3):
            scaled = [[d * factor if m == n else d, a] for m, (d, a) in enumerate(sites)]
            (answer,) = candidate(nets.ask, scaled, gauges, 0.0, [nets.norm_request(gloops=0)])
            nets.close(answer["value"], abs(factor) * exact)


@contract("knowledge")
def test_product_states(candidate, rng, nets):
    """Bonds of dimension one: the norm is the product of those of the sites and of the gauges."""
    edges = nets.tree(rng, 6)
    sites = nets.draw(rng, edges, 6, bonds=(1, 1))
    gauges = nets.arbitrary(rng, sites)
    exact = np.prod([np.linalg.norm(d) for d, _ in sites]) * np.prod(list(gauges.values()))
    asked = [nets.norm_request(gloops=0), nets.norm_request(gloops=0, autoreduce=False)]
    for answer in candidate(nets.ask, sites, gauges, 0.0, asked):
        nets.close(answer["value"], exact)


@contract("generalization")
@pytest.mark.parametrize("complex_", [False, True], ids=["real", "complex"])
def test_one_loop_with_branches_is_exact(candidate, rng, nets, complex_):
    """The gauges of the ring are arbitrary or absent; those of the branches have converged."""
    bare, gauges = nets.converged(rng, RING + BRANCHES, 7, bonds=(2, 2), complex_=complex_)
    exact = nets.norm(bare, gauges)
    sites, full = bare, gauges
    for edge in RING:
        sites, full = nets.gauged(sites, full, f"b{edge[0]}_{edge[1]}", rng.uniform(0.5, 2.5, 2))
    # The same state, so a slip of the judge would show here.
    np.testing.assert_allclose(nets.norm(sites, full), exact, rtol=1e-12)
    asked = [
        nets.norm_request(),
        nets.norm_request(gloops=4),
        nets.norm_request(gloops=[[0, 1, 2, 3]]),
        nets.norm_request(gloops=[[0, 1, 2, 3, 4, 5, 6]]),
        nets.norm_request(gloops=[[3, 2, 1, 0]], autocomplete=True),
    ]
    for network in ((bare, gauges), (sites, full)):
        for answer in candidate(nets.ask, *network, 0.0, asked):
            nets.close(answer["value"], exact)


@contract("generalization")
def test_the_whole_network_is_exact_for_any_gauges(candidate, rng, nets):
    ladder = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]
    for edges, count in ((ladder, 6), (nets.tree(rng, 5), 5)):
        sites = nets.draw(rng, edges, count, bonds=(2, 2), complex_=True)
        gauges = nets.arbitrary(rng, sites)
        exact = nets.norm(sites, gauges, 0.5)
        whole = nets.norm_request(gloops=[list(range(count))], autoreduce=False)
        without = {bond: g for n, (bond, g) in enumerate(gauges.items()) if n % 2}
        (answer,) = candidate(nets.ask, sites, gauges, 0.5, [whole])
        nets.close(answer["value"], exact)
        (answer,) = candidate(nets.ask, sites, without, 0.0, [whole])
        nets.close(answer["value"], nets.norm(sites, without))
        (answer,) = candidate(nets.ask, sites, {}, -1.5, [whole])
        nets.close(answer["value"], nets.norm(sites, {}, -1.5))
