# referee-canary gw-001 fff653f1-8895-42f5-b50b-3e5f2bdc5b63
"""A trivial baseline: the chirp of the quadrupole formula, without spins, and a decay after its end."""

PROGRAM = '''"""The chirp of the quadrupole formula, with a decay after its end."""

import numpy as np


def predict(q, chi1, chi2, omega0, t):
    """chi1, chi2: float64 (3,), not used; t: float64 (n,); returns complex128 (n,)."""
    eta = q / (1 + q) ** 2
    tau = (np.sqrt(t**2 + 400) - t) / 2
    angle = 2 / eta * (eta * tau / 5) ** (5 / 8)
    size = 8 / 5 * eta * (1 + eta * tau / 5) ** (-1 / 4)
    return size * np.exp(1j * angle - (t + np.sqrt((t - 8) ** 2 + 25)) / 40)
'''

with open("predict.py", "w") as file:
    file.write(PROGRAM)
