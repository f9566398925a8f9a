"""The evaluator's own cholesteric slab: E'' = -k^2 eps(z) E in the laboratory frame, integrated
over one pitch by the fourth-order Magnus method and raised to the number of pitches. The closed
form in the rotating frame, which a candidate may use, is nowhere in it.

Everything is computed at the wavelengths that the candidate handed in. Lengths are in um.
"""

# referee-canary reproduction-02 3f0f3c1e-6a7d-4d0c-9f0c-2b5b1c1f9a02

from functools import lru_cache

import numpy as np

from referee.evidence.measure import Operation, Quantity

PITCH, ORDINARY, EXTRAORDINARY, GLASS = 1.0, 1.5, 1.8, 1.5
LOW, HIGH, INSIDE, LEVEL = 1.15, 2.5, 1.65, 0.5
WINDOWS = ((1.15, 1.40), (1.90, 2.50))
MOST = 20_000
STEPS = 160

_LENGTH = Quantity(unit="um", ndim=1, least=2, most=MOST)
_AMPLITUDE = Quantity(unit="1", complex_allowed=True, ndim=1, least=2, most=MOST)
_REAL = Quantity(unit="1", ndim=1, least=2, most=MOST)
_NUMBER = Quantity(unit="1", most=MOST)
_POSITION = Quantity(unit="um", most=MOST)
_PITCHES = {"pitches": _NUMBER}
_T = dict.fromkeys(("t_pp", "t_pm", "t_mp", "t_mm"), _AMPLITUDE)
_R = dict.fromkeys(("r_pp", "r_pm", "r_mp", "r_mm"), _AMPLITUDE)
_X = dict.fromkeys(("x_p", "x_m"), _AMPLITUDE)
_MINUS = {"wavelength": _LENGTH, "t_pm": _AMPLITUDE, "t_mm": _AMPLITUDE}
_FINE = {"minus_coarse": _REAL, "minus_fine": _REAL, "steps_coarse": _NUMBER, "steps_fine": _NUMBER}
_THREE = ("p5", "p10", "p40")

OPERATIONS = {
    "amplitudes": Operation(quantities={"wavelength": _LENGTH, **_PITCHES, **_T}),
    "sampling": Operation(quantities={"wavelength": _LENGTH, **_PITCHES, **_T, **_R, **_X}),
    "refinement_runs": Operation(
        quantities={
            **{f"base_{case}": _LENGTH for case in _THREE},
            **{f"wavelength_{case}": _LENGTH for case in _THREE},
            **{f"{name}_{case}": q for case in _THREE for name, q in _FINE.items()},
        }
    ),
    "channels": Operation(quantities={"wavelength": _LENGTH, **_PITCHES, **_T, **_R}),
    "closure": Operation(quantities={"wavelength": _LENGTH, **_PITCHES, **_T, **_R}),
    "superposition": Operation(quantities={"wavelength": _LENGTH, **_PITCHES, **_T, **_X}),
    "edges": Operation(
        quantities={**_MINUS, **_PITCHES, "edge_lower": _POSITION, "edge_upper": _POSITION},
    ),
    "outside": Operation(quantities={**_MINUS, **_PITCHES, "outside_mean": _NUMBER}),
    "refined": Operation(quantities={"wavelength": _LENGTH, **_PITCHES, "minus_fine": _REAL}),
    "reversal": Operation(
        quantities={
            "wavelength": _LENGTH,
            "reversed_wavelength": _LENGTH,
            **_T,
            **{f"reversed_{name}": q for name, q in _T.items()},
        },
    ),
}


def derive(operation, quantities, context):
    """The result of an operation, as plain data."""
    return _DERIVE[operation](quantities)


def amplitudes(given):
    """Largest error of the complex transmission in the fixed circular basis."""
    pitches = _pitches(given)
    waves = _wavelengths(given["wavelength"])
    exact, _ = slab(waves, pitches)
    return {"pitches": pitches, "error": np.max(np.abs(_matrix(given, "t_") - exact))}


