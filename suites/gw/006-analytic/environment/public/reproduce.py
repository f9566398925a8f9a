"""Look at one waveform. Exit status 0: there is a formula, and what it gives has a peak at t = 0."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np


def main():
    t = np.arange(-1000.0, 100.0, 0.5)
    try:
        text = Path("expression.txt").read_text()
        from predict import predict

        h = predict(t, 3.0)
    except Exception as failure:
        print(f"no waveform: {type(failure).__name__}: {failure}")
        return 1
    fine = h.shape == t.shape and np.isfinite(h).all()
    peak = float(t[np.argmax(np.abs(h))])
    print(f"{len(text.splitlines())} lines; q = 3: the modulus is largest at {peak:.1f} M")
    return 0 if fine and abs(peak) <= 10 else 1


if __name__ == "__main__":
    sys.exit(main())
