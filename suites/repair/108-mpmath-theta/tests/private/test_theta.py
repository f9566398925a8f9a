# referee-canary 108 107bf574-be59-41cb-9b28-1bc5b2e2023c
"""Private checks: the Jacobi theta functions against their defining series.

The trusted side sums the series itself, in decimal arithmetic, with as many digits as cancellation
eats up plus a wide margin.  Every input is a binary floating-point number, so that both sides mean
exactly the same argument and nome; every answer comes back as integers (mantissa, exponent of two).

Tolerances.  An answer counts as right when its relative error is at most 10**(6 - digits), where
`digits` is the decimal working precision: six digits are left to any honest way of rounding, such
as exponents of a few hundred (three digits) and a value near a zero.  What these checks are after
is far larger: where the anomaly is present, no digit at all is right.  For a *real* argument with a
nome near the unit circle the error is measured against the largest term of the series, since that
is all that fixed-point summation promises there.
"""

import decimal
import math
from decimal import Decimal

import pytest

from referee.wall import CandidateError, contract, probe

# ---------------------------------------------------------------- the candidate, seen from outside


@probe
def evaluate(cases, digits):
    """For each (n, re z, im z, re q, im q, order): the value as [[man, exp], [man, exp]]."""
    import mpmath

    mp = mpmath.mp

    def number(re, im):
        return mp.mpc(re, im) if im else mp.mpf(re)

    def pack(x):
        if not mpmath.isfinite(x):
            return None
        man, exp = x.man_exp
        return [-abs(int(man)) if x < 0 else abs(int(man)), int(exp)]

    mp.dps = digits
    answers = []
    for n, zr, zi, qr, qi, order in cases:
        value = mp.mpmathify(mpmath.jtheta(n, number(zr, zi), number(qr, qi), order))
        answers.append([pack(value.real), pack(value.imag)])
    return answers


@probe
def kinds(cases, digits):
    """For each case: 'real' or 'complex', by the type of the answer."""
    import mpmath

    mp = mpmath.mp
    mp.dps = digits
    found = []
    for n, z, q, order in cases:
        value = mpmath.jtheta(n, mp.mpmathify(z), mp.mpmathify(q), order)
        found.append("complex" if isinstance(value, mp.mpc) else "real")
    return found


@probe
def precision_after(cases, digits):
    """The working precision in bits before and after each call, whether or not it raises."""
    import contextlib

    import mpmath

    mp = mpmath.mp
    mp.dps = digits
    seen = [int(mp.prec)]
    for n, z, q, order in cases:
        with contextlib.suppress(ValueError):
            mpmath.jtheta(n, mp.mpmathify(z), mp.mpmathify(q), order)
        seen.append(int(mp.prec))
    return seen


@probe
def one_call(n, z, q, order):
    import mpmath

    return str(mpmath.jtheta(n, mpmath.mpmathify(z), mpmath.mpmathify(q), order))


@probe
def of_texts(n, z, q):
    import mpmath

    return str(mpmath.jtheta(n, z, q))


@probe
def evaluate_in_doubles(cases):
    """The same as `evaluate` in the library's double-precision context: [re, im] as floats."""
    import mpmath

    answers = []
    for n, zr, zi, qr, qi, order in cases:
        z = complex(zr, zi) if zi else zr
        q = complex(qr, qi) if qi else qr
        value = complex(mpmath.fp.jtheta(n, z, q, order))
        answers.append([value.real, value.imag])
    return answers


@probe
def elliptic_defects(points, digits):
    """sn^2 + cn^2 - 1 and dn^2 + m sn^2 - 1 in units of the last digit, as floats."""
    import mpmath

    mp = mpmath.mp
    mp.dps = digits
    unit = mp.mpf(10) ** -digits
    out = []
    for re, im, m in points:
        u = mp.mpc(re, im) if im else mp.mpf(re)
        sn, cn, dn = (mpmath.ellipfun(kind, u, m=m) for kind in ("sn", "cn", "dn"))
        size = 1 + abs(sn) ** 2
        out.append(float(abs(sn**2 + cn**2 - 1) / size / unit))
        out.append(float(abs(dn**2 + m * sn**2 - 1) / size / unit))
    return out


# ------------------------------------------------------------- the series, summed on this side only


def _context(digits):
    return decimal.Context(
        prec=digits,
        Emax=decimal.MAX_EMAX,
        Emin=decimal.MIN_EMIN,
        rounding=decimal.ROUND_HALF_EVEN,
        traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
    )