def sampling(given):
    """Where the samples lie; every column must have one value for each."""
    waves = _wavelengths(given["wavelength"])
    _matrix(given, "t_"), _matrix(given, "r_")
    _same_length(waves, given["x_p"], given["x_m"])
    return {"pitches": _pitches(given), **_grid(waves)}


def refinement_runs(given):
    """For three thicknesses: sampling, distance from the base grid, steps, errors of both runs."""
    told = {}
    for case, pitches in (("p5", 5), ("p10", 10), ("p40", 40)):
        waves = _wavelengths(given[f"wavelength_{case}"])
        base = _wavelengths(given[f"base_{case}"])
        coarse, fine = given[f"minus_coarse_{case}"], given[f"minus_fine_{case}"]
        _same_length(waves, coarse, fine)
        exact = minus(waves, pitches)
        errors = [float(np.max(np.abs(run - exact))) for run in (coarse, fine)]
        at = np.clip(np.searchsorted(base, waves), 1, base.size - 1)
        apart = np.minimum(np.abs(waves - base[at - 1]), np.abs(waves - base[at]))
        steps = [_one(given[f"steps_{run}_{case}"]) for run in ("coarse", "fine")]
        told[case] = {
            **_grid(waves),
            "apart": np.min(apart),
            "steps": steps[0],
            "ratio": steps[1] / steps[0],
            "gain": errors[1] - max(errors[0] / 2, 1e-6),
        }
    return told


def channels(given):
    """Largest error of any of the eight powers."""
    pitches = _pitches(given)
    waves = _wavelengths(given["wavelength"])
    exact = slab(waves, pitches)
    found = (_matrix(given, "t_"), _matrix(given, "r_"))
    errors = [
        np.max(np.abs(np.abs(f) ** 2 - np.abs(e) ** 2)) for f, e in zip(found, exact, strict=True)
    ]
    return {
        "pitches": pitches,
        "transmitted": errors[0],
        "reflected": errors[1],
        **_grid(waves),
    }


def closure(given):
    """Largest departure of T + R from one, for either circular input."""
    waves = _wavelengths(given["wavelength"])
    total = sum((np.abs(_matrix(given, kind)) ** 2).sum(axis=1) for kind in ("t_", "r_"))
    departure = np.max(np.abs(total - 1))
    return {"pitches": _pitches(given), "departure": departure, **_grid(waves)}


def superposition(given):
    """Linear input against the sum of the candidate's circular ones, and its power against ours."""
    pitches = _pitches(given)
    waves = _wavelengths(given["wavelength"])
    _same_length(waves, given["x_p"], given["x_m"])
    found = np.stack([given["x_p"], given["x_m"]], axis=1)
    summed = _matrix(given, "t_").sum(axis=2) / np.sqrt(2)
    exact = slab(waves, pitches)[0].sum(axis=2) / np.sqrt(2)
    return {
        "pitches": pitches,
        "sum": np.max(np.abs(found - summed)),
        "power": np.max(np.abs(np.abs(found) ** 2 - np.abs(exact) ** 2)),
        **_grid(waves),
    }


def edges(given):
    """Distance of each reported edge from the crossing of the candidate's own samples, and from
    that of the exact spectrum in units of the widest gap."""
    pitches = _pitches(given)
    waves = _wavelengths(given["wavelength"])
    own = _crossings(waves, _own_minus(waves, given))
    exact = exact_edges(pitches)
    reported = (_one(given["edge_lower"]), _one(given["edge_upper"]))
    gap = np.max(np.diff(waves))
    return {
        "pitches": pitches,
        "own": [abs(r - o) for r, o in zip(reported, own, strict=True)],
        "gaps": [abs(r - e) / gap for r, e in zip(reported, exact, strict=True)],
        "gap": gap,
    }


