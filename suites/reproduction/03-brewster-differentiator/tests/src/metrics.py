"""The evaluator's own Brewster differentiator: Fresnel's coefficient in the form with sines of sum
and difference of both angles, and Gauss-Legendre quadrature on the exact support. What follows from
a candidate's samples is integrated by cubic splines through them.

Lengths are in um. q is a component of the wavevector over k0.
"""

# referee-canary reproduction-03 8f1f2f52-0a2c-4a55-8d7c-6f9e0b7f3c41

from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize_scalar

from referee.evidence.measure import Operation, Quantity

INDEX, WAVELENGTH = 2.1, 1.55
SIGMA = 0.025
SUPPORT = {"gaussian": 0.1, "sinc": 0.09}
TOLERATED = 0.1
OFF_DEG = 5.0
SPLINE_LEAST = 8

_ROW = Quantity(unit="1", ndim=1, least=2, most=20_000)
_FIELD = Quantity(unit="1", complex_allowed=True, ndim=1, least=2, most=5_000)
_PLACE = Quantity(unit="um", ndim=1, least=2, most=5_000)
_CURVE = Quantity(unit="1", ndim=1, least=2, most=1_000)
_NUMBER = Quantity(unit="1", most=20_000)
_ANGLE = Quantity(unit="deg", most=20_000)
_SAMPLES = {"q": _ROW, "s": _ROW, "r": _ROW}

OPERATIONS = {
    "incident": Operation(quantities={"x": _PLACE, "incident": _FIELD}),
    "basis": Operation(
        quantities={
            f"{name}_{case}": quantity
            for case in ("gaussian", "sinc")
            for name, quantity in {
                **_SAMPLES,
                "x": _PLACE,
                "reflected": _FIELD,
                "ideal": _FIELD,
            }.items()
        }
    ),
    "refinement": Operation(
        quantities={
            f"{name}_{case}{run}": _ROW
            for case in ("gaussian", "sinc")
            for run in ("", "_fine")
            for name in _SAMPLES
        }
        | {f"other_{case}": _NUMBER for case in ("gaussian", "sinc")}
    ),
    "coefficient": Operation(quantities={**_SAMPLES, "c": _NUMBER}),
    "errors": Operation(
        quantities={
            **_SAMPLES,
            "fixed_error": _NUMBER,
            "gain": _NUMBER,
            "shape_error": _NUMBER,
        }
    ),
    "sinc_errors": Operation(
        quantities={
            **_SAMPLES,
            "fixed_error": _NUMBER,
            "gain": _NUMBER,
            "shape_error": _NUMBER,
            **{f"padded_{name}": _ROW for name in _SAMPLES},
            "padded_error": _NUMBER,
        }
    ),
    "power": Operation(quantities={**_SAMPLES, "power_fraction": _NUMBER, "rms_out": _NUMBER}),
    "line": Operation(quantities={**_SAMPLES, "slope": _NUMBER, "intercept": _NUMBER}),
    "width": Operation(
        quantities={
            "n": _CURVE,
            "w": _CURVE,
            "error": _CURVE,
            "n_max": _NUMBER,
            "w_max": _NUMBER,
        }
    ),
    "control": Operation(quantities={"angle": _ANGLE, "r0": _NUMBER, "fixed_error": _NUMBER}),
}


def derive(operation, quantities, context):
    """The result of an operation, as plain data."""
    return _DERIVE[operation](quantities)


def incident(given):
    """Error of the incident field against either input; the nearer one says which it is."""
    _increasing(given["x"])
    _alike(given["x"], given["incident"])
    return {
        case: np.max(np.abs(given["incident"] - field(case, given["x"], "incident")))
        for case in SUPPORT
    } | _places(given["x"])


def basis(given):
    """Samples and fields of both inputs: how many, where, and how far from ours."""
    told = {}
    for case, half in SUPPORT.items():
        q, s, r = (given[f"{name}_{case}"] for name in "qsr")
        x, reflected, ideal = (given[f"{name}_{case}"] for name in ("x", "reflected", "ideal"))
        _increasing(q), _alike(q, s, r)
        _increasing(x), _alike(x, reflected, ideal)
        told[case] = {
            "count": int(q.size),
            "ends": [q[0] + half, q[-1] - half],
            "spectrum": np.max(np.abs(s - spectrum(case, q))),
            **_places(x),
            "reflected": np.max(np.abs(reflected - field(case, x, "reflected"))),
            "ideal": np.max(np.abs(ideal - field(case, x, "ideal"))),
        }
    return told


def refinement(given):
    """Twice the samples: how many more, how much the error changes, and the other integration."""
    told = {}
    for case in SUPPORT:
        coarse, fine = (_samples(given, f"_{case}{run}") for run in ("", "_fine"))
        errors = [_followed(case, part)["fixed_error"] for part in (coarse, fine)]
        told[case] = {
            "more": int(fine[0].size - 2 * coarse[0].size + 1),
            "change": abs(errors[1] - errors[0]),
            "error": abs(errors[1] - exact(case)["fixed_error"]),
            "other": abs(_one(given[f"other_{case}"]) - exact(case)["fixed_error"]),
        }
    return told