def _times(a, b):
    return (a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])


def _over(a, b):
    size = b[0] * b[0] + b[1] * b[1]
    return _times(a, (b[0] / size, -b[1] / size))


def _power(a, n):
    result = (Decimal(1), Decimal(0))
    for _ in range(n):
        result = _times(result, a)
    return result


def _size(a):
    return (a[0] * a[0] + a[1] * a[1]).sqrt()


def _unit_circle(x):
    """(cos x, sin x): the exponential series of i*x/2**20, squared twenty times."""
    with decimal.localcontext() as inner:
        inner.prec += 25
        small = x / Decimal(2) ** 20
        term, total, k = (Decimal(1), Decimal(0)), (Decimal(1), Decimal(0)), 0
        while k < 2 or _size(term) > Decimal(10) ** -inner.prec:
            k += 1
            term = _times(term, (Decimal(0), small / k))
            total = (total[0] + term[0], total[1] + term[1])
        for _ in range(20):
            total = _times(total, total)
    return (+total[0], +total[1])


def _root(a):
    """The principal square root of a complex number."""
    size = _size(a)
    if a[0] >= 0:
        re = ((size + a[0]) / 2).sqrt()
        return (re, a[1] / (2 * re) if re else Decimal(0))
    im = ((size - a[0]) / 2).sqrt()
    return (abs(a[1]) / (2 * im), im if a[1] >= 0 else -im)


def _summed(n, z, q, order):
    """The series at the present decimal precision: its sum and its largest term."""
    here = decimal.getcontext()
    one, shift = (Decimal(1), Decimal(0)), 1 if n < 3 else 0
    turn = _unit_circle(z[0])
    growth = (-z[1]).exp()
    e1 = (turn[0] * growth, turn[1] * growth)  # exp(i z)
    e2 = _times(e1, e1)
    q2 = _times(q, q)
    # 2h = 2k + shift, and the term is q**(h**2) * exp(2 i h z) * (2 i h)**order
    start = _times(_root(_root(q)), e1) if shift else one
    slope = abs(math.log(math.hypot(float(q[0]), float(q[1]))))
    peak = abs(float(z[1])) / slope + math.sqrt(order / slope) + 3
    total, largest = (Decimal(0), Decimal(0)), Decimal(0)
    for direction in (1, -1):
        term, k = start, 0
        if direction == 1:
            ratio = _times(e2, _power(q, 1 + shift))
        else:
            ratio = _over(_power(q, 1 - shift), e2)
        while True:
            if direction == 1 or k != 0:
                weight = Decimal((2 * k + shift) ** order)
                value = (term[0] * weight, term[1] * weight)
                size = max(abs(value[0]), abs(value[1]))  # to a factor below sqrt(2): enough here
                largest = max(largest, size)
                if n in (1, 4) and k % 2:
                    value = (-value[0], -value[1])
                total = (total[0] + value[0], total[1] + value[1])
                if abs(k) > peak and size <= largest.scaleb(-here.prec):
                    break
            term = _times(term, ratio)
            ratio = _times(ratio, q2)
            k += direction
    total = _times(total, _power((Decimal(0), Decimal(1)), order))
    if n == 1:
        total = _times(total, (Decimal(0), Decimal(-1)))
    return total, largest


def _likely_loss(n, zr, qr, qi):
    """A first guess of the digits that cancel, for real nomes; `series` measures whether it holds.

    Near the circle the terms add up to a Gaussian of Re(z) around the places where they agree.
    """
    if qi or not qr:
        return 0
    away = abs(math.remainder(zr if (n in (2, 3)) == (qr > 0) else zr + math.pi / 2, math.pi))
    return int(away**2 / abs(math.log(abs(qr))) / math.log(10))


def series(case, digits):
    """The value of one case to `digits` digits, and the size of its largest term.

    The digits are raised until what cancels is covered with 30 digits to spare.
    """
    n, zr, zi, qr, qi, order = case
    guard = 40 + _likely_loss(n, zr, qr, qi)
    while True:
        with decimal.localcontext(_context(digits + guard)):
            z = (Decimal(zr), Decimal(zi))
            q = (Decimal(qr), Decimal(qi))
            total, largest = _summed(n, z, q, order)
            size = _size(total)
            lost = digits + guard if not size else max(0, largest.adjusted() - size.adjusted())
        if lost + 30 <= guard:
            return total, largest
        guard = max(2 * guard, lost + 50) if lost + 10 >= digits + guard else lost + 50
        assert guard < 20000, "a zero of the theta function is no test point"


