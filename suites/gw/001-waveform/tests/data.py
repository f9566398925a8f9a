# referee-canary gw-001 fff653f1-8895-42f5-b50b-3e5f2bdc5b63
"""Precessing binaries: the (2,2) mode in the co-precessing frame, in the layout of the published files.

The published set takes its simulations from the SXS catalogue. Here IMRPhenomTPHM stands in their
place. Alignment, phase, step and end are those of the published recipe.
"""

from pathlib import Path

import h5py
import lal
import lalsimulation
import numpy as np
from scipy.interpolate import CubicSpline

DT = 0.1  # step, in units of the total mass M
END = 100.0  # M after the peak
SETTLED = 100.0  # M that are dropped at the start
LONGEST = 10000.0  # M
Q_MAX, SPIN_MAX = 8.0, 0.8
LENGTHS = {"small": (1200.0, 1800.0), "full": (3000.0, 9800.0)}  # M before the peak, about
TRAINING = {"small": (4, 16, 80), "full": (10, 40, 200)}  # without spin, aligned, precessing
HIDDEN = {"small": (2, 6, 32), "full": (10, 40, 200)}
SOLAR_MASSES = 50.0  # any: the waveform scales
COLUMNS = ("q", "chi1x", "chi1y", "chi1z", "chi2x", "chi2y", "chi2z")


def public(size: str, seed: int, folder: Path) -> None:
    """Training: of ten times as many binaries those that lie farthest from each other."""
    rng = np.random.default_rng(seed)
    chosen = [spread(binaries(rng, kind, 10 * n), n) for kind, n in enumerate(TRAINING[size])]
    write(folder / "waveform_training.h5", "training", np.concatenate(chosen), size, rng)


def hidden(size: str, seed: int, folder: Path) -> None:
    """Validation: drawn from the same ranges."""
    rng = np.random.default_rng(seed)
    chosen = [binaries(rng, kind, n) for kind, n in enumerate(HIDDEN[size])]
    write(folder / "waveform_validation.h5", "validation", np.concatenate(chosen), size, rng)


def binaries(rng, kind, n):
    """n rows of COLUMNS; kind 0: no spin, 1: along the orbit's axis, 2: in any direction."""
    rows = np.zeros((n, 7))
    rows[:, 0] = rng.uniform(1, Q_MAX, n)
    for first in (1, 4):
        spin = rng.uniform(0, SPIN_MAX, n)
        cosine, angle = rng.uniform(-1, 1, n), rng.uniform(0, 2 * np.pi, n)
        if kind == 1:
            rows[:, first + 2] = spin * np.sign(cosine)
        elif kind == 2:
            sine = np.sqrt(1 - cosine**2)
            rows[:, first : first + 3] = np.transpose(
                [spin * sine * np.cos(angle), spin * sine * np.sin(angle), spin * cosine]
            )
    return rows


def spread(rows, n):
    """n of the rows: first the one nearest to the middle, then always the farthest from all taken."""
    width = np.ptp(rows, axis=0)
    unit = (rows - rows.min(axis=0)) / np.where(width > 0, width, 1)
    taken = [int(np.argmin(((unit - 0.5) ** 2).sum(axis=1)))]
    far = np.full(len(rows), np.inf)
    while len(taken) < n:
        far = np.minimum(far, ((unit - unit[taken[-1]]) ** 2).sum(axis=1))
        taken.append(int(np.argmax(far)))
    return rows[taken]


def write(path, split, rows, size, rng):
    lengths = rng.uniform(*LENGTHS[size], len(rows))
    table = {name: [] for name in ("omega0", "chi_eff", "chi_p", "wf_length")}
    names = [f"IMRPhenomTPHM:{place:04d}" for place in range(1, len(rows) + 1)]
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["description"] = "co-precessing h22 of binaries, by IMRPhenomTPHM of LALSimulation"
        file.attrs["source"] = "lalsimulation.SimIMRPhenomTPHM_CoprecModes"
        file.attrs["split"] = split
        file.attrs["n_simulations"] = len(rows)
        file.attrs["dt_geometric"] = DT
        file.attrs["t_align"] = "h22_copr_peak"
        file.attrs["phase_convention"] = "arg(h22(t=0)) = 0"
        for place, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            omega0, t, h = simulation(row, length)
            group = file.create_group(f"sim_{place:04d}")
            group.attrs.update(dict(zip(COLUMNS, row, strict=True)))
            facts = {"sxs_id": names[place], "omega0": omega0, "n_pts": t.size, "lev_used": 0}
            group.attrs.update({**facts, "wf_length": t[-1] - t[0]})
            for key, values in (("t", t), ("h22_real", h.real), ("h22_imag", h.imag)):
                group.create_dataset(key, data=values, compression="gzip", compression_opts=4)
            found = (omega0, *effective(row), t[-1] - t[0])
            for column, value in zip(table.values(), found, strict=True):
                column.append(value)
        meta = file.create_group("metadata")
        meta["sxs_id"] = np.array(names, dtype="S")
        for name, column in (*zip(COLUMNS, rows.T, strict=True), *table.items()):
            meta[name] = np.asarray(column, dtype=float)


def effective(row):
    """chi_eff and chi_p."""
    q, one, two = row[0], row[1:4], row[4:7]
    weight = q * (4 * q + 3) / (4 + 3 * q)  # A1 m1^2 / (A2 m2^2)
    aligned = (q * one[2] + two[2]) / (1 + q)
    return aligned, max(np.hypot(*one[:2]), np.hypot(*two[:2]) / weight)


def simulation(row, length):
    """omega0 in 1/M, t in M (0 at the peak of |h22|) and h22, from 100 M after the start on."""
    # The time to the peak falls with the frequency to the power 8/3, nearly.
    omega0 = 0.02
    for _ in range(3):
        h, peak = mode(row, omega0)
        omega0 *= (peak / (length + SETTLED)) ** (3 / 8)
    h, peak = mode(row, omega0)
    before = int(min(peak - SETTLED, LONGEST - END) / DT)
    t = np.arange(-before, round(END / DT) + 1) * DT
    found = CubicSpline(np.arange(h.size) * DT - peak, h)(t)
    found *= np.conj(found[before]) / np.abs(found[before])
    if not np.isfinite(found).all():
        raise RuntimeError(f"IMRPhenomTPHM gives no finite waveform for {row.tolist()}")
    return omega0, t, found


def mode(row, omega0):
    """h22 in units of M over the distance, on steps of DT, and the time of its peak in M."""
    mass, distance = SOLAR_MASSES * lal.MTSUN_SI, 1e6 * lal.PC_SI
    m1, m2 = (SOLAR_MASSES * lal.MSUN_SI * part / (1 + row[0]) for part in (row[0], 1.0))
    start = omega0 / np.pi / mass
    modes = lalsimulation.SimIMRPhenomTPHM_CoprecModes(
        m1, m2, *row[1:].tolist(), distance, 0.0, DT * mass, start, start, 0.0, None, 1
    )[0]
    while (modes.l, modes.m) != (2, 2):
        modes = modes.next
    h = modes.mode.data.data * distance / (SOLAR_MASSES * lal.MRSUN_SI)
    square = np.abs(h) ** 2
    top = int(np.argmax(square))
    left, middle, right = square[top - 1 : top + 2]
    return h, (top + 0.5 * (left - right) / (left - 2 * middle + right)) * DT
