"""The evaluator's own grating: one period as an integral equation at Legendre points, no steps.

With E'' = g and E = E(0) + E'(0) s + (integral of the integral of g), Helmholtz's equation is a
linear system for g on a period; it gives the matrix across that period, whose power is the
grating's. Waves are matched at both faces for each side of incidence by itself. Lengths are pure
numbers (beta = 100), time goes as exp(-i omega t).
"""

# referee-canary reproduction-04 c0d7a1f3-4e52-4b68-9d1f-7a2b93e8c615

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

from referee.evidence.measure import Operation, Quantity

BETA, N1, LENGTH = 100.0, 1e-3, 12.5 * np.pi
N2 = {"passive": 0.0, "exceptional": N1, "reversed": -N1}
LENGTHS = np.pi * np.array([2.5, 5.0, 12.5, 25.0])
SIZE = 32
SIDES = ("t_left", "t_right", "r_left", "r_right")
DELAY_STEP = 1e-4
# Which power is at a level at the edges of a band: grating, amplitude, level, search beyond it.
BANDS = {
    "right": ("exceptional", "r_right", 1.0, 0.08),
    "passive": ("passive", "r_left", 0.5, 0.08),
    "left": ("exceptional", "r_left", 1e-6, None),
}

_AXIS = Quantity(unit="1", ndim=1, least=2, most=2001)
_WAVE = Quantity(unit="1", complex_allowed=True, ndim=1, least=2, most=2001)
_NUMBER = Quantity(unit="1", most=2001)
_RUNGS = Quantity(unit="1", ndim=1, least=2, most=20)
_SPECTRUM = {"delta": _AXIS, **dict.fromkeys(SIDES, _WAVE)}

OPERATIONS = {
    "profile": Operation(quantities={"z": _AXIS, "n": _WAVE}),
    "spectrum": Operation(quantities=_SPECTRUM),
    "coupled": Operation(
        quantities={
            "delta": _AXIS,
            **dict.fromkeys(("t", "r_left", "r_right"), _WAVE),
            **dict.fromkeys(("dt", "dr_left", "dr_right"), _NUMBER),
        }
    ),
    "phase": Operation(quantities={"delta": _AXIS, "phase": _AXIS, "delay": _AXIS}),
    "band": Operation(
        quantities=dict.fromkeys(("low", "high", "censored_low", "censored_high"), _NUMBER)
    ),
    "scaling": Operation(quantities={"length": _RUNGS, "right": _RUNGS, "exponent": _NUMBER}),
    "ladder": Operation(
        quantities={
            "size": _RUNGS,
            "r_right": Quantity(unit="1", complex_allowed=True, ndim=1, least=2, most=20),
        }
    ),
    "reversal": Operation(
        quantities={
            f"{name}_{case}": quantity
            for case in ("exceptional", "reversed")
            for name, quantity in _SPECTRUM.items()
        }
    ),
}


def derive(operation, quantities, context):
    """The result of an operation, as plain data."""
    return _DERIVE[operation](quantities)


def profile(given):
    """Distance of the index from that of each grating, and where it was taken."""
    z, n = given["z"], given["n"]
    _increasing(z)
    _alike(z, n)
    if not np.all(np.abs(z) <= LENGTH / 2 + 1e-9):
        raise ValueError("a place lies outside the grating")
    period = np.pi / BETA
    return {
        "error": {case: np.max(np.abs(n - index(z, n2))) for case, n2 in N2.items()},
        "periods": (z[-1] - z[0]) / period,
        "gap": np.max(np.diff(z)) / period,
    }


def spectrum(given):
    """The axis, errors of all four amplitudes against each grating, and the laws they obey."""
    delta = _axis(given)
    told = {"ends": _ends(delta), "gap": np.max(np.diff(delta)), "count": int(delta.size)}
    for case in ("passive", "exceptional"):
        ours = scattering(N2[case], delta)
        told[case] = {side: np.max(np.abs(given[side] - ours[side])) for side in SIDES}
        told[case]["worst"] = max(told[case].values())
    through = np.abs(given["t_left"] * given["t_right"])
    back = np.sqrt(np.abs(given["r_left"] * given["r_right"]))
    return told | {
        "reciprocity": np.max(np.abs(given["t_left"] - given["t_right"])),
        "unitarity": np.max(np.abs(np.abs(1 - through) - back**2)),
    }


def coupled(given):
    """Errors of the coupled-mode amplitudes, and of the stated largest differences from the wave
    equation, for each grating."""
    delta = _axis(given, ("t", "r_left", "r_right"))
    told = {"ends": _ends(delta), "gap": np.max(np.diff(delta))}
    for case in ("passive", "exceptional"):
        theory = coupled_modes(N2[case], delta)
        exact = scattering(N2[case], delta)
        names = (("t", "t_left"), ("r_left", "r_left"), ("r_right", "r_right"))
        told[case] = {
            "amplitudes": max(np.max(np.abs(given[k] - theory[side])) for k, side in names),
            "ledger": max(
                abs(_one(given[f"d{k}"]) - np.max(np.abs(exact[side] - theory[side])))
                for k, side in names
            ),
        }
    return told