def _number(packed):
    man, exp = packed
    assert type(man) is int
    assert type(exp) is int
    assert abs(exp) < 10**8
    assert man.bit_length() < 10**6
    return Decimal(man) * Decimal(2) ** exp


def relative_errors(candidate, cases, digits, against_largest=False):
    """The error of each case in units of 10**-digits, as floats."""
    answers = candidate(evaluate, [list(case) for case in cases], digits)
    assert isinstance(answers, list)
    assert len(answers) == len(cases)
    errors = []
    for case, answer in zip(cases, answers, strict=True):
        assert None not in answer, f"not finite at {case}"
        wanted, largest = series(case, digits + 10)
        with decimal.localcontext(_context(digits + 40)):
            gap = _size((_number(answer[0]) - wanted[0], _number(answer[1]) - wanted[1]))
            errors.append(gap / (largest if against_largest else _size(wanted)) * 10**digits)
    return errors


ROOM = 10**6  # see the note on tolerances above


def agrees(candidate, cases, digits, against_largest=False):
    for case, error in zip(
        cases, relative_errors(candidate, cases, digits, against_largest), strict=True
    ):
        right = error <= ROOM
        assert right, f"theta{case[0]}, order {case[5]}: {error:.2e} units of the last digit"


def draw(rng, low, high):
    """A float with 40 significant bits or fewer, so that shifted copies stay exact."""
    return math.ldexp(round(math.ldexp(float(rng.uniform(low, high)), 40)), -40)


def sign(rng):
    return 1.0 if rng.integers(2) else -1.0


def polar(radius, angle):
    return (radius * math.cos(angle), radius * math.sin(angle))


def spread(rng, count, order=0, **ranges):
    """`count` cases over all four functions; each range is (low, high)."""
    cases = []
    for i in range(count):
        re, im = draw(rng, *ranges["re"]), draw(rng, *ranges["im"]) * sign(rng)
        radius = 1 - 10 ** float(rng.uniform(*ranges["gap"]))
        qr, qi = polar(radius, float(rng.uniform(*ranges.get("angle", (0.0, 0.0)))))
        cases.append((i % 4 + 1, re, im, qr, qi, order))
    return cases


# ---------------------------------------------------------------------------------- defining series


@contract("coverage")
def test_complex_argument_nome_just_below_one(candidate, rng):
    cases = spread(rng, 12, re=(0.2, 2.9), im=(0.3, 1.5), gap=(-2.7, -1.7))
    agrees(candidate, cases, 25)


@contract("coverage")
def test_complex_argument_negative_nome_near_the_circle(candidate, rng):
    cases = spread(rng, 8, re=(0.2, 2.9), im=(0.3, 1.5), gap=(-2.6, -1.8))
    agrees(candidate, [(n, zr, zi, -qr, 0.0, d) for n, zr, zi, qr, _, d in cases], 25)


@contract("coverage")
def test_complex_argument_complex_nome_near_the_circle(candidate, rng):
    # The nome comes close to roots of unity of low order, where the series cancels the most.
    cases = []
    for i, fraction in enumerate((1 / 4, 1 / 2, 2 / 3, 3 / 4, -1 / 3, -1 / 2, -3 / 5, -2 / 3)):
        radius = 1 - 10 ** float(rng.uniform(-2.7, -2.1))
        qr, qi = polar(radius, math.pi * fraction + float(rng.uniform(-1e-3, 1e-3)))
        for n in ((1, 3), (2, 4))[i % 2]:
            cases.append((n, draw(rng, 0.2, 2.9), draw(rng, 0.3, 1.5) * sign(rng), qr, qi, 0))
    # Not every draw cancels; here ten digits do, whatever is drawn above.
    cases += [(n, 1.25, 0.875, *polar(0.996, math.pi / 2), 0) for n in (1, 2)]
    agrees(candidate, cases, 25)


@contract("coverage")
def test_nearly_real_argument_nome_near_one(candidate, rng):
    # The imaginary part is of the size of 1 - q or smaller, but the value is still complex.
    cases = spread(rng, 8, re=(0.3, 1.3), im=(0.0005, 0.01), gap=(-2.7, -2.2))
    agrees(candidate, [(n if n > 2 else n + 2, *rest) for n, *rest in cases], 25)


