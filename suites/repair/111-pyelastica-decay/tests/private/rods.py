# referee-canary 111 1719e7d7-8874-47b3-997f-e49d4a343921
"""Rods in drawn states, the probes that look at them, and what they weigh.

Masses and moments of inertia come from radius, density and length here, by the formulas of a disc; nothing is
taken from a rod of the package.
"""

import numpy as np

from referee.wall import probe

ROUNDING = 1e-9
"""Damping is compared with terms of elasticity taken out; both are sums of a few dozen rounded numbers."""


def rod(rng, count, **options):
    """A rod at rest: uneven radii, uneven densities and equal elements, unless said otherwise."""
    return {
        "count": count,
        "length": float(rng.uniform(0.5, 2.0)),
        "radius": rng.uniform(0.01, 0.04, count),
        "density": rng.uniform(500.0, 3000.0, count),
        "nu": float(rng.uniform(0.5, 5.0)),
        "nu_for_torques": None,
        "modulus": 1e5,
        "weights": None,  # lengths of elements, relative to each other
        "stretch": 1.0,  # one factor, or one for each element
        "noise": 0.0,  # of positions, relative to the length of an element
        "velocity": np.zeros((3, count + 1)),
        "omega": np.zeros((3, count)),
        **options,
    }


def moving(rng, count, **options):
    """A rod in a state without any symmetry."""
    given = {
        "weights": rng.uniform(0.5, 2.0, count),
        "stretch": rng.uniform(0.8, 1.3, count),
        "noise": 0.05,
        "velocity": rng.normal(0.0, 1.0, (3, count + 1)),
        "omega": rng.normal(0.0, 2.0, (3, count)),
        **options,
    }
    return rod(rng, count, **given)


def ready(spec, rng):
    """What the probes take: rest positions and present positions in place of the words above."""
    n = spec["count"]
    weights = np.ones(n) if spec["weights"] is None else spec["weights"]
    rest = spec["length"] * weights / weights.sum()
    z = np.concatenate([[0.0], np.cumsum(rest)])
    now = np.zeros((3, n + 1))
    now[2] = np.concatenate([[0.0], np.cumsum(rest * spec["stretch"])])
    now += rng.normal(0.0, 1.0, now.shape) * spec["noise"] * rest.min()
    straight = np.zeros((3, n + 1))
    straight[2] = z
    names = ("count", "length", "radius", "density", "nu", "nu_for_torques", "modulus", "velocity", "omega")
    return {k: spec[k] for k in names} | {"rest": straight, "now": now}


def element_mass(job):
    return job["density"] * np.pi * job["radius"] ** 2 * np.diff(job["rest"][2])


def nodal(values):
    """Half of each element's value on each of its nodes."""
    out = np.zeros(len(values) + 1)
    out[:-1] += 0.5 * values
    out[1:] += 0.5 * values
    return out


def inertia(job):
    """Second moments of the sections' mass: a disc's about two diameters, and about its axis."""
    disc = element_mass(job) * job["radius"] ** 2 / 4.0
    return np.array([disc, disc, 2.0 * disc])


def dilatation(job):
    return np.linalg.norm(np.diff(job["now"]), axis=0) / np.diff(job["rest"][2])


def undamped(jobs):
    return [{**j, "nu": 0.0, "nu_for_torques": None} for j in jobs]


def damping(candidate, blocks):
    """For each rod of each block: what damping adds to the accelerations of nodes and sections."""
    with_it = candidate(respond, blocks)
    without = candidate(respond, [undamped(b) for b in blocks])
    return [
        [(a["acceleration"] - b["acceleration"], a["alpha"] - b["alpha"]) for a, b in zip(p, q, strict=True)]
        for p, q in zip(with_it, without, strict=True)
    ]


def assert_close(got, want, scale=None):
    """Equal to rounding, relative to the largest number (or to the scale of what was subtracted)."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    scale = np.abs(want).max() if scale is None else scale
    assert np.abs(got - want).max() <= ROUNDING * scale


@probe
def respond(blocks):
    """Accelerations and damping of the rods of each block, after two evaluations of one state."""
    import numba
    import numpy as np

    numba.config.DISABLE_JIT = True
    from elastica.memory_block import MemoryBlockCosseratRod
    from elastica.rod.cosserat_rod import CosseratRod

    answers = []
    for jobs in blocks:
        made = []
        for j in jobs:
            options = {} if j["nu_for_torques"] is None else {"nu_for_torques": j["nu_for_torques"]}
            one = CosseratRod.straight_rod(
                j["count"],
                np.zeros(3),
                np.array([0.0, 0.0, 1.0]),
                np.array([0.0, 1.0, 0.0]),
                j["length"],
                j["radius"],
                j["density"],
                j["nu"],
                j["modulus"],
                shear_modulus=0.4 * j["modulus"],
                position=j["rest"].copy(),
                **options,
            )
            made.append(one)
        block = MemoryBlockCosseratRod(made)
        for one, j in zip(made, jobs):
            one.position_collection[:] = j["now"]
            one.velocity_collection[:] = j["velocity"]
            one.omega_collection[:] = j["omega"]
        for _ in range(2):
            block.compute_internal_forces_and_torques(0.0)
            block.update_accelerations(0.0)
        answers.append(
            [
                {
                    "acceleration": one.acceleration_collection.copy(),
                    "alpha": one.alpha_collection.copy(),
                    "forces": one.damping_forces.copy(),
                    "torques": one.damping_torques.copy(),
                    "inner": one.internal_forces.copy(),
                }
                for one in made
            ]
        )
    return answers


@probe
def travel(jobs, steps, dt):
    """Velocities of rods that start straight and unstressed, after steps of the package's integrator."""
    import contextlib
    import io

    import numba
    import numpy as np

    numba.config.DISABLE_JIT = True
    from elastica.rod.cosserat_rod import CosseratRod
    from elastica.timestepper import integrate
    from elastica.timestepper.symplectic_steppers import PositionVerlet
    from elastica.wrappers import BaseSystemCollection

    world = BaseSystemCollection()
    made = []
    for j in jobs:
        one = CosseratRod.straight_rod(
            j["count"],
            np.zeros(3),
            np.array([0.0, 0.0, 1.0]),
            np.array([0.0, 1.0, 0.0]),
            j["length"],
            j["radius"],
            j["density"],
            j["nu"],
            j["modulus"],
            shear_modulus=0.4 * j["modulus"],
        )
        one.velocity_collection[:] = j["velocity"]
        one.omega_collection[:] = j["omega"]
        world.append(one)
        made.append(one)
    world.finalize()
    with contextlib.redirect_stdout(io.StringIO()):
        integrate(PositionVerlet(), world, steps * dt, steps, progress_bar=False)
    return [[one.velocity_collection.copy(), one.omega_collection.copy()] for one in made]


@probe
def make(nu, options):
    """Make a rod of three elements; say what it answers about the constants."""
    import numba
    import numpy as np

    numba.config.DISABLE_JIT = True
    from elastica.rod.cosserat_rod import CosseratRod

    CosseratRod.straight_rod(
        3,
        np.zeros(3),
        np.array([0.0, 0.0, 1.0]),
        np.array([0.0, 1.0, 0.0]),
        1.0,
        0.02,
        1000.0,
        nu,
        1e6,
        **options,
    )
    return "made"
