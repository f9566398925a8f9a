# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""Momentum, power and rigid motions under a damping that has a rate."""

import numpy as np

from referee.wall import contract


@contract("knowledge")
def test_power_of_damping_is_twice_the_rate_times_the_energy(candidate, rods, rng):
    jobs = [rods.ready(rods.moving(rng, n), rng) for n in (4, 7)]
    for job, got in zip(jobs, candidate(rods.respond, [jobs])[0], strict=True):
        moving = 0.5 * np.sum(rods.nodal(rods.element_mass(job)) * job["velocity"] ** 2)
        power = np.sum(got["forces"] * job["velocity"])
        rods.assert_close(power, 2.0 * job["nu"] * moving)
        # The package's angular momentum of a section is J w / e, e being the dilatation.
        turning = 0.5 * np.sum(rods.inertia(job) * job["omega"] ** 2 / rods.dilatation(job))
        power = np.sum(got["torques"] * job["omega"])
        rods.assert_close(power, 2.0 * job["nu"] * turning)


@contract("knowledge")
def test_a_rigid_turn_stays_rigid(candidate, rods, rng):
    # A turn about a diameter of all sections: nothing is strained, so each acceleration is damping alone.
    # Forces of elasticity vanish but for rounding of positions: 1e-16 of EA, here 1e2 N, on grams.
    jobs = []
    for n in (3, 6):
        one = rods.ready(rods.rod(rng, n), rng)
        z = one["rest"][2] - rng.uniform(0.0, 1.0)
        rate = rng.uniform(1.0, 3.0)
        # The section's first axis is y of the laboratory, and a turn about y moves z into x.
        one["omega"][0] = rate
        one["velocity"][0] = rate * z
        jobs.append(one)
    for job, got in zip(jobs, candidate(rods.respond, [jobs])[0], strict=True):
        scale = 10.0 * np.abs(job["velocity"]).max()
        rods.assert_close(got["acceleration"], -job["nu"] * job["velocity"], scale)
        rods.assert_close(got["alpha"], -job["nu"] * job["omega"], 100.0 * np.abs(job["omega"]).max())


@contract("knowledge")
def test_steps_of_the_integrator_leave_the_same_share_everywhere(candidate, rods, rng):
    # A drift and a spin about the axis strain nothing, so a step leaves 1 - nu dt of each velocity.
    jobs = []
    for n in (4, 5):
        one = rods.rod(rng, n, density=float(rng.uniform(500.0, 2000.0)))
        one["velocity"][:] = rng.normal(0.0, 1.0, (3, 1))
        one["omega"][2] = rng.uniform(1.0, 3.0)
        jobs.append(one)
    steps, dt = 12, 1e-4
    for job, (v, w) in zip(jobs, candidate(rods.travel, jobs, steps, dt), strict=True):
        left = (1.0 - job["nu"] * dt) ** steps
        rods.assert_close(v, left * job["velocity"], 10.0)
        rods.assert_close(w, left * job["omega"], 10.0)
