# referee-canary gw-006 f8b0762e-12a7-442a-907e-495726be188b
"""A trivial baseline: the chirp of the quadrupole formula, with a decay after its end."""

LINES = """\
eta = q / (1 + q)**2
tau = (sqrt(t**2 + 400) - t) / 2
angle = 2 / eta * (eta * tau / 5)**(5 / 8)
size = 8 / 5 * eta * (1 + eta * tau / 5)**(-1 / 4)
size * exp(1j * angle - (t + sqrt((t - 8)**2 + 25)) / 40)
"""

PROGRAM = '''"""The chirp of the quadrupole formula, with a decay after its end."""

from numpy import exp, sqrt


def predict(t, q):
    """t: float64 (n,) in M; q: mass ratio; returns complex128 (n,)."""
    eta = q / (1 + q) ** 2
    tau = (sqrt(t**2 + 400) - t) / 2
    angle = 2 / eta * (eta * tau / 5) ** (5 / 8)
    size = 8 / 5 * eta * (1 + eta * tau / 5) ** (-1 / 4)
    return size * exp(1j * angle - (t + sqrt((t - 8)**2 + 25)) / 40)
'''

with open("expression.txt", "w") as file:
    file.write(LINES)
with open("predict.py", "w") as file:
    file.write(PROGRAM)
