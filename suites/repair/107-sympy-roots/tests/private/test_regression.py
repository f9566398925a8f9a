# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""What was right, and stays so."""

from referee.wall import contract, probe


@contract("regression")
def test_real_forms_that_were_found(candidate, rng, calc):
    asked = [
        calc.case("1/(x**2 + a**2)", real="x", positive="a", places=calc.places(rng, "ax")),
        calc.case("1/(x**4 + a**4)", real="x", positive="a", places=calc.places(rng, "ax", 2)),
        calc.case("x/((x - a)**2 + 1)", real="ax", places=calc.places(rng, "ax")),
        calc.case("(a*x + b)/(x**2 + 1)", real="abx", places=calc.places(rng, "abx")),
        calc.case("(x + b)/((x - a)**2 + b**2)", real="abx", places=calc.places(rng, "abx")),
        calc.case("(3*x**2 + x + 1)/(x**3 + x)", real="x", places=calc.places(rng, "x")),
        calc.case("1/(x**3 + 1)", real="x", places=calc.places(rng, "x")),
        calc.case("(x**3 + 2)/(x**2 - 5*x - 50)", real="x", places=calc.places(rng, "x")),
        calc.case(
            "400*pi**2*x**2/(1600*pi**4*x**4 - 796*pi**2*x**2 + 100)",
            real="x",
            places=calc.places(rng, "x", 2),
        ),
    ]
    calc.check_differences(candidate, asked)


@contract("regression")
def test_symbols_without_assumptions(candidate, rng, calc):
    asked = [
        calc.case("1/(x**2 + a**2)", plain="ax", places=calc.places(rng, "ax")),
        calc.case("1/(x**2 + a)", plain="ax", places=calc.places(rng, "ax")),
        calc.case("1/(x*(a + b*x)**3)", plain="abx", places=calc.places(rng, "abx")),
    ]
    calc.check(candidate, asked)


@probe
def shown(texts):
    import sympy
    from sympy.integrals.rationaltools import ratint

    x = sympy.Symbol("x")
    return [str(ratint(sympy.sympify(text, locals={"x": x}), x)) for text in texts]


@contract("regression")
def test_simple_answers_keep_their_form(candidate):
    expected = {
        "3*x**2": "x**3",
        "1/(x + 1)": "log(x + 1)",
        "1/(x**2 + 1)": "atan(x)",
        "1/(x**2 + 9)": "atan(x/3)/3",
        "x/(x**2 + 1)": "log(x**2 + 1)/2",
        "1/(x**2 - 1)": "log(x - 1)/2 - log(x + 1)/2",
        "(2*x + 1)/(x**2 + 1)": "log(x**2 + 1) + atan(x)",
        "0": "0",
    }
    assert candidate(shown, list(expected)) == list(expected.values())
