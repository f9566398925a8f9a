# referee-canary gw-006 f8b0762e-12a7-442a-907e-495726be188b
"""Non-spinning binaries: the (2,2) mode by SEOBNRv4, in the layout of the published files.

The published set takes its 41 simulations from the SXS catalogue. Here an effective-one-body model
stands in their place: training has the published mass ratios, the hidden ones are drawn anew.
"""

from pathlib import Path

import h5py
import lal
import lalsimulation
import numpy as np

DT = 0.1  # step, in units of the total mass M
END = 100.0  # M after the peak
TRAINING = (1, 1.5, 2, 2.51, 3.27, 4, 4.5, 5, 5.5, 6, 6.58, 7.19, 7.76, 8.27, 9, 9.5, 10, 14, 15, 20)
VALIDATION = (1.2, 1.22, 1.25, 1.52, 1.68, 1.83, 2.32, 2.5, 3, 3.5, 5.52, 6.5, 7, 7.5, 8, 8.5, 8.73)
VALIDATION += (9.17, 9.2, 9.66, 9.99)
LENGTHS = {"small": (1200.0, 1800.0), "full": (3000.0, 10000.0)}  # M before the peak
EVERY = {"small": 2, "full": 1}  # of the training mass ratios
HIDDEN = {"small": 12, "full": len(VALIDATION)}
SOLAR_MASSES = 50.0  # any: the waveform scales


def public(size: str, seed: int, folder: Path) -> None:
    """Training: the published mass ratios; of the small set every second, and both ends."""
    rng = np.random.default_rng(seed)
    ratios = TRAINING if size == "full" else TRAINING[:: EVERY[size]] + TRAINING[-1:]
    write(folder / "analytic_training.h5", "training", ratios, size, rng)


def hidden(size: str, seed: int, folder: Path) -> None:
    """Validation: mass ratios within 4 % of the published ones, for those are known to anyone."""
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(VALIDATION, size=HIDDEN[size], replace=False))
    ratios = [round(float(q * rng.uniform(0.96, 1.04)), 4) for q in chosen]
    write(folder / "analytic_validation.h5", "validation", ratios, size, rng)


def write(path, split, ratios, size, rng):
    names = [f"SEOBNRv4_opt:{place:04d}" for place in range(1, len(ratios) + 1)]
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["description"] = "h22 of non-spinning binaries, by SEOBNRv4_opt of LALSimulation"
        file.attrs["dt_geometric"] = DT
        file.attrs["t_align"] = "argmax_abs_h22"
        file.attrs["non_spinning"] = True
        file.attrs["split"] = split
        for name, q in zip(names, ratios, strict=True):
            t, h = mode(float(q), float(rng.uniform(*LENGTHS[size])))
            group = file.create_group(f"sims/{name}")
            facts = {"q": q, "eccentricity": 0.0, "chi1_mag": 0.0, "chi2_mag": 0.0, "lev_used": 0}
            group.attrs.update({**facts, "n_samples": t.size})
            for key, values in (("t", t), ("h22_real", h.real), ("h22_imag", h.imag)):
                group.create_dataset(key, data=values, compression="gzip", compression_opts=4)
        table = file.create_group("metadata")
        table.attrs["param_columns"] = ["q"]
        table.attrs["n_simulations"] = len(names)
        table["sxs_id"] = np.array(names, dtype="S")
        table["q"] = np.array(ratios, dtype=float)
        table["eccentricity"] = np.zeros(len(names))


def mode(q, length):
    """t in M (0 at the greatest |h22|), and h22 in units of M over the distance."""
    mass, distance = SOLAR_MASSES * lal.MTSUN_SI, 1e6 * lal.PC_SI
    m1, m2 = (SOLAR_MASSES * lal.MSUN_SI * part / (1 + q) for part in (q, 1.0))
    # Where to start, by the quadrupole formula for a longer waveform: the true one is shorter.
    orbital = ((2 * length + 3000) * q / (1 + q) ** 2 / 5) ** (-3 / 8) / 8
    start = orbital / np.pi / mass
    position = (distance, 0.0, 0.0, 0.0, 0.0, 0.0)
    plus, cross = lalsimulation.SimInspiralChooseTDWaveform(
        m1, m2, *[0.0] * 6, *position, DT * mass, start, start, None, lalsimulation.SEOBNRv4_opt
    )
    # Face on there is the (2,2) mode alone, times sqrt(5 / 4 pi).
    h = (plus.data.data - 1j * cross.data.data) / np.sqrt(5 / (4 * np.pi))
    h *= distance / (SOLAR_MASSES * lal.MRSUN_SI)
    peak, before, after = int(np.argmax(np.abs(h))), round(length / DT), round(END / DT)
    if peak < before or h.size <= peak + after or not np.isfinite(h).all():
        raise RuntimeError(f"SEOBNRv4_opt gives too short a waveform at q = {q}")
    return np.arange(-before, after + 1) * DT, h[peak - before : peak + after + 1]
