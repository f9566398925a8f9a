# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""Other rods: meshes, densities, thicknesses, and constants of sections."""

import numpy as np

from referee.wall import contract


@contract("coverage")
def test_a_rate_does_not_depend_on_mesh_thickness_or_density(candidate, rods, rng):
    jobs = []
    for n in (2, 5, 12):
        for size in (0.2, 1.0, 3.0):
            spec = rods.rod(rng, n, weights=rng.uniform(0.3, 3.0, n), length=size)
            spec["radius"] = spec["radius"] * size
            spec["density"] = spec["density"] / size
            one = rods.ready(spec, rng)
            one["velocity"][:] = rng.normal(0.0, 1.0, (3, 1))
            jobs.append(one)
    # Each rod is a simulation of its own here.
    for job, (got,) in zip(jobs, candidate(rods.respond, [[j] for j in jobs]), strict=True):
        rods.assert_close(got["acceleration"], -job["nu"] * job["velocity"], 1e2)


@contract("coverage")
def test_sections_have_a_rate_of_their_own(candidate, rods, rng):
    own = float(rng.uniform(6.0, 9.0))
    each = rng.uniform(0.5, 9.0, 6)
    jobs = [
        rods.ready(rods.moving(rng, 6, modulus=1e3, nu_for_torques=rate), rng)
        for rate in (own, each, 0.0)
    ]
    got = rods.damping(candidate, [jobs])[0]
    for job, (moved, turned) in zip(jobs, got, strict=True):
        rods.assert_close(turned, -job["nu_for_torques"] * job["omega"], 1e3)
        rods.assert_close(moved, -job["nu"] * job["velocity"], 1e3)


@contract("coverage")
def test_sections_alone_are_damped_without_nu(candidate, rods, rng):
    one = rods.ready(rods.moving(rng, 4, modulus=1e3, nu=0.0, nu_for_torques=4.0), rng)
    (got,) = candidate(rods.respond, [[one]])[0]
    assert np.abs(got["forces"]).max() == 0.0
    rods.assert_close(got["torques"], 4.0 * rods.inertia(one) * one["omega"] / rods.dilatation(one))


@contract("coverage")
def test_forces_of_damping_are_in_newtons(candidate, rods, rng):
    one = rods.ready(rods.moving(rng, 5), rng)
    (got,) = candidate(rods.respond, [[one]])[0]
    mass = rods.nodal(rods.element_mass(one))
    rods.assert_close(got["forces"], one["nu"] * mass * one["velocity"])
    spin = rods.inertia(one) * one["omega"] / rods.dilatation(one)
    rods.assert_close(got["torques"], one["nu"] * spin)
