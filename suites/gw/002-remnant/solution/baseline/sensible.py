# referee-canary gw-002 77ea7b2c-a9a2-4f5f-bb45-f7e319f98ad0
"""The square of the speed as a sum of terms that the symmetries allow, fitted to the training set.

The phase of the orbit at merger is left out: what depends on it is replaced by its mean.
"""

import json
import sys
from pathlib import Path

import h5py
import numpy as np

PREDICT = '''"""The speed of the remnant of two black holes, averaged over the phase of the orbit."""

import json
from pathlib import Path

import numpy as np

MODEL = Path(__file__).parent / "model" / "coefficients.json"
SMALLEST = 1e-14


def predict(parameters):
    """Speeds in units of c, float64 (n,), of binaries, float64 (n, 8)."""
    coefficients = np.array(json.loads(MODEL.read_text())["coefficients"])
    return speeds(terms(np.asarray(parameters, dtype=float)), coefficients)


def speeds(rows, coefficients):
    """The square root of the sum of the terms; never of less than nothing."""
    square = np.einsum("ij,j->i", rows, coefficients)
    return np.sqrt(np.clip(square, 0, None) + SMALLEST)


def terms(parameters):
    """Parts of the square of the speed, (n, 14), each zero for equal holes without spin."""
    q = 1 / parameters[:, :1]
    first, second = parameters[:, 1:4], parameters[:, 4:7]
    asymmetry = ((1 - q) / (1 + q))[:, 0]
    difference = (first - q * second) / (1 + q)
    total = (first + q**2 * second) / (1 + q) ** 2
    d, s = difference[:, 2], total[:, 2]
    flat = np.hypot(difference[:, 0], difference[:, 1]) ** 2
    flat_total = np.hypot(total[:, 0], total[:, 1]) ** 2
    rows = [
        asymmetry**2,
        asymmetry**4,
        asymmetry * d,
        d**2,
        d**2 * s,
        d**4,
        d**2 * flat_total,
        flat,
        flat * s,
        flat * s**2,
        flat * s**3,
        flat**2,
        flat * asymmetry**2,
        flat_total * asymmetry**2,
    ]
    return ((4 * q[:, 0] / (1 + q[:, 0]) ** 2) ** 4 * np.array(rows)).T
'''
COLUMNS = ("q", "chi1x", "chi1y", "chi1z", "chi2x", "chi2y", "chi2z", "omega0")
TRAINING = "/data/remnant_training.h5"
STEPS, STRIDE = 8, 0.7


def main():
    with h5py.File(TRAINING, "r") as file:
        parameters = np.array([file[name][:] for name in COLUMNS]).T
        true = file["vf_mag"][:]
    Path("predict.py").write_text(PREDICT)
    sys.path.insert(0, str(Path.cwd()))
    from predict import speeds, terms

    rows = terms(parameters)
    scale = np.sqrt((rows**2).mean(axis=0))
    found = fitted(rows / scale, true, speeds) / scale
    Path("model").mkdir(exist_ok=True)
    text = json.dumps({"coefficients": found.tolist()}, indent=1)
    Path("model/coefficients.json").write_text(text + "\n")
    error = speeds(rows, found) - true
    print("NRMSE on the training set:", np.sqrt(np.mean(error**2)) / np.ptp(true))


def fitted(rows, true, speeds):
    """A fit to the square, and a few steps of Gauss and Newton towards the speed itself."""
    weight = 1 / (true + 3e-3)
    found = solved(rows * weight[:, None], true**2 * weight, 1e-6)
    for _ in range(STEPS):
        now = speeds(rows, found)
        slopes = rows / (2 * np.maximum(now, 3e-4))[:, None]
        found = found + STRIDE * solved(slopes, true - now, 1e-3)
    return found


def solved(rows, right, share):
    """Least squares with a little of the mean square of the rows added to the diagonal."""
    matrix = rows.T @ rows
    size = np.trace(matrix) / len(matrix)
    return np.linalg.solve(matrix + share * size * np.eye(len(matrix)), rows.T @ right)


main()