def outside(given):
    """Departure of the reported mean outside the gap from ours and from the candidate's samples."""
    pitches = _pitches(given)
    waves = _wavelengths(given["wavelength"])
    reported = _one(given["outside_mean"])
    return {
        "pitches": pitches,
        "own": abs(reported - _mean_outside(waves, _own_minus(waves, given))),
        "error": abs(reported - exact_outside(pitches)),
        **_grid(waves),
    }


def refined(given):
    """Largest error of the fine run at its new wavelengths."""
    pitches = _pitches(given)
    waves = _wavelengths(given["wavelength"])
    _same_length(waves, given["minus_fine"])
    error = np.max(np.abs(given["minus_fine"] - minus(waves, pitches)))
    return {"pitches": pitches, "error": error, **_grid(waves)}


def reversal(given):
    """The reversed helix against the other one with + and - exchanged, against ours, and how much
    it differs without the exchange."""
    waves = _wavelengths(given["wavelength"])
    if waves.shape != given["reversed_wavelength"].shape:
        raise ValueError("the reversed helix has other wavelengths")
    straight = np.abs(_matrix(given, "t_")) ** 2
    turned = np.abs(_matrix(given, "reversed_t_")) ** 2
    exact = np.abs(slab(waves, 10)[0][:, ::-1, ::-1]) ** 2
    return {
        "wavelengths": np.max(np.abs(given["reversed_wavelength"] - waves)),
        "exchanged": np.max(np.abs(turned[:, ::-1, ::-1] - straight)),
        "error": np.max(np.abs(turned - exact)),
        "unexchanged": np.max(np.abs(turned - straight)),
        **_grid(waves),
    }


_DERIVE = {
    "amplitudes": amplitudes,
    "sampling": sampling,
    "refinement_runs": refinement_runs,
    "channels": channels,
    "closure": closure,
    "superposition": superposition,
    "edges": edges,
    "outside": outside,
    "refined": refined,
    "reversal": reversal,
}


# The slab


def slab(waves, pitches):
    """Transmission and reflection in the fixed circular basis, (n, out, in) with + before -."""
    pitch = _one_pitch(np.ascontiguousarray(waves, dtype=float).tobytes())
    whole = np.linalg.matrix_power(pitch, int(pitches))
    ik = 1j * (2 * np.pi * GLASS / waves)[:, None, None]
    a, b, c, d = whole[:, :2, :2], whole[:, :2, 2:], whole[:, 2:, :2], whole[:, 2:, 2:]
    # Field and derivative: a + r and ik (a - r) in front, t and ik t behind.
    forward, backward = c + ik * d - ik * (a + ik * b), c - ik * d - ik * (a - ik * b)
    reflected = -np.linalg.solve(backward, forward)
    one = np.eye(2)
    transmitted = a @ (one + reflected) + b @ (ik * (one - reflected))
    circular = np.array([[1, 1], [1j, -1j]]) / np.sqrt(2)
    inverse = circular.conj().T
    return inverse @ transmitted @ circular, inverse @ reflected @ circular


def minus(waves, pitches):
    """Transmitted power for the input e-."""
    return (np.abs(slab(waves, pitches)[0][:, :, 1]) ** 2).sum(axis=1)


@lru_cache(maxsize=16)
def _one_pitch(waves):
    k2 = ((2 * np.pi / np.frombuffer(waves)) ** 2)[:, None, None]
    step, offset = PITCH / STEPS, np.sqrt(3) / 6
    total = np.broadcast_to(np.eye(4), (k2.shape[0], 4, 4)).copy()
    for number in range(STEPS):
        middle = (number + 0.5) * step
        first, second = (_permittivity(middle + s * offset * step) for s in (-1, 1))
        exponent = np.zeros_like(total)
        exponent[:, :2, 2:] = step * np.eye(2)
        exponent[:, 2:, :2] = -k2 * step * (first + second) / 2
        # The commutator of the two generators is block-diagonal.
        twist = k2 * (np.sqrt(3) / 12 * step**2) * (second - first)
        exponent[:, :2, :2] += twist
        exponent[:, 2:, 2:] -= twist
        total = _exponential(exponent) @ total
    return total


