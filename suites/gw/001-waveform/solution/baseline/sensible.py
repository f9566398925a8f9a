# referee-canary gw-001 fff653f1-8895-42f5-b50b-3e5f2bdc5b63
"""A sensible baseline: logarithms of frequency and amplitude on a fixed grid of times.

At each time both are polynomials in mass ratio, aligned spins and precession, by ridge regression
over the examples that reach back so far; splines through the grid give the rest.
"""

import os

import h5py
import numpy as np
from scipy.interpolate import CubicSpline

TIMES = 120  # of the grid
RIDGE = 1e-5
FEATURES = '''\
import numpy as np


def features(q, chi1, chi2):
    """A row of products of degree three at most, and what precession adds."""
    eta, one, two = q / (1 + q) ** 2, chi1[2], chi2[2]
    mean = (q * one + two) / (1 + q)
    x, y, z = 8 * eta - 1, mean - 76 / 113 * eta * (one + two), one - two
    powers = [x**i * y**j * z**k for i in range(4) for j in range(4 - i) for k in range(4 - i - j)]
    planar = np.hypot(*(q**2 * chi1 + chi2)[:2]) / (1 + q) ** 2
    return np.array([*powers, planar**2, planar**2 * x, planar**2 * y, planar**4])
'''
PREDICT = '''"""Splines through frequencies and amplitudes that are polynomials in the parameters."""

from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from model.features import features

with np.load(Path(__file__).parent / "model" / "fits.npz") as file:
    TIMES, FREQUENCY, SIZE = file["times"], file["frequency"], file["size"]


def predict(q, chi1, chi2, omega0, t):
    """chi1, chi2: float64 (3,); t: float64 (n,); returns complex128 (n,)."""
    row = features(q, chi1, chi2)
    fine = np.linspace(TIMES[0], TIMES[-1], 20001)
    rate = CubicSpline(fine, np.exp(CubicSpline(TIMES, row @ FREQUENCY)(fine)))
    phase = rate.antiderivative()
    size = CubicSpline(TIMES, row @ SIZE)(t)
    return q / (1 + q) ** 2 * np.exp(size - 1j * (phase(t) - phase(0.0)))
'''


def main():
    space = {}
    exec(FEATURES, space)
    rows, series = [], []
    with h5py.File("/data/waveform_training.h5") as file:
        for place in range(file.attrs["n_simulations"]):
            group = file[f"sim_{place:04d}"]
            values = dict(group.attrs)
            spins = [np.array([values[f"chi{n}{axis}"] for axis in "xyz"]) for n in (1, 2)]
            rows.append(space["features"](values["q"], *spins))
            eta = values["q"] / (1 + values["q"]) ** 2
            series.append((eta, group["t"][:], group["h22_real"][:] + 1j * group["h22_imag"][:]))
    rows = np.array(rows)
    first = min(t[0] for _, t, _ in series)
    early = -np.geomspace(-first, 50.0, TIMES - 40, endpoint=False)
    times = np.concatenate([early, np.linspace(-50.0, 100.0, 40)])
    frequency, size = (np.full((len(rows), TIMES), np.nan) for _ in range(2))
    for place, (eta, t, h) in enumerate(series):
        inside = times >= t[0]
        rate = -np.gradient(np.unwrap(np.angle(h)), t)
        frequency[place, inside] = CubicSpline(t, np.log(rate))(times[inside])
        size[place, inside] = CubicSpline(t, np.log(np.abs(h) / eta))(times[inside])
    os.makedirs("model", exist_ok=True)
    write("model/features.py", FEATURES)
    write("predict.py", PREDICT)
    fits = {"frequency": fit(rows, frequency), "size": fit(rows, size)}
    np.savez_compressed("model/fits.npz", times=times, **fits)


def fit(rows, values):
    """Numbers (features, times), each column from the examples that have that time."""
    found = np.zeros((rows.shape[1], values.shape[1]))
    for column in range(values.shape[1]):
        known = np.isfinite(values[:, column])
        some, middle = rows[known], values[known, column].mean()
        matrix = np.concatenate([some, np.sqrt(RIDGE * len(some)) * np.eye(rows.shape[1])])
        target = np.concatenate([values[known, column] - middle, np.zeros(rows.shape[1])])
        found[:, column] = np.linalg.lstsq(matrix, target, rcond=None)[0]
        found[0, column] += middle  # the first feature is 1
    return found


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


main()
