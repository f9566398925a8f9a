# referee-canary gw-007 735db40a-a61b-4e5b-a917-1393d44b170d
"""A pool of binaries, frequencies and weights; and, hidden, other binaries and a reference bank."""

from pathlib import Path

import numpy as np

from referee.metric.gw.bank import THRESHOLD, multimode_overlaps, normalised, orthonormal_modes
from referee.metric.gw.xhm import GROUPS, plus

POOL = {"small": 1500, "full": 4000}
TESTS = {"small": 1000, "full": 2000}
BOX = {"mass": (200.0, 300.0), "ratio": (3.0, 8.0), "s1z": (-0.3, 0.6), "s2z": (-0.3, 0.3)}
LOWEST, HIGHEST, FREQUENCIES = 15.0, 1024.0, 501
REFERENCE_POOL, REFERENCE_ROWS = 1500, 100
ROLES = {"pool": 0, "tests": 1, "reference": 2}


def public(size, seed, folder):
    """Write the pool, the frequencies and the weights."""
    f, amplitude, weights = grid()
    save(folder, "bank_wf_params", binaries(POOL[size], "pool", seed))
    save(folder, "f_amp", f)
    save(folder, "Aref_weights", np.array([amplitude, weights]))


def hidden(size, seed, folder):
    """Write the binaries of the test, and the rows of the reference bank in their order."""
    save(folder, "bank_wf_params_test", binaries(TESTS[size], "tests", seed))
    save(folder, "calpha_grid_params", reference(seed))


def save(folder, name, array):
    np.save(Path(folder) / f"{name}.npy", array, allow_pickle=False)


def binaries(count, role, seed):
    """Rows m1, m2, s1z, s2z, uniform in the box."""
    rng = np.random.default_rng([ROLES[role], seed])
    mass, ratio, s1z, s2z = (rng.uniform(*ends, size=count) for ends in BOX.values())
    m2 = mass / (1 + ratio)
    return np.array([mass - m2, m2, s1z, s2z]).T


def grid():
    """Frequencies, evenly in their logarithm; the reference amplitude; and the weights, of sum 1.

    With these few the overlaps are those of a fine grid to 1e-3.
    """
    import lalsimulation

    f = LOWEST * (HIGHEST / LOWEST) ** (np.arange(FREQUENCIES) / (FREQUENCIES - 1))
    noise = np.array([lalsimulation.SimNoisePSDaLIGOZeroDetHighPower(each) for each in f])
    amplitude = (f / LOWEST) ** (-7 / 6)
    weights = np.gradient(f) * amplitude**2 / noise
    return f, amplitude, weights / weights.sum()


def reference(seed):
    """The reference scheme: rows whose three orthonormal templates cover most of a pool, in turn."""
    f, amplitude, weights = grid()
    rows = binaries(REFERENCE_POOL, "reference", seed)
    phase = np.random.default_rng([3, seed]).uniform(0, 2 * np.pi, size=len(rows))
    full = np.column_stack([rows, phase])
    signals, _ = normalised(plus(full, f) / amplitude, weights)
    modes = np.stack([plus(full, f, group) / amplitude for group in GROUPS], axis=1)
    found = multimode_overlaps(signals, orthonormal_modes(modes, weights), weights)
    return rows[in_turn(found >= THRESHOLD, REFERENCE_ROWS)]


def in_turn(covers, most):
    """Columns that each cover most of what those before it left; at most so many."""
    left, chosen = np.ones(len(covers), dtype=bool), []
    gain = covers.sum(axis=0)
    while len(chosen) < most and gain.max() > 0:
        chosen.append(int(gain.argmax()))
        new = left & covers[:, chosen[-1]]
        left &= ~new
        gain = gain - covers[new].sum(axis=0)
    return chosen
