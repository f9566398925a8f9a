# referee-canary gw-002 77ea7b2c-a9a2-4f5f-bb45-f7e319f98ad0
"""Remnants of binary black holes: post-Newtonian inspirals, and fits to simulations at their end.

A binary starts at the orbital frequency omega0 with the spins that the file says, is evolved with
orbit-averaged equations to the separation at which the fits hold, and is handed to the fits of the
package `precession`. Units: G = c = 1, total mass 1. Arrays of vectors have shape (n, 3).
"""

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

COUNT = 1000
"""Of each file, as published; a smaller set would make the range of its speeds a matter of luck."""
HANGUP, SPINLESS, ALIGNED = 0.04, 0.04, 0.16
"""Shares of the binaries with the strongest kicks, without spin, and with spins along the normal.
The first are so many that the largest speed, by which errors are divided, is no matter of luck."""
LARGEST_RATIO, LARGEST_SPIN = 20.0, 0.9
SLOWEST, FASTEST = 0.014, 0.024
END = 10.0**-0.5
"""Orbital velocity at a separation of 10, from where the fits hold."""
LEVELS = {"lev_high": 7, "lev_low": 6}
"""Level n takes 2^n steps. The difference of two levels is the error that the files state."""
PHASE = np.radians(200.0)
"""Angle by which the kick lags behind the spins at the end of the inspiral; ours to choose."""
COLUMNS = ("q", "chi1x", "chi1y", "chi1z", "chi2x", "chi2y", "chi2z", "omega0")
ROLES = {"training": 0, "validation": 1}


def public(_size, seed, folder):
    """Write the file that the agent learns from."""
    write(folder, "training", COUNT, seed)


def hidden(_size, seed, folder):
    """Write the file that the model is measured on."""
    write(folder, "validation", COUNT, seed)


def write(folder, role, count, seed):
    parameters = drawn(count, np.random.default_rng([ROLES[role], seed]))
    found = {name: remnants(parameters, 2**level) for name, level in LEVELS.items()}
    high, low = found["lev_high"], found["lev_low"]
    columns = dict(zip(COLUMNS, parameters.T, strict=True))
    columns |= {name: high[name] for name in high}
    for name, of in (("delta_Mf", "Mf"), ("delta_chif", "chif_mag"), ("delta_vf", "vf_mag")):
        columns[name] = np.abs(high[of] - low[of])
    for name, level in LEVELS.items():
        columns[name] = np.full(count, level)
    columns["sxs_id"] = np.array([f"PN:{role}:{n:04d}".encode() for n in range(count)])
    with h5py.File(Path(folder) / f"remnant_{role}.h5", "w") as file:
        file.attrs["description"] = "remnants of quasi-circular binary black holes"
        file.attrs["source"] = "orbit-averaged inspirals to r = 10 M, then the fits of `precession`"
        file.attrs["split"] = role
        file.attrs["n_simulations"] = count
        for name, values in columns.items():
            file.create_dataset(name, data=values)
            file[f"metadata/{name}"] = file[name]


def drawn(count, rng):
    """Parameters (count, 8): mass ratios crowd towards 1, spins are isotropic where they are free.

    The strongest kicks are those of equal holes whose spins are opposite in the plane of the orbit
    and tilted to its normal by 45 degrees.
    """
    q = LARGEST_RATIO ** (rng.uniform(size=count) ** 2)
    omega0 = rng.uniform(SLOWEST, FASTEST, size=count)
    kind = rng.permutation(np.arange(count) / count)
    hangup = kind < HANGUP
    spinless = ~hangup & (kind < HANGUP + SPINLESS)
    aligned = ~hangup & ~spinless & (kind < HANGUP + SPINLESS + ALIGNED)
    turn = rng.uniform(0, 2 * np.pi, size=count)
    spins = []
    for side in (0, np.pi):
        size = rng.uniform(0, LARGEST_SPIN, size=count)
        cosine, angle = rng.uniform(-1, 1, size=count), rng.uniform(0, 2 * np.pi, size=count)
        size = np.where(spinless, 0.0, np.where(hangup, LARGEST_SPIN, size))
        cosine = np.where(aligned, np.sign(cosine), np.where(hangup, 0.5**0.5, cosine))
        angle = np.where(hangup, turn + side, angle)
        sine = np.sqrt(1 - cosine**2)
        spins.append(size * np.array([sine * np.cos(angle), sine * np.sin(angle), cosine]))
    return np.vstack([np.where(hangup, 1.0, q), *spins, omega0]).T


