# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""Beyond the report: answers that are plainly zero, and numbers in place of parameters."""

from referee.wall import contract


@contract("exploration")
def test_no_answer_is_zero(candidate, rng, calc):
    asked = [
        calc.case("1/(a*x**2 + b*x + c)", real="abcx", places=calc.places(rng, "abcx")),
        calc.case("1/(x**2 + a*x + 1)", real="ax", places=calc.places(rng, "ax")),
        calc.case("1/(x**2 + a)", real="ax", places=calc.places(rng, "ax")),
        calc.case("(x + a)/(x**2 + a)", real="ax", places=calc.places(rng, "ax")),
        calc.case("a/(a*x**2 + b)", real="abx", places=calc.places(rng, "abx"), how="integrate"),
    ]
    calc.check(candidate, asked)


@contract("exploration")
def test_symmetric_residues(candidate, rng, calc):
    """Numbers alone: residues r, r + s + i m, r - s + i m lie symmetrically; poles are random."""
    asked = []
    for residues in (
        [("-1/2", "0"), ("0", "2"), ("-1", "2")],
        [("1", "0"), ("2", "1"), ("0", "1"), ("1", "2")],
        [("-1", "0"), ("0", "3"), ("-2", "3")],
    ):
        terms = []
        for n, (u, v) in enumerate(residues):
            p = f"{int(rng.integers(-7, 8))}/3"
            q = "0" if v == "0" else f"{n + int(rng.integers(1, 3))}"
            terms.append((u, v, f"{int(rng.integers(13, 20))}/3" if v == "0" else p, q))
        asked.append(
            calc.case(calc.from_residues(terms), real="x", places=calc.places(rng, "x", 3, -2, 3))
        )
    calc.check_differences(candidate, asked)


@contract("exploration")
def test_quartic_with_a_parameter(candidate, rng, calc):
    asked = [
        calc.case("1/(x**4 + a**2*x**2 + 1)", real="ax", places=calc.places(rng, "ax", 2)),
    ]
    calc.check(candidate, asked)


@contract("exploration")
def test_only_some_roots_are_found(candidate, rng, calc):
    """The sign of a parameter decides where the other roots lie, and is not known."""
    asked = [
        calc.case(text, real="ax", places=calc.places(rng, "ax", 2, 1.25, 3.0))
        for text in ("1/(x**3 + a)", "1/(2*x**3 - 3*a)")
    ]
    calc.check(candidate, asked)
