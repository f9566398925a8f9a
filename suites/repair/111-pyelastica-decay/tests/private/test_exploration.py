# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""Motions that the report did not look at."""

import numpy as np

from referee.wall import contract


@contract("exploration")
def test_any_state_of_the_nodes_decays_at_the_rate(candidate, rods, rng):
    jobs = [rods.ready(rods.moving(rng, n), rng) for n in (3, 5, 8)]
    for job, (moved, _) in zip(jobs, rods.damping(candidate, [jobs])[0], strict=True):
        # Accelerations of elasticity, up to 1e5 m/s^2 here, were subtracted: 1e-11 of them is left of rounding.
        rods.assert_close(moved, -job["nu"] * job["velocity"], 1e3)


@contract("exploration")
def test_any_state_of_the_sections_decays_at_the_rate(candidate, rods, rng):
    jobs = [rods.ready(rods.moving(rng, n, modulus=1e3), rng) for n in (3, 5, 8)]
    for job, (_, turned) in zip(jobs, rods.damping(candidate, [jobs])[0], strict=True):
        rods.assert_close(turned, -job["nu"] * job["omega"], 1e3)


@contract("exploration")
def test_a_zigzag_decays_as_a_drift_does(candidate, rods, rng):
    # Neighbours move against each other: a mean over elements would see no motion at all.
    one = rods.ready(rods.rod(rng, 7), rng)
    one["velocity"][1] = (-1.0) ** np.arange(8)
    (got,) = candidate(rods.respond, [[one]])[0]
    rods.assert_close(got["acceleration"][1], -one["nu"] * one["velocity"][1], 10.0)


@contract("exploration")
def test_a_stretched_rod_decays_at_the_same_rate(candidate, rods, rng):
    # Its mass and that of its sections is what it was at rest.
    jobs = [rods.ready(rods.rod(rng, 5, stretch=s, modulus=1e3), rng) for s in (0.7, 1.5)]
    for job in jobs:
        job["velocity"][:] = rng.normal(0.0, 1.0, (3, 1))
        job["omega"][:] = rng.normal(0.0, 1.0, (3, 5))
    for job, (moved, turned) in zip(jobs, rods.damping(candidate, [jobs])[0], strict=True):
        rods.assert_close(moved, -job["nu"] * job["velocity"], 1e2)
        rods.assert_close(turned, -job["nu"] * job["omega"], 1e2)