def phase(given):
    """Errors of the phase of t and of its derivative by k, for each grating."""
    delta = _axis(given, ("phase", "delay"))
    told = {"ends": _ends(delta), "gap": np.max(np.diff(delta))}
    for case in ("passive", "exceptional"):
        here, after, before = (
            scattering(N2[case], delta + step)["t_left"] for step in (0, DELAY_STEP, -DELAY_STEP)
        )
        # k falls as delta grows.
        delay = -np.angle(after / before) / (2 * DELAY_STEP)
        unwrapped = np.unwrap(np.angle(here))
        centre = unwrapped[np.argmin(np.abs(delta))]
        unwrapped = unwrapped - 2 * np.pi * np.round(centre / (2 * np.pi))
        told[case] = {
            "phase": np.max(np.abs(given["phase"] - unwrapped)),
            "delay": np.max(np.abs(given["delay"] - delay)),
        }
    return told


def band(given):
    """Distances of the edges from those of each band, and the flags."""
    low, high = _one(given["low"]), _one(given["high"])
    flags = [_one(given["censored_low"]), _one(given["censored_high"])]
    return {"flags": flags} | {
        name: max(abs(low - ours[0]), abs(high - ours[1])) for name, ours in edges().items()
    }


def scaling(given):
    """Relative errors of the reflection from the right by length, and of the exponent."""
    length, right = given["length"], given["right"]
    _increasing(length)
    _alike(length, right)
    if length.shape != LENGTHS.shape or not np.max(np.abs(length - LENGTHS)) <= 1e-6:
        raise ValueError("the lengths are not those that are asked for")
    if not np.all(right > 0):
        raise ValueError("a reflected power is not positive")
    ours = np.array([abs(scattering(N1, [0.0], x)["r_right"][0]) ** 2 for x in LENGTHS])
    wanted = np.polyfit(np.log(LENGTHS), np.log(ours), 1)[0]
    follows = np.polyfit(np.log(length), np.log(right), 1)[0]
    return {
        "right": np.max(np.abs(right / ours - 1)),
        "exponent": [abs(_one(given["exponent"]) - wanted), abs(follows - wanted)],
    }


def ladder(given):
    """Errors from the first to the last rung, and the largest growth between neighbours."""
    size, wave = given["size"], given["r_right"]
    _increasing(size)
    _alike(size, wave)
    if not size[0] > 0:
        raise ValueError("a size is not positive")
    error = np.abs(wave - scattering(N1, [0.0])["r_right"][0])
    growth = np.where(error[1:] <= 1e-7, 0.0, error[1:] / np.maximum(error[:-1], 1e-12))
    return {
        "count": int(size.size),
        "reach": size[-1] / size[0],
        "first": error[0],
        "last": error[-1],
        "gain": error[0] / max(error[-1], 1e-12),
        "growth": np.max(growth),
    }


def reversal(given):
    """Whether both sides change places with the sign of n2, and the errors of both gratings."""
    parts = {
        case: {name: given[f"{name}_{case}"] for name in _SPECTRUM}
        for case in ("exceptional", "reversed")
    }
    told = {}
    for case, part in parts.items():
        delta = _axis(part)
        ours = scattering(N2[case], delta)
        told[case] = {
            "ends": _ends(delta),
            "error": max(np.max(np.abs(part[side] - ours[side])) for side in SIDES),
        }
    first, second = parts["exceptional"], parts["reversed"]
    _alike(first["delta"], second["delta"])
    swapped = zip(SIDES, ("t_right", "t_left", "r_right", "r_left"), strict=True)
    return told | {
        "axis": np.max(np.abs(first["delta"] - second["delta"])),
        "swap": max(np.max(np.abs(first[a] - second[b])) for a, b in swapped),
    }


_DERIVE = {
    "profile": profile,
    "spectrum": spectrum,
    "coupled": coupled,
    "phase": phase,
    "band": band,
    "scaling": scaling,
    "ladder": ladder,
    "reversal": reversal,
}


# The grating


def index(z, n2):
    """Refractive index inside the grating."""
    return 1 + N1 * np.cos(2 * BETA * z) + 1j * n2 * np.sin(2 * BETA * z)


def scattering(n2, delta, length=LENGTH):
    """Amplitudes of both sides at detunings delta, referred to z = 0."""
    return _scattering(n2, np.asarray(delta, dtype=float).tobytes(), length)


