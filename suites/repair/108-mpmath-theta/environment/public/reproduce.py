"""Shows the anomaly: theta functions beside the series that defines them.

Exits with 1 while any line is wrong and with 0 when none is.
"""

import sys

import mpmath
from mpmath import mp

DIGITS = 25


def series(n, z, q, order):
    """The defining series, summed at 500 digits over 1001 terms."""
    with mp.workdps(500):
        z, q = mp.mpmathify(z), mp.mpmathify(q)
        total = mp.mpc(0)
        for k in range(-500, 501):
            twice = 2 * k + 1 if n < 3 else 2 * k
            power = q ** (k * k + k) * mp.root(q, 4) if n < 3 else q ** (k * k)
            sign = (-1) ** k if n in (1, 4) else 1
            total += sign * power * (1j * twice) ** order * mp.expj(twice * z)
        if n == 1:
            total *= -1j
        return total


def main():
    mp.dps = DIGITS
    wrong = 0
    for n, z, q, order in (
        (4, 0.375 + 0.75j, 0.990234375, 0),
        (1, 0.375 + 0.75j, 0.990234375, 0),
        (3, 0.3125, 1e-40, 1),
        (4, 0.3125, 1e-40, 1),
        (2, 0.375 + 0.25j, 0.25, 0),
    ):
        got = mpmath.jtheta(n, z, q, order)
        wanted = series(n, z, q, order)
        error = abs(got - wanted) / abs(wanted)
        right = error <= mp.mpf(10) ** (6 - DIGITS)
        wrong += not right
        print(f"theta{n}({z}, q={q}), derivative {order}: {'right' if right else 'WRONG'}")
        print(f"    library {mpmath.nstr(mp.mpc(got), 8)}")
        print(f"    series  {mpmath.nstr(mp.mpc(wanted), 8)}")
        print(f"    relative error {mpmath.nstr(error, 3)}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
