# referee-canary 050 c6244e1a-23ff-42ee-b8cc-e54e91fe2532
"""What was right, and stays so."""

import numpy as np

from referee.wall import contract, probe


@contract("regression")
def test_the_other_normalisations(candidate, rng, nets):
    sites, gauges = nets.converged(rng, nets.tree(rng, 6), 6)
    terms = [[[1], nets.operator(rng, 3)], [[4], nets.operator(rng, 3)]]
    psi = nets.state(sites, gauges)
    exact = sum(nets.expectation(psi, where, matrix) for where, matrix in terms)
    options = [
        {"gloops": 0, "normalized": True},
        {"gloops": 0, "normalized": "prod"},
        {"gloops": 0, "normalized": "local", "combine": "sum"},
        {"gloops": 0, "normalized": "separate", "combine": "sum"},
        {"gloops": 0},
    ]
    for exponent in (0.0, 2.0):
        for shared in (False, True):
            asked = [{"ask": "expect", "terms": terms, "options": options, "shared": shared}]
            (answer,) = candidate(nets.ask, sites, gauges, exponent, asked)
            assert len(answer["values"]) == len(options)
            for value in answer["values"]:
                nets.close(value, exact)


@contract("regression")
def test_values_without_normalisation(candidate, rng, nets):
    """The numerators of a single cluster: <psi|G|psi> for a network without an exponent."""
    sites = nets.draw(rng, [(0, 1), (1, 2), (0, 2)], 3)
    gauges = nets.arbitrary(rng, sites)
    terms = [[[1], nets.operator(rng, 3)]]
    psi = nets.state(sites, gauges)
    exact = nets.expectation(psi, [1], terms[0][1]) * np.linalg.norm(psi) ** 2
    options = [{"gloops": [[0, 1, 2]], "normalized": False, "combine": c} for c in ("prod", "sum")]
    asked = [{"ask": "expect", "terms": terms, "options": options}]
    (answer,) = candidate(nets.ask, sites, gauges, 0.0, asked)
    for value in answer["values"]:
        nets.close(value, exact)


@contract("regression")
def test_normalize_simple_normalises_in_place(candidate, rng, nets):
    """Gauges and single sites have norm one; with converged gauges every piece of a tree has."""
    sites, gauges = nets.converged(rng, nets.tree(rng, 6), 6, complex_=True)
    (answer,) = candidate(nets.ask, sites, gauges, 1.5, [{"ask": "normalize"}])
    assert answer["exponent"] == 1.5
    assert list(answer["gauges"]) == list(gauges)
    for bond, vector in answer["gauges"].items():
        np.testing.assert_allclose(vector, gauges[bond] / np.linalg.norm(gauges[bond]), rtol=1e-12)
    after = answer["sites"]
    for members in ([0], [3], [5], [0, 1], [0, 1, 2, 3, 4, 5]):
        nets.close(nets.cluster(after, answer["gauges"], members), 1.0)
    for (data, axes), (new, names) in zip(sites, after, strict=True):
        assert axes == names
        ratio = new.ravel() / data.ravel()
        np.testing.assert_allclose(ratio, ratio.real.mean(), rtol=1e-9)
        assert ratio.real.mean() > 0


@contract("regression")
def test_states_of_norm_one(candidate, rng, nets):
    """Normalised gauges and sites, for which the untouched library is right."""
    sites, gauges = nets.converged(rng, nets.tree(rng, 6), 6)
    gauges = {bond: g / np.linalg.norm(g) for bond, g in gauges.items()}
    sites = [
        [data / np.sqrt(nets.cluster(sites, gauges, [n])), axes]
        for n, (data, axes) in enumerate(sites)
    ]
    asked = [nets.norm_request(gloops=0), nets.norm_request(gloops=2), {"ask": "normalize"}]
    first, second, third = candidate(nets.ask, sites, gauges, 0.0, asked)
    for value in (first["value"], second["value"], third["factor"]):
        nets.close(value, 1.0)


@probe
def combine(values, options):
    from quimb.tensor.belief_propagation import combine_local_contractions

    import numpy as np

    result = combine_local_contractions([(np.float64(x), p) for x, p in values], **options)
    return [complex(part) for part in result] if isinstance(result, tuple) else complex(result)


@contract("regression")
def test_products_of_clusters(candidate, rng):
    values = [[float(x), int(p)] for x, p in zip(rng.uniform(0.2, 5, 6), [1, -1, 2, 1, -3, 1])]
    values[3][0] *= -1
    expected = np.prod([x**p for x, p in values])
    np.testing.assert_allclose(candidate(combine, values, {}), expected, rtol=1e-12)
    mantissa, exponent = candidate(combine, values, {"strip_exponent": True})
    np.testing.assert_allclose(mantissa, -1.0, rtol=1e-12)
    np.testing.assert_allclose(exponent, np.log10(-expected), rtol=1e-12)
    started = candidate(combine, values, {"mantissa": 0.5, "exponent": 2.0})
    np.testing.assert_allclose(started, 50 * expected, rtol=1e-12)
    assert candidate(combine, [], {}) == 1.0