@contract("coverage")
def test_nome_within_a_thousandth_of_the_circle(candidate, rng):
    q = 1 - 0.0006 - 0.0002 * float(rng.random())
    cases = [(4, draw(rng, 0.3, 1.2), draw(rng, 0.4, 1.2), q, 0.0, 0)]
    agrees(candidate, cases, 15)


@contract("coverage")
def test_real_argument_to_the_size_of_the_largest_term(candidate, rng):
    cases = [
        (i % 4 + 1, draw(rng, -3.0, 3.0), 0.0, 1 - 10 ** float(rng.uniform(-3.0, -1.0)), 0.0, 0)
        for i in range(8)
    ]
    agrees(candidate, cases, 25, against_largest=True)


# -------------------------------------------------------------------------------------- derivatives


@contract("generalization")
def test_first_derivative_at_tiny_real_nomes(candidate, rng):
    cases = [
        (3 + i % 2, draw(rng, 0.2, 1.3), 0.0, 10 ** -float(rng.uniform(20, 280)), 0.0, 1)
        for i in range(10)
    ]
    agrees(candidate, cases, 20)


@contract("generalization")
def test_higher_derivatives_at_tiny_nomes_of_either_sign(candidate, rng):
    cases = []
    for i in range(9):
        q = sign(rng) * 10 ** -float(rng.uniform(25, 280))
        cases.append((3 + i % 2, draw(rng, 0.2, 1.3), 0.0, q, 0.0, 2 + i % 3))
    agrees(candidate, cases, 20)


@contract("generalization")
def test_derivatives_at_tiny_nomes_and_complex_arguments(candidate, rng):
    cases = []
    for i in range(10):
        radius = 10 ** -float(rng.uniform(100, 250))
        qr, qi = polar(radius, float(rng.uniform(-3.0, 3.0)) if i % 2 else 0.0)
        zi = draw(rng, 0.1, 2.0) * sign(rng)
        cases.append((3 + i // 2 % 2, draw(rng, 0.2, 2.9), zi, qr, qi, 1 + i % 3))
    agrees(candidate, cases, 20)


@contract("generalization")
def test_first_derivative_near_the_circle(candidate, rng):
    cases = spread(rng, 24, order=1, re=(0.2, 2.9), im=(0.3, 1.5), gap=(-2.6, -1.8))
    agrees(candidate, cases, 25)


@contract("generalization")
def test_higher_derivatives_near_the_circle(candidate, rng):
    cases = []
    for order in (2, 3, 4):
        cases += spread(
            rng, 4, order=order, re=(0.2, 2.9), im=(0.3, 1.5), gap=(-2.5, -2.0), angle=(-3.1, 3.1)
        )
        cases += spread(rng, 4, order=order, re=(0.2, 2.9), im=(0.3, 1.5), gap=(-2.5, -2.0))
    agrees(candidate, cases, 25)


@contract("generalization")
def test_derivatives_at_moderate_nomes(candidate, rng):
    cases = []
    for order in (1, 2, 3, 5):
        for n in (1, 2, 3, 4):
            q = float(rng.uniform(0.1, 0.6))
            cases.append((n, draw(rng, 0.3, 1.2), draw(rng, 0.1, 0.6), q, 0.0, order))
    agrees(candidate, cases, 20)


# --------------------------------------------------------------------------------------- identities


def _values(candidate, cases, digits):
    answers = candidate(evaluate, [list(case) for case in cases], digits)
    assert len(answers) == len(cases)
    assert all(part is not None for answer in answers for part in answer)
    return [(_number(answer[0]), _number(answer[1])) for answer in answers]


@contract("knowledge")
def test_doubling_the_argument_and_squaring_the_nome(candidate, rng):
    # theta3 theta4 (z, q) / theta4(2z, q^2) and theta1 theta2 (z, q) / theta1(2z, q^2) are both
    # theta4(0, q^2).  Every factor enters as a product, so each must be right by itself.  The nome
    # has 20 bits: its square is exact.
    digits = 30
    with decimal.localcontext(_context(3 * digits)):
        for _ in range(4):
            q = 1 - math.ldexp(int(rng.integers(3000, 12000)), -20)
            zr, zi = draw(rng, 0.3, 1.4), draw(rng, 0.3, 0.9)
            cases = [(n, zr, zi, q, 0.0, 0) for n in (1, 2, 3, 4)]
            cases += [(n, 2 * zr, 2 * zi, q * q, 0.0, 0) for n in (1, 4)]
            t1, t2, t3, t4, double1, double4 = _values(candidate, cases, digits)
            left = _times(_times(t3, t4), double1)
            right = _times(_times(t1, t2), double4)
            gap = _size((left[0] - right[0], left[1] - right[1]))
            assert _size(right) > 0
            assert gap <= 6 * ROOM * _size(right) * Decimal(10) ** -digits


@contract("knowledge")
def test_reflection_of_the_argument(candidate, rng):
    # theta1 is odd and the others are even, near the circle as anywhere; the values themselves
    # must also be right, or a constant would do.
    cases = spread(rng, 4, re=(0.3, 1.4), im=(0.3, 0.9), gap=(-2.5, -2.0))
    there = _values(candidate, cases, 25)
    back = _values(candidate, [(n, -zr, -zi, *rest) for n, zr, zi, *rest in cases], 25)
    for case, (a, b), (c, d) in zip(cases, there, back, strict=True):
        parity = -1 if case[0] == 1 else 1
        gap = _size((a - parity * c, b - parity * d))
        assert gap <= ROOM * _size((a, b)) * Decimal(10) ** -25
    agrees(candidate, cases, 25)


@contract("knowledge")
def test_fourth_powers_at_the_origin(candidate, rng):
    digits = 25
    with decimal.localcontext(_context(3 * digits)):
        for q in (0.001, float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.5, 0.95))):
            a, b, c = _values(candidate, [(n, 0.0, 0.0, q, 0.0, 0) for n in (2, 3, 4)], digits)
            a, b, c = (_power(x, 4) for x in (a, b, c))
            gap = _size((a[0] + c[0] - b[0], a[1] + c[1] - b[1]))
            assert _size(b) > 1
            assert gap <= ROOM * _size(b) * Decimal(10) ** -digits


