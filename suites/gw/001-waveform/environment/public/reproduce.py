"""Ask for one binary. Exit status 0: the surrogate answers, and its signal is loudest near t = 0."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np


def main():
    t = np.arange(-800.0, 100.0, 0.2)
    spins = np.array([0.2, -0.3, 0.4]), np.array([0.1, 0.5, -0.2])
    try:
        from predict import predict

        h = predict(2.5, *spins, 0.025, t)
    except Exception as failure:
        print(f"no surrogate: {type(failure).__name__}: {failure}")
        return 1
    if h.shape != t.shape or not np.isfinite(h).all():
        print("the answer has another shape, or is not finite")
        return 1
    loudest = float(t[np.argmax(np.abs(h))])
    print(f"largest modulus {np.abs(h).max():.3f}, at {loudest:.1f} M")
    return 0 if abs(loudest) <= 10 else 1


if __name__ == "__main__":
    sys.exit(main())
