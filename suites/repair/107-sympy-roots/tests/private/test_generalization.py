# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""Poles that are rational in several real parameters, and other assumptions."""

from referee.wall import contract


@contract("generalization")
def test_poles_rational_in_parameters(candidate, rng, calc):
    asked = [
        calc.case(
            "x**3/((x - a - b)**2 + 1)**2", real="abx", places=calc.places(rng, "abx", 2)
        ),
        calc.case(
            "x**2*(x - a)/((x - a)**2 + 9)**2", real="ax", places=calc.places(rng, "ax", 2)
        ),
        calc.case("(b*x + c)/((x + 2*a)**2 + 1)", real="abcx", places=calc.places(rng, "abcx", 2)),
        calc.case(
            "x*(x - a)**2/((x - a)**2 + b**2)**2",
            real="ax",
            positive="b",
            places=calc.places(rng, "abx", 2),
        ),
        calc.case(
            calc.from_residues([("2", "1", "a", "1"), ("1", "1", "a", "2")]),
            real="ax",
            places=calc.places(rng, "ax", 2),
        ),
    ]
    calc.check_differences(candidate, asked)


@contract("generalization")
def test_translation_by_a_parameter(candidate, rng, calc):
    """The integrand, its variable shifted by a parameter: the reported polynomials, once more."""
    for top in ("x**5", "x**4 + a*x**3", "a**2*x**3 - x**2"):
        text = f"({top})/((x - a)**2 + 1)**2"
        calc.check_differences(
            candidate, [calc.case(text, real="ax", places=calc.places(rng, "ax", 2))]
        )


@contract("generalization")
def test_other_assumptions(candidate, rng, calc):
    """Integers, nonzero numbers and others are real as well."""
    asked = []
    for kind in ("nonzero", "nonnegative", "rational"):
        one = calc.case("1/(x**2 + a)", real="x", places=calc.places(rng, "ax", 2))
        one["kinds"]["a"] = [kind]
        asked.append(one)
        one = calc.case("x**3*(x - a)/((x - a)**2 + 1)**2", real="x", places=calc.places(rng, "ax", 2))
        one["kinds"]["a"] = [kind]
        asked.append(one)
    calc.check(candidate, asked)