def coefficient(given):
    """Largest error of r at the samples, of the number C, and of either spectrum."""
    q, s, r = _samples(given)
    angle = np.arctan(INDEX) + np.arcsin(np.clip(q, -0.99, 0.99))
    return {
        "r": np.max(np.abs(r - fresnel(INDEX, angle))),
        "c": abs(_one(given["c"]) - slope_of(INDEX)),
        "spectrum": {case: np.max(np.abs(s - spectrum(case, q))) for case in SUPPORT},
        "reach": np.max(np.abs(q)),
        "count": int(q.size),
    }


def errors(given):
    """Errors of the Gaussian input: as stated and as they follow from the samples, against ours."""
    return _both("gaussian", given, ("fixed_error", "gain", "shape_error"))


def sinc_errors(given):
    """The same for the other input, and with padding."""
    told = _both("sinc", given, ("fixed_error", "gain", "shape_error"))
    q, s, r = (given[f"padded_{name}"] for name in "qsr")
    _increasing(q), _alike(q, s, r)
    half = SUPPORT["sinc"]
    inside = np.abs(q) <= half + 1e-9
    follows = _followed("sinc", (q[inside], s[inside], r[inside]))["fixed_error"]
    wanted = exact("sinc")["fixed_error"]
    return told | {
        "padded": {
            "reach": [-q[0], q[-1]],
            "outside": np.max(np.abs(s[~inside])) if np.any(~inside) else np.inf,
            "stated": abs(_one(given["padded_error"]) - wanted),
            "follows": abs(follows - wanted),
            "same": abs(_one(given["padded_error"]) - _one(given["fixed_error"])),
        }
    }


def power(given):
    """Relative errors of the power fraction and of the width of the output's spectrum, for the input
    that the samples have."""
    case = _case_of(given)
    own, ours = _followed(case, _samples(given)), exact(case)
    told = {"case": case}
    for name in ("power_fraction", "rms_out"):
        told[name] = [
            abs(_one(given[name]) / ours[name] - 1),
            abs(own[name] / ours[name] - 1),
        ]
    return told


def line(given):
    """Errors of slope and intercept."""
    return _both("gaussian", given, ("slope", "intercept"))


def width(given):
    """The curve w(n): the true error at each point, whether it stays below, the largest width."""
    n, w = given["n"], given["w"]
    _increasing(n), _alike(n, w, given["error"])
    if not (n[0] >= 1 - 1e-9 and n[-1] <= 5 and np.all(w > 0) and np.all(w < 0.4)):
        raise ValueError("an index or a width lies outside what is asked")
    found = np.array([uniform_error(index, half) for index, half in zip(n, w, strict=True)])
    below = [
        max(uniform_error(index, half * part) for part in np.linspace(0.05, 0.95, 10))
        for index, half in zip(n, w, strict=True)
    ]
    best, largest = widest()
    return {
        "range": [n[0] - 1, n[-1] - 4],
        "gap": np.max(np.diff(n)),
        "has": [np.min(np.abs(n - index)) for index in (1.0, 1.5, 2.1, 4.0)],
        "error": np.max(np.abs(found[1:] - TOLERATED)),
        "stated": np.max(np.abs(given["error"] - TOLERATED)),
        "below": max(below),
        "first": abs(n[0] - 1),
        "limit": abs(found[0] - TOLERATED),
        "n_max": abs(_one(given["n_max"]) - best),
        "w_max": abs(_one(given["w_max"]) - largest),
    }


def control(given):
    """Away from the Brewster angle: its angle, the central reflection, and the error."""
    angle = np.arctan(INDEX) + np.radians(OFF_DEG)
    q, weights = _nodes(SUPPORT["gaussian"])
    s = spectrum("gaussian", q)
    wanted = -slope_of(INDEX) * q * s
    made = fresnel(INDEX, angle + np.arcsin(q)) * s
    error = np.sqrt((weights * (made - wanted) ** 2).sum() / (weights * wanted**2).sum())
    return {
        "angle": abs(_one(given["angle"]) - np.degrees(angle)),
        "r0": abs(_one(given["r0"]) - fresnel(INDEX, angle)),
        "error": abs(_one(given["fixed_error"]) / error - 1),
    }


_DERIVE = {
    "incident": incident,
    "basis": basis,
    "refinement": refinement,
    "coefficient": coefficient,
    "errors": errors,
    "sinc_errors": sinc_errors,
    "power": power,
    "line": line,
    "width": width,
    "control": control,
}


# The differentiator


def fresnel(n, angle):
    """r = sin(a - b) cos(a + b) / (sin(a + b) cos(a - b)), for the magnetic field."""
    refracted = np.arcsin(np.sin(angle) / n)
    total, apart = angle + refracted, angle - refracted
    return np.sin(apart) * np.cos(total) / (np.sin(total) * np.cos(apart))


