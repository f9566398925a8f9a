# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""The same path by other ways in."""

from referee.wall import contract, probe


@contract("coverage")
def test_ways_to_ask(candidate, rng, calc):
    text = "x**2*(x - a)/((x - a)**2 + 1)"
    asked = [
        calc.case(text, real="ax", places=calc.places(rng, "ax", 2), **more)
        for more in (
            {"how": "pair"},
            {"how": "integrate"},
            {"flags": {"real": True}},
            {"flags": {"symbol": "s"}},
        )
    ]
    calc.check(candidate, asked, real_form=True)
    (answer,) = calc.check(
        candidate,
        [calc.case(text, real="ax", places=calc.places(rng, "ax"), flags={"real": False})],
    )
    assert answer["imaginary"]


@contract("coverage")
def test_a_real_form_asked_of_symbols_that_are_not_known_to_be_real(candidate, rng, calc):
    asked = [
        calc.case(text, plain="ax", places=calc.places(rng, "ax", 2), flags={"real": True})
        for text in ("1/(x**2 + a)", "a/((x + a)**2 + 1)")
    ]
    calc.check(candidate, asked)


@probe
def sums_over_roots(cases, at):
    """log_to_real for sums over the roots of q: its derivative, or None. The sum itself is made
    from numerical roots."""
    import sympy
    from sympy.integrals.rationaltools import log_to_real

    x, a = sympy.symbols("x a", real=True)
    t = sympy.Symbol("t")
    place = {x: sympy.Rational(at[0]), a: sympy.Rational(at[1])}
    answers = []
    for h, q in cases:
        h = sympy.Poly(sympy.sympify(h, locals={"x": x, "a": a, "t": t}), x)
        q = sympy.Poly(sympy.sympify(q, locals={"a": a, "t": t}), t)
        result = log_to_real(h, q, x, t)
        answers.append(None if result is None else complex(result.diff(x).subs(place).evalf(20)))
    return answers


@contract("coverage")
def test_log_to_real_itself(candidate, rng, calc):
    import numpy as np

    x, a = (calc.fraction(rng, 0.5, 2) for _ in range(2))
    at = [f"{p}/{q}" for p, q in (x, a)]
    x, a = x[0] / x[1], a[0] / a[1]
    # h is x - k t - m; q by its coefficients in t, with the text that says the same.
    cases = [
        (("x - t", 1.0, 0.0), "t**2 + a", [1, 0, a], False),
        (("x - 2*t", 2.0, 0.0), "t**2 - a", [1, 0, -a], False),
        (("x + t - a", -1.0, a), "t**2 - 2*a*t + a**2 + 1", [1, -2 * a, a * a + 1], True),
        (("x - 3*t - 7", 3.0, 7.0), "(t - 1)*((t - 2)**2 + 4)", None, True),
        (
            ("x - 3*t - 1", 3.0, 1.0),
            "(2*t + 1)*(t**2 + 4)*((t + 1)**2 + 4)",
            None,
            True,
        ),
        (("x + 5*t - 9", -5.0, 9.0), "(t - 1)*(t - 2)*(t + 3)", None, True),
        (("x - t", 1.0, 0.0), "t**2 + t + a", [1, 1, a], False),
    ]
    numeric = {
        3: np.polymul([1, -1], [1, -4, 8]),
        4: np.polymul(np.polymul([2, 1], [1, 0, 4]), [1, 2, 5]),
        5: np.polymul(np.polymul([1, -1], [1, -2]), [1, 3]),
    }
    answers = candidate(sums_over_roots, [[h[0], q] for h, q, _, _ in cases], at)
    for n, ((_, k, m), text, coefficients, found) in enumerate(cases):
        roots = np.roots(numeric[n] if coefficients is None else coefficients)
        expected = np.sum(roots / (x - k * roots - m))
        if answers[n] is None:
            # The untouched library answers these, and rightly or nearly so.
            assert not found, text
        else:
            right = abs(answers[n] - expected) <= calc.RTOL * (1 + abs(expected))
            assert right, f"{text}: {answers[n]} instead of {expected}"
