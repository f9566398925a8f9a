# referee-canary climate-001 1b9528ac-1e36-4c2e-ad9d-467820e951dd
"""A straight line through the training data, without a season."""

from pathlib import Path

SOURCE = '''\
"""A straight line through the training data."""

from pathlib import Path

import numpy as np

TRAINING = Path(__file__).parent / "data" / "training.csv"


def predict(years):
    """Mole fractions in ppm (float64, shape (n,)) at times in years (float64, shape (n,))."""
    known, values = np.loadtxt(TRAINING, delimiter=",", skiprows=1).T
    return np.polyval(np.polyfit(known, values, 1), np.asarray(years, dtype=float))
'''

Path("predict.py").write_text(SOURCE)
