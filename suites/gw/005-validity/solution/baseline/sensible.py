# referee-canary gw-005 71cbe9e1-3925-4b67-a57a-495ade10cf9e
"""A sensible baseline: a Gaussian process on the logarithm of the mismatch, with fixed widths."""

import os

import h5py
import numpy as np

PROGRAM = '''"""A Gaussian process on the logarithm of the mismatch."""

from pathlib import Path

import numpy as np

WIDTHS = np.array([0.4, 0.25, 0.6, 1.0])


def features(q, chi1z, chi2z, omega0):
    eta = q / (1 + q) ** 2
    mean = (q * chi1z + chi2z) / (1 + q) - 76 / 113 * eta * (chi1z + chi2z)
    return np.transpose([np.log(q), mean, 2 * eta * (chi1z - chi2z), np.log(omega0)]) / WIDTHS


def near(some, others):
    return np.exp(-0.5 * ((some[:, None] - others[None]) ** 2).sum(axis=2))


def predict(q, chi1z, chi2z, omega0):
    """Four float64 arrays (n,); returns the mismatches, float64 (n,)."""
    with np.load(Path(__file__).parent / "model" / "process.npz") as file:
        points, numbers, middle = file["points"], file["numbers"], float(file["middle"])
    kernel = near(features(q, chi1z, chi2z, omega0), points)
    return np.minimum(10 ** (middle + (kernel * numbers).sum(axis=1)), 1.0)
'''
NOISE = 0.01  # of the variance


def main():
    space = {}
    exec(PROGRAM, space)
    with h5py.File("/data/validity_training.h5") as file:
        columns = [file[name][:] for name in ("q", "chi1z", "chi2z", "omega0")]
        values = np.log10(file["mm_td"][:])
    points, middle = space["features"](*columns), values.mean()
    kernel = space["near"](points, points) + NOISE * np.eye(len(points))
    numbers = np.linalg.solve(kernel, values - middle)
    os.makedirs("model", exist_ok=True)
    np.savez_compressed("model/process.npz", points=points, numbers=numbers, middle=middle)
    with open("predict.py", "w") as file:
        file.write(PROGRAM)


main()
