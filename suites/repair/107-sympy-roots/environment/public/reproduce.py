"""Differentiate antiderivatives of rational functions of real symbols and compare with the integrands.

Exit status: 0 when all agree, 1 when one differs.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

from sympy import Rational, integrate, symbols

w, x = symbols("w x", real=True)

INTEGRANDS = [
    w**2 * (x - w) ** 3 / ((x - w) ** 2 + 1) ** 2,
    w**2 / ((x - w) ** 2 + 1),
    w * (x - w) / ((x - w) ** 2 + 1) ** 2,
]
PLACES = [{w: Rational(2, 3), x: Rational(5, 7)}, {w: Rational(-9, 4), x: Rational(1, 5)}]


def main():
    wrong = 0
    for integrand in INTEGRANDS:
        answer = integrate(integrand, w)
        gaps = [abs((answer.diff(w) - integrand).subs(place).evalf(20)) for place in PLACES]
        good = all(gap <= 1e-12 for gap in gaps)
        wrong += not good
        print(f"{'agrees ' if good else 'differs'} {float(max(gaps)):.3e}  {integrand}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
