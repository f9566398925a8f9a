# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""What was right before: elasticity, rods without damping, and errors."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract


@contract("regression")
def test_without_damping_nothing_is_taken(candidate, rods, rng):
    one = rods.ready(rods.moving(rng, 5, nu=0.0), rng)
    drift = rods.ready(rods.rod(rng, 5, nu=0.0), rng)
    drift["velocity"][:] = rng.normal(0.0, 1.0, (3, 1))
    moved, drifted = candidate(rods.respond, [[one, drift]])[0]
    for got in (moved, drifted):
        assert np.abs(got["forces"]).max() == 0.0
        assert np.abs(got["torques"]).max() == 0.0
    assert np.abs(moved["acceleration"]).max() > 1.0
    # Unstressed but for rounding of positions.
    assert np.abs(drifted["acceleration"]).max() <= 1e-8


@contract("regression")
def test_ends_of_a_stretched_rod_are_pulled_by_hooke(candidate, rods, rng):
    # Force E A (e - 1) / e in each element, e being the dilatation: the package's law.
    one = rods.ready(rods.rod(rng, 4, stretch=1.25, nu=0.0), rng)
    (got,) = candidate(rods.respond, [[one]])[0]
    pull = one["modulus"] * np.pi * one["radius"] ** 2 * 0.25 / 1.25
    want = np.zeros((3, 5))
    want[2, :-1] += pull
    want[2, 1:] -= pull
    rods.assert_close(got["inner"], want)
    rods.assert_close(got["acceleration"], want / rods.nodal(rods.element_mass(one)))


@contract("regression")
def test_a_rod_at_rest_is_not_damped(candidate, rods, rng):
    one = rods.moving(rng, 5)
    one["velocity"][:] = 0.0
    one["omega"][:] = 0.0
    (got,) = candidate(rods.respond, [[rods.ready(one, rng)]])[0]
    assert np.abs(got["forces"]).max() == 0.0
    assert np.abs(got["torques"]).max() == 0.0
    assert np.abs(got["acceleration"]).max() > 1.0


@contract("regression")
@pytest.mark.parametrize(
    ("nu", "options"),
    [
        (-1.0, {}),
        ([1.0, 1.0, -1e-9], {}),
        ([[1.0, 1.0, 1.0]], {}),
        (1.0, {"nu_for_torques": [[1.0, 1.0, 1.0]]}),
    ],
)
def test_unusable_constants_are_refused(candidate, rods, nu, options):
    with pytest.raises(CandidateError) as caught:
        candidate(rods.make, nu, options)
    assert caught.value.is_a("AssertionError")


@contract("regression")
def test_constants_of_the_wrong_length_are_refused(candidate, rods):
    with pytest.raises(CandidateError) as caught:
        candidate(rods.make, [1.0, 2.0], {})
    assert caught.value.is_a("ValueError")
    assert candidate(rods.make, [0.0, 0.0, 0.0], {"nu_for_torques": 0.0}) == "made"