def slope_of(n):
    """C = (n^4 - 1) / (2 n^3)."""
    return (n**4 - 1) / (2 * n**3)


def spectrum(case, q):
    """S(q) on its support."""
    return np.exp(-(q**2) / (2 * SIGMA**2)) if case == "gaussian" else np.ones_like(q)


def field(case, x, which):
    """Incident, reflected or ideal field at x."""
    q, weights = _nodes(SUPPORT[case])
    s = spectrum(case, q)
    factor = {
        "incident": np.ones_like(q),
        "reflected": fresnel(INDEX, np.arctan(INDEX) + np.arcsin(q)),
        "ideal": -slope_of(INDEX) * q,
    }[which]
    waves = np.exp(2j * np.pi / WAVELENGTH * np.outer(x, q))
    return waves @ (weights * s * factor) / (weights * s).sum()


@lru_cache(maxsize=4)
def exact(case):
    """All numbers of an input."""
    q, weights = _nodes(SUPPORT[case])
    r = fresnel(INDEX, np.arctan(INDEX) + np.arcsin(q))
    return _numbers(q, spectrum(case, q), r, lambda values: (weights * values).sum())


def uniform_error(n, half):
    """`fixed_error` of a uniform spectrum; at n = 1 its limit, r / (n - 1) = (1 - tan^2 a) / 2."""
    q, weights = _nodes(half, 48)
    if abs(n - 1) < 1e-9:
        made, slope = (1 - np.tan(np.pi / 4 + np.arcsin(q)) ** 2) / 2, 2.0
    else:
        made, slope = fresnel(n, np.arctan(n) + np.arcsin(q)), slope_of(n)
    ideal = -slope * q
    return float(np.sqrt((weights * (made - ideal) ** 2).sum() / (weights * ideal**2).sum()))


@lru_cache(maxsize=1)
def widest():
    """The index of the largest w, and that w."""

    def narrow(n):
        return -brentq(lambda half: uniform_error(n, half) - TOLERATED, 1e-3, 0.3, xtol=1e-12)

    found = minimize_scalar(narrow, bounds=(1.3, 2.3), method="bounded", options={"xatol": 1e-6})
    return float(found.x), float(-found.fun)


def _nodes(half, count=200):
    nodes, weights = _legendre(count)
    return half * nodes, half * weights


@lru_cache(maxsize=4)
def _legendre(count):
    return np.polynomial.legendre.leggauss(count)


def _numbers(q, s, r, integral):
    out, ideal = r * s, -slope_of(INDEX) * q * s
    gain = integral(ideal * out) / integral(ideal**2)
    total = integral(s**2)
    centre, height = integral(s**2 * q) / total, integral(s**2 * r) / total
    slope = integral(s**2 * (q - centre) * (r - height)) / integral(s**2 * (q - centre) ** 2)
    return {
        "fixed_error": np.sqrt(integral((out - ideal) ** 2) / integral(ideal**2)),
        "gain": gain,
        "shape_error": np.sqrt(integral((out - gain * ideal) ** 2) / integral(out**2)),
        "power_fraction": integral(out**2) / total,
        "rms_out": np.sqrt(integral((q * out) ** 2) / integral(out**2)),
        "slope": slope,
        "intercept": height - slope * centre,
    }


# What the candidate handed in


def _both(case, given, names):
    own, ours = _followed(case, _samples(given)), exact(case)
    return {
        name: {
            "stated": abs(_one(given[name]) - ours[name]),
            "follows": abs(own[name] - ours[name]),
        }
        for name in names
    }


def _followed(case, samples):
    q, s, r = samples
    half = SUPPORT[case]
    if q.size < SPLINE_LEAST or not max(abs(q[0] + half), abs(q[-1] - half)) <= 1e-9:
        raise ValueError("the samples do not span the support")
    if not np.max(np.abs(s - spectrum(case, q))) <= 1e-6:
        raise ValueError("the spectrum is another one")
    return _numbers(q, s, r, lambda values: float(CubicSpline(q, values).integrate(q[0], q[-1])))


def _case_of(given):
    return min(SUPPORT, key=lambda case: np.max(np.abs(given["s"] - spectrum(case, given["q"]))))


def _samples(given, suffix=""):
    q, s, r = (given[f"{name}{suffix}"] for name in "qsr")
    _increasing(q)
    _alike(q, s, r)
    return q, s, r


def _places(x):
    return {
        "range": [x[0] + 30 * WAVELENGTH, x[-1] - 30 * WAVELENGTH],
        "gap": np.max(np.diff(x)) / WAVELENGTH,
    }


def _increasing(values):
    if not np.all(np.diff(values) > 0):
        raise ValueError("the coordinates do not increase")


def _alike(values, *others):
    if any(other.shape != values.shape for other in others):
        raise ValueError("columns differ in length")


def _one(values):
    flat = np.ravel(values)
    if not np.all(flat == flat[0]):
        raise ValueError("a single number is asked, and several are there")
    return float(flat[0])
