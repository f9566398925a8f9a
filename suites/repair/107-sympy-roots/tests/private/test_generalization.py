# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""Poles that are rational in several real parameters, and other assumptions."""

from referee.wall import contract


@contract("generalization")
def test_poles_rational_in_parameters(candidate, rng, calc):
    asked = [
        calc.case("(a + b)*x/((x - a - b)**2 + 1)", real="abx", places=calc.places(rng, "abx")),
        calc.case("((a**2 - 1)*x + b)/(x**2 + 1)", real="abx", places=calc.places(rng, "abx")),
        calc.case("(a + 1)*(x + a)/((x - a)**2 + 9)", real="ax", places=calc.places(rng, "ax")),
        calc.case(
            calc.from_residues([("2", "1", "a", "1"), ("1", "1", "a", "2")]),
            real="ax",
            places=calc.places(rng, "ax", 2),
        ),
    ]
    calc.check_differences(candidate, asked)


@contract("generalization")
def test_translation_by_a_parameter(candidate, rng, calc):
    """A fixed pair of poles, shifted by a parameter under polynomials that are not."""
    asked = []
    for top in ("x**2", "x**3", "a**2*x - x + a"):
        text = f"({top})/((x - a)**2 + 1)"
        asked.append(calc.case(text, real="ax", places=calc.places(rng, "ax")))
    calc.check_differences(candidate, asked)


@contract("generalization")
def test_other_assumptions(candidate, rng, calc):
    """Integers, nonzero numbers and others are real as well."""
    asked = []
    for kind in ("nonzero", "rational"):
        one = calc.case("1/(x**2 + a)", real="x", places=calc.places(rng, "ax", 2))
        one["kinds"]["a"] = [kind]
        asked.append(one)
        one = calc.case("x*(x - a)/((x - a)**2 + 1)", real="x", places=calc.places(rng, "ax", 2))
        one["kinds"]["a"] = [kind]
        asked.append(one)
    calc.check(candidate, asked)
