# referee-canary gw-004 7c0e2f4a-5d1b-4a53-9f0e-6b8f1d92c3a7
"""Cubic splines in t = sqrt(1 - a) through omega_R and omega_I / t: both are smooth up to a = 1."""

from pathlib import Path

import h5py
import numpy as np

MODES = ("l2/m+2/n0", "l2/m+2/n1", "l3/m+3/n0", "l4/m+4/n0")

PREDICT = '''"""Quasi-normal frequencies of Kerr black holes: splines in t = sqrt(1 - a), and omega_I over t."""

from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

TABLE = Path(__file__).parent / "model" / "frequencies.csv"


def predict(spin, l=2, m=2, n=0):
    """Real and imaginary part of M omega, two float64 arrays (k,), at spins (float64, (k,))."""
    table = np.loadtxt(TABLE, delimiter=",", ndmin=2)
    rows = table[np.all(table[:, :3] == [l, m, n], axis=1)]
    if not rows.size:
        raise ValueError(f"there is no tone {l}, {m}, {n}")
    t = np.sqrt(1 - np.asarray(spin, dtype=float))
    real, slope = CubicSpline(rows[:, 3], rows[:, 4:])(t).T
    return np.ascontiguousarray(real), t * slope
'''


def main():
    rows = []
    with h5py.File("/data/ringdown_training.h5", "r") as file:
        for name in MODES:
            group = file[name]
            numbers = [int(part.lstrip("lmn")) for part in name.split("/")]
            t = np.sqrt(1 - group["spin"][:])
            values = np.stack([t, group["omega_real"][:], group["omega_imag"][:] / t], axis=1)
            rows += [[*numbers, *row] for row in values[np.argsort(t)]]
    Path("model").mkdir(exist_ok=True)
    lines = [",".join([*map(str, row[:3]), *(f"{x:.17g}" for x in row[3:])]) for row in rows]
    Path("model/frequencies.csv").write_text("\n".join(lines) + "\n")
    Path("predict.py").write_text(PREDICT)


if __name__ == "__main__":
    main()
