"""Public checks of the theta functions.

The expected values were made by summing the defining series in decimal arithmetic with 30 digits
more than what cancels.  25 digits are asked for, of which the last six are left to rounding.
"""

from decimal import Decimal, localcontext

from referee.wall import contract, probe


@probe
def theta(n, z, q, order):
    """The value at 25 digits, as two decimal strings."""
    import mpmath

    mpmath.mp.dps = 25
    value = mpmath.mp.mpmathify(mpmath.jtheta(n, z, q, order))
    return [mpmath.nstr(value.real, 40), mpmath.nstr(value.imag, 40)]


def agrees(answer, wanted):
    with localcontext() as context:
        context.prec = 60
        gap = [Decimal(a) - Decimal(b) for a, b in zip(answer, wanted, strict=True)]
        size = sum(Decimal(b) ** 2 for b in wanted).sqrt()
        return sum(x * x for x in gap).sqrt() <= size * Decimal("1e-19")


@contract("coverage")
def test_complex_argument_with_a_nome_near_one(candidate):
    wanted = ("6.1982217550649350821443463586E-38", "3.9173677796833809678425421543E-38")
    for n in (1, 4):  # the two agree to 60 digits here, as the imaginary transformation shows
        assert agrees(candidate(theta, n, 0.375 + 0.75j, 0.990234375, 0), wanted)


@contract("generalization")
def test_first_derivative_at_a_tiny_nome(candidate):
    wanted = "2.3403890917618484537394234942E-40"
    assert agrees(candidate(theta, 3, 0.3125, 1e-40, 1), ("-" + wanted, "0"))
    assert agrees(candidate(theta, 4, 0.3125, 1e-40, 1), (wanted, "0"))


@contract("regression")
def test_moderate_nome(candidate):
    wanted = ("1.4064202758365200894588226633", "-0.19695756495142499382165559283")
    assert agrees(candidate(theta, 2, 0.375 + 0.25j, 0.25, 0), wanted)
    wanted = ("-0.81681782821261729149964974138", "-0.38381621913701302551676965778")
    assert agrees(candidate(theta, 3, 0.375 + 0.25j, 0.25, 1), wanted)
