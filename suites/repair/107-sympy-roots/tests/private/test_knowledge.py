# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""The fundamental theorem, for integrands like the one reported; and closed forms."""

import math

from referee.wall import contract, probe


@contract("knowledge")
def test_family_of_the_report(candidate, rng, calc):
    """Powers of both, over the square of a quadratic with its poles at x + i s and x - i s."""
    asked = []
    for k, m, s in ((2, 3, 1), (3, 1, 2)):
        asked.append(
            calc.case(
                f"w**{k}*(x - w)**{m}/((x - w)**2 + {s}**2)**2",
                by="w",
                real="wx",
                places=calc.places(rng, "wx"),
            )
        )
    calc.check_differences(candidate, asked)


@contract("knowledge")
def test_definite_integral_of_the_report(candidate, rng, calc):
    place = {"w": [0, 1], "x": calc.fraction(rng, 0.5, 2)}
    text = "w**2*(x - w)**3/((x - w)**2 + 1)**2"
    expected = calc.integral(text, place, "w", 0.5)
    numerator, denominator = place["x"]
    value = candidate(definite, text, "w", ["0", "1/2"], {"x": f"{numerator}/{denominator}"})
    right = abs(value - expected) <= calc.RTOL * (1 + abs(expected))
    assert right
    calc.check(candidate, [])


@probe
def definite(text, by, ends, given):
    """Integrate with a real parameter, then put in its value."""
    import sympy

    symbols = {n: sympy.Symbol(n, real=True) for n in (by, *given)}
    f = sympy.sympify(text, locals=symbols)
    low, high = map(sympy.Rational, ends)
    answer = sympy.integrate(f, (symbols[by], low, high))
    place = {symbols[n]: sympy.Rational(v) for n, v in given.items()}
    return complex(answer.subs(place).evalf(20))


@contract("knowledge")
def test_quadratics_against_closed_forms(candidate, rng, calc):
    """Between x and x + 1/4: an arctangent for a negative discriminant, a logarithm else."""
    for text, sign in (("1/(x**2 + a)", 1), ("1/(x**2 + a)", -1), ("1/(a - x**2)", -1)):
        p, q = calc.fraction(rng, 1, 3)
        lower = [5 * 31, 31] if sign < 0 else [1, 31]
        size = p / q
        root = math.sqrt(size)
        places = [
            {"a": [sign * p, q], "x": lower},
            {"a": [sign * p, q], "x": [lower[0] + 7, 31]},
        ]
        (answer,) = calc.check(candidate, [calc.case(text, real="ax", places=places)])
        x0, x1 = (numerator / 31 for numerator in (lower[0], lower[0] + 7))
        if sign > 0:
            expected = (math.atan(x1 / root) - math.atan(x0 / root)) / root
        elif text.endswith("(x**2 + a)"):
            expected = math.log((x1 - root) * (x0 + root) / (x1 + root) / (x0 - root)) / (2 * root)
        else:
            expected = -(math.atan(x1 / root) - math.atan(x0 / root)) / root
        difference = answer["values"][1] - answer["values"][0]
        right = abs(difference - expected) <= calc.RTOL * (1 + abs(expected))
        assert right, f"{text}: {difference} instead of {expected}"