@lru_cache(maxsize=64)
def _scattering(n2, delta, length):
    k = BETA - np.frombuffer(delta)
    across = np.linalg.matrix_power(_period(n2, k, length), round(length * BETA / np.pi))
    told = {side: np.empty(k.size, dtype=complex) for side in SIDES}
    for i, (matrix, turn) in enumerate(zip(across, np.exp(0.5j * k * length), strict=True)):
        # (E, E'/k) of exp(ikz), which comes in at the left face and goes out at the right one, and of
        # exp(-ikz), the other way round.
        left_in, right_out = np.array([1, 1j]) / turn, turn * np.array([1, 1j])
        right_in, left_out = np.array([1, -1j]) / turn, turn * np.array([1, -1j])
        t, r = np.linalg.solve(np.stack([right_out, -matrix @ left_out], 1), matrix @ left_in)
        told["t_left"][i], told["r_left"][i] = t, r
        t, r = np.linalg.solve(np.stack([matrix @ left_out, -right_out], 1), right_in)
        told["t_right"][i], told["r_right"][i] = t, r
    return told


def _period(n2, k, length):
    """Matrices of (E, E'/k) across the first period, for each k."""
    x, integral, whole = _points()
    half = np.pi / BETA / 2
    s = half * (x + 1)
    square = index(s - length / 2, n2) ** 2
    twice = half**2 * (integral @ integral)
    matrices = np.empty((k.size, 2, 2), dtype=complex)
    for i, number in enumerate(k):
        pull = number**2 * square
        start = np.stack([np.ones(SIZE), number * s], axis=1)
        bent = np.linalg.solve(np.eye(SIZE) + pull[:, None] * twice, -pull[:, None] * start)
        matrices[i, 0] = [1, number * 2 * half] + half**2 * (whole @ integral @ bent)
        matrices[i, 1] = [0, 1] + half * (whole @ bent) / number
    return matrices


@lru_cache(maxsize=1)
def _points():
    """Legendre points in (-1, 1), the matrix that integrates from -1 to each, and to 1."""
    legendre = np.polynomial.legendre
    x, weights = legendre.leggauss(SIZE)
    values = legendre.legvander(x, SIZE - 1)
    coefficients = (values * weights[:, None]).T * ((2 * np.arange(SIZE) + 1) / 2)[:, None]
    raised = legendre.legint(np.eye(SIZE), lbnd=-1, axis=0)
    return x, legendre.legvander(x, SIZE) @ raised @ coefficients, weights


def coupled_modes(n2, delta):
    """Coupled modes a' = -i delta a + i up b, b' = i delta b - i down a, by a matrix exponential."""
    k = BETA - np.asarray(delta, dtype=float)
    told = {side: np.empty(k.size, dtype=complex) for side in SIDES}
    for i, (number, d) in enumerate(zip(k, np.asarray(delta, dtype=float), strict=True)):
        up, down = number * (N1 + n2) / 2, number * (N1 - n2) / 2
        system = np.array([[-1j * d, 1j * up], [-1j * down, 1j * d]])
        p = _exponential(system * LENGTH)
        turn = np.exp(1j * d * LENGTH)
        told["t_right"][i] = turn / p[1, 1]
        told["t_left"][i] = turn * (p[0, 0] - p[0, 1] * p[1, 0] / p[1, 1])
        told["r_left"][i] = -turn * p[1, 0] / p[1, 1]
        told["r_right"][i] = turn * p[0, 1] / p[1, 1]
    return told


def _exponential(matrix):
    """exp of a 2 x 2 matrix: thirteen halvings, a short series, thirteen squarings."""
    small, power, total = matrix / 2**13, np.eye(2), np.eye(2, dtype=complex)
    for order in range(1, 9):
        power = power @ small / order
        total = total + power
    return np.linalg.matrix_power(total, 2**13)


@lru_cache(maxsize=1)
def edges():
    """Edges of each band about delta = 0; the axis ends where the level is not reached."""
    found = {}
    for name, (case, side, level, beyond) in BANDS.items():

        def excess(d, case=case, side=side, level=level):
            return abs(scattering(N2[case], [d])[side][0]) ** 2 - level

        if beyond is None:
            found[name] = (-1.0, 1.0)
        else:
            found[name] = tuple(brentq(excess, 0.0, sign * beyond, xtol=1e-9) for sign in (-1, 1))
    return found


# What the candidate handed in


def _axis(given, others=SIDES):
    delta = given["delta"]
    _increasing(delta)
    _alike(delta, *(given[name] for name in others))
    if not np.max(np.abs(delta)) <= 1 + 1e-9:
        raise ValueError("a detuning lies outside what is asked")
    return delta


def _ends(delta):
    return [delta[0] + 1, delta[-1] - 1]


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
