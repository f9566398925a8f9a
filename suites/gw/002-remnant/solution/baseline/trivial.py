# referee-canary gw-002 77ea7b2c-a9a2-4f5f-bb45-f7e319f98ad0
"""The mean speed of the training set, and none where there is no reason for one."""

from pathlib import Path

import h5py

with h5py.File("/data/remnant_training.h5", "r") as file:
    mean = float(file["vf_mag"][:].mean())
Path("predict.py").write_text(
    f'''"""The same speed for every binary but those that have no reason to move."""

import numpy as np


def predict(parameters):
    """Speeds in units of c, float64 (n,), of binaries, float64 (n, 8)."""
    moved = (parameters[:, 0] != 1) | (parameters[:, 1:7] != 0).any(axis=1)
    return np.where(moved, {mean!r}, 0.0)
'''
)
