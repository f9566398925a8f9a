# referee-canary 107 312d2a4d-7161-491d-8620-c7cb05ecc0ba
"""Integrands as texts, which both sides read for themselves: SymPy in the sandbox, Python here."""

import numpy as np

from referee.wall import probe

# Both sides evaluate the same formula: the answer to 25 digits, the integrand to doubles. What is
# lost is rounding of some ten operations, and cancellation between partial fractions.
RTOL = 1e-9


@probe
def integrated(cases):
    """Antiderivatives: values, derivatives, and of what they are made.

    A case has `text`, the variable `by`, `kinds` (assumptions on each symbol), `places` (values of all
    symbols as fractions), and `how`.
    """
    import mpmath
    import sympy
    from sympy.integrals.rationaltools import ratint

    answers = []
    for case in cases:
        symbols = {
            name: sympy.Symbol(name, **{kind: True for kind in kinds})
            for name, kinds in case["kinds"].items()
        }
        x = symbols[case["by"]]
        f = sympy.sympify(case["text"], locals=symbols)
        how = case.get("how", "ratint")
        if how == "ratint":
            answer = ratint(f, x, **case.get("flags", {}))
        elif how == "pair":
            answer = ratint(tuple(sympy.Poly(e, x) for e in f.as_numer_denom()), x)
        else:
            answer = sympy.integrate(f, x)
        slope = answer.diff(x)
        names = list(case["places"][0])
        values, slopes = [], []
        if answer.has(sympy.RootSum):
            for place in case["places"]:
                numbers = {symbols[n]: sympy.Rational(*place[n]) for n in names}
                values.append(0.0)
                slopes.append(complex(slope.subs(numbers).evalf(25)))
        else:
            # Numbers of 25 digits in place of symbols is the same, but quicker.
            both = sympy.lambdify([symbols[n] for n in names], [answer, slope], "mpmath")
            with mpmath.workdps(25):
                for place in case["places"]:
                    pair = both(*(mpmath.mpf(place[n][0]) / place[n][1] for n in names))
                    values.append(complex(pair[0]))
                    slopes.append(complex(pair[1]))
        answers.append(
            {
                "values": values,
                "slopes": slopes,
                "made of": sorted({type(a).__name__ for a in answer.atoms(sympy.Function)}),
                "imaginary": bool(answer.has(sympy.I)),
                "sum over roots": bool(answer.has(sympy.RootSum)),
                "done": not answer.has(sympy.Integral),
                "same by": answer.free_symbols <= f.free_symbols | {x},
            }
        )
    return answers


def fraction(rng, low, high):
    """A random fraction of the interval, as numerator and denominator. The denominator is a prime
    that occurs in no integrand, so poles are not met."""
    return [int(rng.integers(int(low * 31), int(high * 31) + 1)), 31]


def places(rng, names, count=2, low=0.25, high=3.0):
    return [{name: fraction(rng, low, high) for name in names} for _ in range(count)]


def numbers(place):
    return {name: p / q for name, (p, q) in place.items()}


def value(text, place):
    """The integrand in doubles; sizes of its terms are moderate."""
    return eval(text, {"__builtins__": {}, "pi": np.pi}, numbers(place))


def integral(text, place, by, step):
    """From the place on, by a Gauss rule with 40 nodes: exact to rounding on a short interval away
    from poles."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    given = numbers(place)
    at = given[by] + step * (nodes + 1) / 2
    inside = eval(text, {"__builtins__": {}, "pi": np.pi}, {**given, by: at})
    return float(np.sum(weights * inside) * step / 2)


def case(text, by="x", real=(), positive=(), plain=(), **more):
    kinds = {n: ["real"] for n in real} | {n: ["positive"] for n in positive}
    kinds |= {n: [] for n in plain}
    return {"text": text, "by": by, "kinds": kinds, **more}


def check(candidate, asked, real_form=None, rtol=RTOL):
    """Derivatives of all answers are the integrands; where a real form is wanted, it is one, and
    its differences are integrals.

    One integral that is always found goes along: to give up on real forms altogether is no repair.
    """
    known = case("1/(x**2 + 9) + 2/(x - 7)", real="x", places=[{"x": [40, 31]}])
    *answers, last = candidate(integrated, [*asked, known])
    assert len(answers) == len(asked)
    assert not last["imaginary"]
    assert set(last["made of"]) == {"log", "atan"}
    for one, answer in zip(asked, answers, strict=True):
        text = one["text"]
        assert answer["done"], text
        assert answer["same by"], text
        for place, slope in zip(one["places"], answer["slopes"], strict=True):
            expected = value(text, place)
            right = abs(slope - expected) <= rtol * (1 + abs(expected))
            assert right, f"{text} at {place}: {slope} instead of {expected}"
        if real_form:
            assert not answer["imaginary"], text
            assert set(answer["made of"]) <= {"log", "atan"}, answer["made of"]
            assert not answer["sum over roots"], text
    return answers


def with_step(rng, one, step=(5, 31)):
    """Pairs of places that differ by a step of the variable only."""
    moved = []
    for place in one["places"]:
        p, q = place[one["by"]]
        moved.append({**place, one["by"]: [p + step[0], q]})
    return {**one, "places": one["places"] + moved}


def check_differences(candidate, asked, rtol=RTOL):
    """Answers at two places differ by the integral between them, which numerical integration gives."""
    pairs = [with_step(None, one) for one in asked]
    answers = check(candidate, pairs, real_form=True, rtol=rtol)
    for one, answer in zip(asked, answers, strict=True):
        count = len(one["places"])
        for n, place in enumerate(one["places"]):
            expected = integral(one["text"], place, one["by"], 5 / 31)
            difference = answer["values"][n + count] - answer["values"][n]
            right = abs(difference - expected) <= rtol * (1 + abs(expected))
            assert right, f"{one['text']} from {place}: {difference} instead of {expected}"


def from_residues(terms, by="x"):
    """A real integrand with given poles: (u, v, p, q) is the residue u + iv at the pole p + iq,
    with its conjugate; v = q = 0 is a real pole. Texts of fractions or parameters."""
    parts = []
    for u, v, p, q in terms:
        if q == "0":
            parts.append(f"({u})/({by} - ({p}))")
        else:
            top = f"2*(({u})*({by} - ({p})) - ({v})*({q}))"
            parts.append(f"{top}/(({by} - ({p}))**2 + ({q})**2)")
    return " + ".join(parts)