def remnants(parameters, steps):
    """Mf, chif_mag and vf_mag, each (n,), of binaries (n, 8) that are evolved in `steps` steps."""
    import precession

    q, chi1, chi2 = 1 / parameters[:, 0], parameters[:, 1:4], parameters[:, 4:7]
    end = evolved(q, chi1, chi2, parameters[:, 7], steps)
    # The package asks for the direction of every spin, also where there is none.
    sizes = [np.maximum(np.linalg.norm(chi, axis=1), 1e-100) for chi in (chi1, chi2)]
    theta = [polar(chi, end.normal) for chi in (end.chi1, end.chi2)]
    azimuth = [end.azimuth(chi) for chi in (end.chi1, end.chi2)]
    angles = (*theta, azimuth[1] - azimuth[0], q, *sizes)
    # With `maxphase` the package takes the phase 0; each part of the axial kick gets its own below.
    parts = [
        precession.remnantkick(*angles, maxphase=True, full_output=True, **terms)[:, 1:]
        for terms in ({"crosskick": False}, {"superkick": False, "hangupkick": False})
    ]
    difference = end.chi1 - q[:, None] * end.chi2
    total = end.chi1 + q[:, None] ** 2 * end.chi2
    axial = sum(
        part[:, 2] * np.cos(end.azimuth(vector) - PHASE)
        for part, vector in zip(parts, (difference, total), strict=True)
    )
    return {
        "Mf": precession.remnantmass(*theta, q, *sizes),
        "chif_mag": precession.remnantspin(*angles),
        "vf_mag": np.sqrt(parts[0][:, 0] ** 2 + parts[0][:, 1] ** 2 + axial**2),
    }


def polar(chi, normal):
    """Angles (n,) of spins to the normal of the orbit; 0 for a spin of size 0."""
    size = np.linalg.norm(chi, axis=1)
    cosine = dot(chi, normal) / np.where(size > 0, size, 1.0)
    return np.where(size > 0, np.arccos(np.clip(cosine, -1, 1)), 0.0)


@dataclass(frozen=True)
class End:
    """Binaries at the end of the inspiral: spins, normal of the orbit, and the line of the holes."""

    chi1: np.ndarray
    chi2: np.ndarray
    normal: np.ndarray
    line: np.ndarray

    def azimuth(self, vector):
        """Angles (n,) in the orbital plane from the line of the holes to vectors (n, 3)."""
        return np.arctan2(
            dot(vector, np.cross(self.normal, self.line)),
            dot(vector, self.line),
        )


def evolved(q, chi1, chi2, omega0, steps):
    """Inspirals to v = END, by the classical Runge-Kutta rule with equal steps of the velocity.

    q <= 1, (n,). The state of a binary is its normal L, both spins, a direction x in the orbital
    plane that turns as little as it can, and the angle from x to the line of the holes.
    """
    count = len(q)
    start = np.cbrt(omega0)
    step = (END - start) / steps
    z, x = (np.tile(axis, (count, 1)) for axis in ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]))
    state = np.concatenate([z, chi1, chi2, x, np.zeros((count, 1))], axis=1)
    for n in range(steps):
        v = start + n * step
        k1 = slope(v, state, q)
        k2 = slope(v + step / 2, state + step[:, None] / 2 * k1, q)
        k3 = slope(v + step / 2, state + step[:, None] / 2 * k2, q)
        k4 = slope(v + step, state + step[:, None] * k3, q)
        state = state + step[:, None] / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    normal, chi1, chi2, x, angle = parts(state)
    normal = normal / np.linalg.norm(normal, axis=1)[:, None]
    x = x - dot(x, normal)[:, None] * normal
    x = x / np.linalg.norm(x, axis=1)[:, None]
    line = np.cos(angle) * x + np.sin(angle) * np.cross(normal, x)
    return End(chi1, chi2, normal, line)


