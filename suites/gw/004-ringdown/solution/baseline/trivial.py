# referee-canary gw-004 7c0e2f4a-5d1b-4a53-9f0e-6b8f1d92c3a7
"""The tone (2, 2, 0) by two cubics in t = sqrt(1 - a)."""

from pathlib import Path

import h5py
import numpy as np

PREDICT = '''"""Quasi-normal frequencies of Kerr black holes: omega_R and omega_I / t cubics in t = sqrt(1 - a)."""

import numpy as np

REAL = {real}
SLOPE = {slope}


def predict(spin, l=2, m=2, n=0):
    """Real and imaginary part of M omega, two float64 arrays (k,), at spins (float64, (k,))."""
    if (l, m, n) != (2, 2, 0):
        raise ValueError("only the tone (2, 2, 0) is modelled")
    t = np.sqrt(1 - np.asarray(spin, dtype=float))
    return np.polyval(REAL, t), t * np.polyval(SLOPE, t)
'''


def main():
    with h5py.File("/data/ringdown_training.h5", "r") as file:
        group = file["l2/m+2/n0"]
        t = np.sqrt(1 - group["spin"][:])
        fits = [np.polyfit(t, y, 3) for y in (group["omega_real"][:], group["omega_imag"][:] / t)]
    text = PREDICT.format(real=fits[0].tolist(), slope=fits[1].tolist())
    Path("predict.py").write_text(text)


if __name__ == "__main__":
    main()
