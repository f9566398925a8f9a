# referee-canary gw-003 1f6a3c52-90d7-4be1-8a35-2d4e7c61b0f8
"""The quadrupole formula between the known ends of an orbit, and its logarithmic correction: Chebyshev
polynomials of the time left, whose coefficients are linear in a few functions of the parameters."""

import json
from pathlib import Path

import h5py
import numpy as np

ORDER = 10
NAMES = ("q", "chi1z", "chi2z", "e0", "zeta0", "omega0")

MODEL = '''"""x(t) of eccentric binaries: the quadrupole formula between the ends of an orbit, corrected."""

import json
from pathlib import Path

import numpy as np
from numpy.polynomial.chebyshev import chebvander

END = 1 / 6
FILE = Path(__file__).parent / "model" / "correction.json"


def leading(parameters, t):
    """x by the quadrupole formula on a circle, and the share of time left; both (k, n)."""
    start = parameters[:, 5:] ** (2 / 3)
    left = (t[:, -1:] - t) / (t[:, -1:] - t[:, :1])
    return (END**-4 + left * (start**-4 - END**-4)) ** -0.25, left


def features(parameters):
    """Functions of the parameters that the correction is linear in, (k, 11)."""
    q, chi1, chi2, e, _, omega = parameters.T
    spin, other = (q * chi1 + chi2) / (1 + q), (q * chi1 - chi2) / (1 + q)
    mass, speed, s = 4 * q / (1 + q) ** 2 - 0.8, (omega - 0.008) / 5e-4, e**2
    columns = [s**0, s, s**2, s**3, spin, mass, speed, other, spin * s, mass * s, speed * s]
    return np.stack(columns, axis=1)


def basis(left, order):
    return chebvander(2 * left**0.25 - 1, order)


def predict(parameters, t):
    """x, float64 (k, n), of k binaries with parameters (k, 6) at times t (k, n), both float64."""
    weights = np.array(json.loads(FILE.read_text()))
    x, left = leading(parameters, t)
    coefficients = features(parameters) @ weights
    correction = (basis(left, weights.shape[1] - 1) * coefficients[:, None]).sum(axis=2)
    return x * np.exp(correction)
'''


def main():
    Path("predict.py").write_text(MODEL)
    model = {"__file__": "predict.py"}
    exec(MODEL, model)
    rows, coefficients = [], []
    with h5py.File("/data/dynamics_training.h5", "r") as file:
        for place in range(int(file.attrs["n_simulations"])):
            group = file[f"sim_{place:04d}"]
            row = np.array([[float(group.attrs[name]) for name in NAMES]])
            x, left = model["leading"](row, group["t"][:][None])
            target = np.log(group["x"][:] / x[0])
            fit = np.linalg.lstsq(model["basis"](left[0], ORDER), target, rcond=None)[0]
            rows.append(model["features"](row)[0])
            coefficients.append(fit)
    weights = np.linalg.lstsq(np.array(rows), np.array(coefficients), rcond=None)[0]
    Path("model").mkdir(exist_ok=True)
    lines = [json.dumps(row) for row in weights.tolist()]
    Path("model/correction.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
