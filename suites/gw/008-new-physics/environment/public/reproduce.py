"""Look at one waveform. Exit status 0: it is finite, has power in its band and none outside."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np


def main():
    f = np.arange(0.0, 400.0, 0.5)
    try:
        from candidate_waveform import h_of_f

        h = h_of_f(f, 28.3, 0.22, 410.0, f_low=15, fmax_over_fisco=1.0)
    except Exception as failure:
        print(f"no waveform: {type(failure).__name__}: {failure}")
        return 1
    band = (f >= 20) & (f < 60)
    fine = h.shape == f.shape and np.isfinite(h).all() and (np.abs(h[band]) > 0).all()
    print(f"amplitude at 30 Hz: {abs(h[60]):.4e} per Hz; nothing below 15 Hz: {not h[:30].any()}")
    return 0 if fine and not h[:30].any() else 1


if __name__ == "__main__":
    sys.exit(main())
