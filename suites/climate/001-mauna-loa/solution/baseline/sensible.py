# referee-canary climate-001 1b9528ac-1e36-4c2e-ad9d-467820e951dd
"""A cubic trend, a season that grows, and what is left, smoothed."""

from pathlib import Path

SOURCE = '''\
"""A model of carbon dioxide at Mauna Loa: a cubic trend, a season that grows, and what is left,
smoothed."""

from pathlib import Path

import numpy as np

TRAINING = Path(__file__).parent / "data" / "training.csv"
MIDDLE, SPAN = 1976.0, 18.0
HARMONICS = 3
WIDTH = 0.2
CHUNK = 512


def predict(years):
    """Mole fractions in ppm (float64, shape (n,)) at times in years (float64, shape (n,))."""
    known, values = np.loadtxt(TRAINING, delimiter=",", skiprows=1).T
    weights = np.linalg.lstsq(design(known), values, rcond=None)[0]
    left = values - design(known) @ weights
    years = np.asarray(years, dtype=float)
    out = design(years) @ weights
    for start in range(0, years.size, CHUNK):
        part = slice(start, start + CHUNK)
        out[part] += smoothed(years[part], known, left)
    return out


def design(years):
    """One row per time: powers of the time, and harmonics of the year that grow with it."""
    scaled = (years - MIDDLE) / SPAN
    columns = [scaled**power for power in range(4)]
    for order in range(1, HARMONICS + 1):
        for wave in (np.sin, np.cos):
            season = wave(2 * np.pi * order * years)
            columns += [season, scaled * season]
    return np.stack(columns, axis=1)


def smoothed(years, known, left):
    """A mean of what is left, by nearness in time; far from all data it is that of the nearest."""
    distance = np.abs(years[:, None] - known[None, :])
    distance -= distance.min(axis=1, keepdims=True)
    nearness = np.exp(-0.5 * (distance / WIDTH) ** 2)
    return (nearness @ left) / nearness.sum(axis=1)
'''

Path("predict.py").write_text(SOURCE)
