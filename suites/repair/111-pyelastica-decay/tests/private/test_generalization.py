# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""Rates that differ along a rod, and rods beside each other."""

import numpy as np

from referee.wall import contract


@contract("generalization")
def test_elements_with_rates_of_their_own(candidate, rods, rng):
    jobs = [rods.ready(rods.moving(rng, n, modulus=1e3, nu=rng.uniform(0.1, 9.0, n)), rng) for n in (2, 4, 7)]
    for job, (moved, turned) in zip(jobs, rods.damping(candidate, [jobs])[0], strict=True):
        taken = rods.nodal(job["nu"] * rods.element_mass(job)) * job["velocity"]
        rods.assert_close(moved, -taken / rods.nodal(rods.element_mass(job)), 1e3)
        rods.assert_close(turned, -job["nu"] * job["omega"], 1e3)


@contract("generalization")
def test_one_damped_end(candidate, rods, rng):
    # Only the last element is damped: its two nodes feel it, and no other.
    rates = np.array([0.0, 0.0, 0.0, 5.0])
    one = rods.ready(rods.moving(rng, 4, nu=rates.tolist()), rng)
    (got,) = candidate(rods.respond, [[one]])[0]
    assert np.abs(got["forces"][:, :3]).max() == 0.0
    share = 2.5 * rods.element_mass(one)[3]
    rods.assert_close(got["forces"][:, 3:], share * one["velocity"][:, 3:])
    assert np.abs(got["torques"][:, :3]).max() == 0.0
    spin = rods.inertia(one)[:, 3] * one["omega"][:, 3] / rods.dilatation(one)[3]
    rods.assert_close(got["torques"][:, 3], 5.0 * spin)


@contract("generalization")
def test_rods_beside_each_other_do_not_matter(candidate, rods, rng):
    jobs = [rods.ready(rods.moving(rng, n, modulus=1e3), rng) for n in (5, 2, 8, 3)]
    blocks = [jobs, jobs[::-1], *[[j] for j in jobs]]
    together, reverse, *alone = candidate(rods.respond, blocks)
    for k, job in enumerate(jobs):
        mass = rods.nodal(rods.element_mass(job))
        for got in (together[k], reverse[3 - k], alone[k][0]):
            rods.assert_close(got["forces"], job["nu"] * mass * job["velocity"])
            spin = rods.inertia(job) * job["omega"] / rods.dilatation(job)
            rods.assert_close(got["torques"], job["nu"] * spin)
            rods.assert_close(got["acceleration"], alone[k][0]["acceleration"])


@contract("generalization")
def test_whole_numbers_are_rates_too(candidate, rods, rng):
    jobs = [
        rods.ready(rods.moving(rng, 3, modulus=1e3, nu=2), rng),
        rods.ready(rods.moving(rng, 3, modulus=1e3, nu=[1, 2, 3]), rng),
    ]
    for job, (moved, turned) in zip(jobs, rods.damping(candidate, [jobs])[0], strict=True):
        rates = np.broadcast_to(np.asarray(job["nu"], dtype=float), 3)
        mass = rods.element_mass(job)
        rods.assert_close(moved, -rods.nodal(rates * mass) / rods.nodal(mass) * job["velocity"], 1e3)
        rods.assert_close(turned, -rates * job["omega"], 1e3)
