# referee-canary gw-005 71cbe9e1-3925-4b67-a57a-495ade10cf9e
"""A trivial baseline: the geometric mean of the training mismatches, for every binary."""

import h5py
import numpy as np

with h5py.File("/data/validity_training.h5") as file:
    mean = float(np.exp(np.log(file["mm_td"][:]).mean()))
with open("predict.py", "w") as file:
    file.write(
        f'''"""One mismatch for all."""

import numpy as np


def predict(q, chi1z, chi2z, omega0):
    """Four float64 arrays (n,); returns float64 (n,)."""
    return np.full(q.shape, {mean!r})
'''
    )