def _permittivity(z):
    angle = 2 * np.pi * z / PITCH
    director = np.array([np.cos(angle), np.sin(angle)])
    anisotropy = EXTRAORDINARY**2 - ORDINARY**2
    return ORDINARY**2 * np.eye(2) + anisotropy * np.outer(director, director)


def _exponential(exponent):
    one = np.eye(4)
    total = one + exponent / 8
    for order in range(7, 0, -1):
        total = one + exponent @ total / order
    return total


@lru_cache(maxsize=8)
def exact_edges(pitches):
    """Where the exact T- crosses one half around the middle of the gap. The narrowest fringe beside
    it, that of 40 pitches at 1.4988 um, is 2e-4 um wide; the samples there are 2e-5 um apart."""
    waves = np.concatenate(
        [
            np.linspace(1.46, 1.52, 3001),
            np.linspace(1.521, 1.799, 557),
            np.linspace(1.80, 1.85, 2501),
        ]
    )
    return _crossings(waves, minus(waves, pitches))


@lru_cache(maxsize=8)
def exact_outside(pitches):
    """The mean of T- outside the gap, on a fine grid."""
    waves = np.linspace(LOW, HIGH, 5401)
    return _mean_outside(waves, minus(waves, pitches))


# What the candidate handed in


def _wavelengths(waves):
    if not np.all(np.diff(waves) > 0):
        raise ValueError("the wavelengths do not increase")
    if not (waves[0] >= LOW - 1e-3 and waves[-1] <= HIGH + 1e-3):
        raise ValueError("a wavelength lies outside the range")
    return waves


def _grid(waves):
    return {
        "first": waves[0] - LOW,
        "last": HIGH - waves[-1],
        "gap": np.max(np.diff(waves)),
        "count": int(waves.size),
    }


def _matrix(given, kind):
    rows = [[given[f"{kind}{a}{b}"] for b in "pm"] for a in "pm"]
    _same_length(given["wavelength"], *(part for row in rows for part in row))
    return np.moveaxis(np.array(rows), 2, 0)


def _own_minus(waves, given):
    _same_length(waves, given["t_pm"], given["t_mm"])
    return np.abs(given["t_pm"]) ** 2 + np.abs(given["t_mm"]) ** 2


def _same_length(waves, *columns):
    if any(column.shape != waves.shape for column in columns):
        raise ValueError("a column does not have one value for each wavelength")


def _one(values):
    flat = np.ravel(values)
    if not np.all(flat == flat[0]):
        raise ValueError("a single number is asked, and several are there")
    return float(flat[0])


def _pitches(given):
    number = _one(given["pitches"])
    if number not in (5, 10, 20, 40):
        raise ValueError("the thickness is none of the four")
    return int(number)


def _crossings(waves, power):
    below = power <= LEVEL
    middle = int(np.argmin(np.abs(waves - INSIDE)))
    if not below[middle]:
        raise ValueError("nothing is blocked at 1.65 um")
    (above,) = np.nonzero(~below)
    if not (above.size and above[0] < middle < above[-1]):
        raise ValueError("an edge lies outside the wavelengths")
    left, right = above[above < middle][-1], above[above > middle][0]
    return tuple(_line(waves, power, i) for i in (left, right - 1))


def _line(waves, power, i):
    part = (LEVEL - power[i]) / (power[i + 1] - power[i])
    return float(waves[i] + part * (waves[i + 1] - waves[i]))


def _mean_outside(waves, power):
    total = 0.0
    for low, high in WINDOWS:
        inside = waves[(waves > low) & (waves < high)]
        points = np.concatenate([[low], inside, [high]])
        total += np.trapezoid(np.interp(points, waves, power), points)
    return total / sum(high - low for low, high in WINDOWS)