def slope(v, state, q):
    """d state / dv: precession to relative order 1/2 (1.5 and 2 PN), radiation to 3.5 PN.

    Equations of Gerosa and Kesden (2016), arXiv:1605.01067, section 4A; spins are chi here.
    """
    normal, chi1, chi2, x, _ = parts(state)
    eta, m1, m2 = q / (1 + q) ** 2, 1 / (1 + q), q / (1 + q)
    s1, s2 = (m1**2)[:, None] * chi1, (m2**2)[:, None] * chi2
    along = dot(normal, s1), dot(normal, s2)
    effective = (v**6 / 2)[:, None]
    turn1 = (eta * v**5 * (2 + 1.5 * q) - 1.5 * v**6 * (along[1] + q * along[0]))[:, None] * normal
    turn2 = (eta * v**5 * (2 + 1.5 / q) - 1.5 * v**6 * (along[0] + along[1] / q))[:, None] * normal
    dchi1 = np.cross(turn1 + effective * s2, chi1)
    dchi2 = np.cross(turn2 + effective * s1, chi2)
    torque = (m1**2)[:, None] * dchi1 + (m2**2)[:, None] * dchi2
    dnormal = -(v / eta)[:, None] * torque
    dx = -dot(x, dnormal)[:, None] * normal
    dt = 1 / speeding(v, eta, m1, m2, normal, chi1, chi2)
    rates = np.concatenate([dnormal, dchi1, dchi2, dx, (v**3)[:, None]], axis=1)
    return dt[:, None] * rates


def speeding(v, eta, m1, m2, normal, chi1, chi2):
    """dv/dt of a circular orbit, by the energy that it radiates."""
    c1, c2 = dot(normal, chi1), dot(normal, chi2)
    spin_orbit = c1 * (113 * m1**2 / 12 + 25 * eta / 4) + c2 * (113 * m2**2 / 12 + 25 * eta / 4)
    spin_spin = eta * (721 * c1 * c2 - 247 * dot(chi1, chi2)) / 48
    for mass, c, chi in ((m1, c1, chi1), (m2, c2, chi2)):
        spin_spin = spin_spin + mass**2 * (719 * c**2 - 233 * dot(chi, chi)) / 96
    terms = [
        np.ones_like(v),
        np.zeros_like(v),
        -(743 + 924 * eta) / 336,
        4 * np.pi - spin_orbit,
        34103 / 18144 + 13661 * eta / 2016 + 59 * eta**2 / 18 + spin_spin,
        -np.pi * (4159 + 15876 * eta) / 672,
        16447322263 / 139708800
        + 16 * np.pi**2 / 3
        - 1712 / 105 * (np.euler_gamma + np.log(4 * v))
        + (451 * np.pi**2 / 48 - 56198689 / 217728) * eta
        + 541 * eta**2 / 896
        - 5605 * eta**3 / 2592,
        np.pi * (-4415 / 4032 + 358675 * eta / 6048 + 91495 * eta**2 / 1512),
    ]
    return 32 / 5 * eta * v**9 * sum(term * v**order for order, term in enumerate(terms))


def parts(state):
    """Normal, both spins, x, each (n, 3), and the angle (n, 1)."""
    return np.split(state, [3, 6, 9, 12], axis=1)


def dot(a, b):
    return np.einsum("ij,ij->i", a, b)
