"""Public checks: part of what a repair has to hold."""

from referee.wall import contract, probe


@probe
def derivative_of_answer(text, real, at):
    """d/dw of the antiderivative, at values w, x; and whether it has an imaginary unit."""
    import sympy

    w, x = sympy.symbols("w x", real=real)
    answer = sympy.integrate(sympy.sympify(text, locals={"w": w, "x": x}), w)
    place = {w: sympy.Rational(at[0]), x: sympy.Rational(at[1])}
    return complex(answer.diff(w).subs(place).evalf(20)), answer.has(sympy.I)


REPORTED = "w**2*(x - w)**3/((x - w)**2 + 1)**2"
WELL = "w/((x - w)**2 + 1)"
# Rounding of a few operations on doubles, and of 20 digits in the answer.
RTOL = 1e-12


@contract("reported-case")
def test_reported_integral(candidate):
    for w, x in ((0.5, 1.75), (-2.25, 0.125)):
        value, imaginary = candidate(derivative_of_answer, REPORTED, True, [str(w), str(x)])
        expected = w**2 * (x - w) ** 3 / ((x - w) ** 2 + 1) ** 2
        assert abs(value - expected) <= RTOL * abs(expected)
        assert not imaginary


@contract("interface")
def test_symbols_without_assumptions(candidate):
    w, x = 0.5, 1.75
    value, _ = candidate(derivative_of_answer, REPORTED, None, [str(w), str(x)])
    expected = w**2 * (x - w) ** 3 / ((x - w) ** 2 + 1) ** 2
    assert abs(value - expected) <= RTOL * abs(expected)


@contract("interface")
def test_an_integral_that_was_right(candidate):
    value, imaginary = candidate(derivative_of_answer, WELL, True, ["0.5", "1.75"])
    expected = 0.5 / (1.25**2 + 1)
    assert abs(value - expected) <= RTOL * abs(expected)
    assert not imaginary
