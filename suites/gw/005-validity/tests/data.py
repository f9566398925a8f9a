# referee-canary gw-005 71cbe9e1-3925-4b67-a57a-495ade10cf9e
"""How far two waveform models are apart, for aligned spins, in the layout of the published files.

The published labels compare simulations of the SXS catalogue with the surrogate NRHybSur3dq8. Here
SEOBNRv4 stands for the simulation and IMRPhenomT for the model. The recipe of the label is theirs.
"""

from pathlib import Path

import h5py
import lal
import lalsimulation
import numpy as np

DT = 0.1  # step, in units of the total mass M
END = 100.0  # M after the peak
SETTLED = 100.0  # M that are dropped at the start
Q_MAX, SPIN_MAX = 8.0, 0.8
START = {"small": (0.019, 0.026), "full": (0.014, 0.02)}  # omega0, in 1/M
TRAINING = {"small": 240, "full": 393}
HIDDEN = {"small": 120, "full": 393}
SOLAR_MASSES = 50.0  # any: waveforms scale


def public(size: str, seed: int, folder: Path) -> None:
    write(folder / "validity_training.h5", "training", TRAINING[size], size, seed)


def hidden(size: str, seed: int, folder: Path) -> None:
    write(folder / "validity_validation.h5", "validation", HIDDEN[size], size, seed)


def write(path, split, n, size, seed):
    rng = np.random.default_rng(seed)
    rows = np.transpose(
        [
            rng.uniform(1, Q_MAX, n),
            rng.uniform(-SPIN_MAX, SPIN_MAX, n),
            rng.uniform(-SPIN_MAX, SPIN_MAX, n),
            rng.uniform(*START[size], n),
        ]
    )
    rows = rows[np.lexsort(rows[:, 2::-1].T)]  # by q, chi1z, chi2z
    labels = [apart(*row.tolist()) for row in rows]
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["description"] = "time-domain mismatch of two models of h22, aligned spins"
        file.attrs["source_nr"] = "SEOBNRv4_opt of LALSimulation"
        file.attrs["source_surrogate"] = "IMRPhenomT of LALSimulation"
        file.attrs["split"] = split
        file.attrs["n_simulations"] = n
        for name, column in zip(("q", "chi1z", "chi2z", "omega0"), rows.T, strict=True):
            file[name] = column
        file["mm_td"] = np.array(labels)
        names = [f"SEOBNRv4_opt:{place:04d}" for place in range(1, n + 1)]
        file["sxs_id"] = np.array(names, dtype="S")


def apart(q, chi1, chi2, omega0):
    """1 - Re<h1, h2> / sqrt(<h1, h1> <h2, h2>), aligned at the peak and not optimised."""
    one, two = (
        aligned(*mode(model, q, chi1, chi2, omega0))
        for model in (lalsimulation.SEOBNRv4_opt, lalsimulation.IMRPhenomT)
    )
    first = int(np.ceil(max(one[0][0], two[0][0]) / DT))
    t = np.arange(first, round(END / DT) + 1) * DT
    a, b = (np.interp(t, s, h.real) + 1j * np.interp(t, s, h.imag) for s, h in (one, two))
    product = np.vdot(a, b).real / np.sqrt(np.vdot(a, a).real * np.vdot(b, b).real)
    if not np.isfinite(product):
        raise RuntimeError(f"no label for q = {q}, spins {chi1}, {chi2}, omega0 = {omega0}")
    return float(np.clip(1 - product, 0, 1))


def aligned(h, start):
    """Times from the peak on (a parabola through five values of |h|^2), and h with phase 0 there."""
    square = np.abs(h) ** 2
    top = int(np.argmax(square))
    near = np.arange(-2, 3)
    bend, slope, _ = np.polyfit(near, square[top - 2 : top + 3], 2)
    t = (np.arange(h.size) - top + slope / (2 * bend)) * DT
    h = h * np.exp(-1j * np.angle(h[np.argmin(np.abs(t))]))
    return t[start:], h[start:]


def mode(model, q, chi1, chi2, omega0):
    """h22 but for a factor, on steps of DT, and the index at which it has settled."""
    mass = SOLAR_MASSES * lal.MTSUN_SI
    m1, m2 = (SOLAR_MASSES * lal.MSUN_SI * part / (1 + q) for part in (q, 1.0))
    start = omega0 / np.pi / mass
    spins, place = (0.0, 0.0, chi1, 0.0, 0.0, chi2), (1e6 * lal.PC_SI, *[0.0] * 5)
    plus, cross = lalsimulation.SimInspiralChooseTDWaveform(
        m1, m2, *spins, *place, DT * mass, start, start, None, model
    )
    return plus.data.data - 1j * cross.data.data, round(SETTLED / DT)