# ---------------------------------------------------------------------------------------- precision


@contract("exploration")
@pytest.mark.parametrize("digits", [15, 40, 90])
def test_working_precision_near_the_circle(candidate, rng, digits):
    cases = spread(rng, 4, re=(0.3, 2.8), im=(0.3, 1.2), gap=(-2.5, -2.1))
    agrees(candidate, cases, digits)


@contract("exploration")
@pytest.mark.parametrize("digits", [15, 60, 150])
def test_working_precision_at_tiny_nomes(candidate, rng, digits):
    cases = [
        (3 + i % 2, draw(rng, 0.2, 1.3), 0.0, 10 ** -float(rng.uniform(150, 290)), 0.0, 1 + i // 2)
        for i in range(4)
    ]
    agrees(candidate, cases, digits)


# ---------------------------------------------------------------------------------------- interface


@contract("regression")
def test_precision_is_restored_after_every_call(candidate):
    cases = [
        [1, 0.5 + 0.75j, 0.99, 0],
        [4, 0.5 + 0.75j, 0.99, 2],
        [3, 0.5, 1e-60, 1],
        [2, 0.5 + 0.1j, 0.3 + 0.4j, 0],
        [3, 0.5, 1.5, 0],
        [4, 0.5, 1.5, 1],
        [7, 0.5 + 0.5j, 0.5, 0],
    ]
    for digits in (15, 33):
        seen = candidate(precision_after, cases, digits)
        assert len(seen) == len(cases) + 1
        assert set(seen) == {seen[0]}


@contract("regression")
@pytest.mark.parametrize(
    ("n", "z", "q", "order"),
    [
        (3, 0.5, 1.0, 0),
        (1, 0.5 + 0.25j, -1.0, 0),
        (2, 0.25, 1.25, 1),
        (4, 0.25 + 1j, 0.75 + 0.75j, 0),
        (4, 0.25, 1.0, 2),
        (0, 0.5, 0.25, 0),
        (5, 0.5 + 0.5j, 0.25, 0),
    ],
    ids=[
        "nome-one",
        "nome-minus-one",
        "nome-above-one",
        "nome-outside-the-disc",
        "nome-one-derivative",
        "no-theta-zero",
        "no-theta-five",
    ],
)
def test_what_is_not_defined_is_refused(candidate, n, z, q, order):
    with pytest.raises(CandidateError) as failure:
        candidate(one_call, n, z, q, order)
    assert failure.value.exception == "ValueError"


@contract("regression")
def test_arguments_may_be_written_as_texts(candidate):
    for n in (1, 2, 3, 4):
        assert candidate(of_texts, n, "0.75", "0.5") == candidate(one_call, n, 0.75, 0.5, 0)


@contract("regression")
def test_real_input_gives_a_real_number(candidate):
    real = [[n, 0.5, q, d] for n in (1, 2, 3, 4) for q in (1e-30, 0.25, 0.97) for d in (0, 1)]
    mixed = [[n, 0.5 + 0.5j, q, d] for n in (1, 2, 3, 4) for q in (0.25, 0.97) for d in (0, 1)]
    assert candidate(kinds, real, 20) == ["real"] * len(real)
    assert candidate(kinds, mixed, 20) == ["complex"] * len(mixed)


@contract("regression")
def test_nome_zero(candidate):
    cases = [
        [n, zr, zi, 0.0, 0.0, d]
        for n in (1, 2, 3, 4)
        for zr, zi in ((0.0, 0.0), (0.5, 0.0))
        for d in (0, 1)
    ]
    answers = candidate(evaluate, cases, 20)
    with decimal.localcontext(_context(60)):
        for case, answer in zip(cases, answers, strict=True):
            wanted = 1 if case[0] > 2 and case[5] == 0 else 0
            assert (_number(answer[0]), _number(answer[1])) == (wanted, 0)


# --------------------------------------------------------------------------------------- regression


@contract("regression")
def test_moderate_nomes_stay_right(candidate, rng):
    cases = []
    for i in range(16):
        qr, qi = polar(float(rng.uniform(0.05, 0.7)), float(rng.uniform(-3.1, 3.1)))
        zi = 0.0 if i // 4 % 2 else draw(rng, -2.0, 2.0)
        if i % 3 == 0:
            qr, qi = math.hypot(qr, qi), 0.0
        cases.append((i % 4 + 1, draw(rng, 0.2, 2.9), zi, qr, qi, 0))
    # With a negative nome the first two functions are complex, whatever the argument.
    for n in (1, 2, 3, 4):
        for order in (0, 1):
            q = -float(rng.uniform(0.1, 0.45))
            cases.append((n, draw(rng, 0.3, 1.2), 0.0, q, 0.0, order))
    agrees(candidate, cases, 15)
    agrees(candidate, cases[:8], 50)


@contract("regression")
def test_odd_functions_vanish_at_the_origin(candidate, rng):
    # theta1 is odd and the others are even, so these are zero. What is left is rounding of terms
    # whose size is below 10.
    q = float(rng.uniform(0.1, 0.6))
    nomes = ((q, 0.0), polar(q, float(rng.uniform(0.5, 2.5))))
    cases = [
        (n, 0.0, 0.0, qr, qi, 2 * k + (n > 1))
        for n in (1, 2, 3, 4)
        for qr, qi in nomes
        for k in (0, 1)
    ]
    for a, b in _values(candidate, cases, 20):
        assert max(abs(a), abs(b)) <= 10 * ROOM * Decimal(10) ** -20


@contract("regression")
def test_elliptic_functions_built_on_theta_stay_right(candidate, rng):
    points = [
        [draw(rng, 0.1, 1.4), 0.0, draw(rng, 0.1, 0.9)],
        [draw(rng, 0.1, 1.4), draw(rng, 0.1, 0.7), draw(rng, 0.1, 0.9)],
        [draw(rng, -1.4, -0.1), draw(rng, 0.1, 0.7), draw(rng, 0.1, 0.9)],
    ]
    defects = candidate(elliptic_defects, points, 25)
    assert len(defects) == 2 * len(points)
    for defect in defects:
        right = defect <= ROOM
        assert right


@contract("regression")
def test_double_precision_context_keeps_working(candidate, rng):
    cases = [
        (n, draw(rng, 0.3, 1.2), zi, float(rng.uniform(0.1, 0.6)), 0.0, order)
        for n in (1, 2, 3, 4)
        for zi in (0.0, 0.25)
        for order in (0, 1)
    ]
    answers = candidate(evaluate_in_doubles, [list(case) for case in cases])
    assert len(answers) == len(cases)
    for case, answer in zip(cases, answers, strict=True):
        wanted, largest = series(case, 30)
        assert all(type(part) is float for part in answer)
        gap = math.hypot(answer[0] - float(wanted[0]), answer[1] - float(wanted[1]))
        right = gap <= 1e-10 * float(largest)
        assert right
