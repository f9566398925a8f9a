"""The evaluator's own slotted film: Legendre elements along the period and impedances through it.

The half cell is two elements, slot and film, between mirrors; nodes are those of Gauss, Lobatto and
Legendre, so the steps of the permittivity lie between elements and no Fourier series is used. In
each layer U'' = -A U on the nodes, and U' = Y U is carried from the back of the film to the front.
Poles are zeros of 1/r in the complex plane, found by Newton's method, not by fits.

Lengths are in um, f = 1/wavelength, exp(-i omega t), field along the slots, normal incidence.
"""

# referee-canary reproduction-01 3d6c0b52-8c1e-4b7f-a2d4-91e5f07c6a38

from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import Legendre
from scipy.optimize import brentq, least_squares

from referee.evidence.measure import Operation, Quantity

HIGH, LOW, PERIOD = 2.38, 1.46, 0.9
LAYERS = ((HIGH, 0.1628), (LOW, 0.2672)) * 3
FILM, SLOTTED = (1.1, 2.3), (1.33, 1.7)
INSIDE, LEVEL, MOST = 1.55, 0.5, 20_000
ELEMENTS = (6, 12)
"""Degrees of the polynomials in the slot and beside it; with (10, 18) poles move by 4e-9 um."""
STARTS = {
    30: {"short": (1.48463, 5000), "long": (1.61573, 17660)},
    50: {"short": (1.46057, 2070), "long": (1.58948, 6440)},
    70: {"short": (1.43679, 1230), "long": (1.56350, 3330)},
    150: {"short": (1.34405, 565), "long": (1.46169, 772)},
}
"""Where Newton's method begins: centre and Q by the width in nm."""
_ARRAY, _SINGLE = {"ndim": 1, "most": MOST}, {"most": MOST}
_QUANTITIES = {
    **dict.fromkeys(("wavelength", "short", "long"), Quantity(unit="um", **_ARRAY)),
    **dict.fromkeys(("half_trace", "size", "q_short", "q_long"), Quantity(unit="1", **_ARRAY)),
    **dict.fromkeys(("r", "t"), Quantity(unit="1", complex_allowed=True, **_ARRAY)),
    **dict.fromkeys(("lower", "upper", "at_min"), Quantity(unit="um", **_SINGLE)),
    **dict.fromkeys(("width", "centre", "other_centre"), Quantity(unit="um", **_SINGLE)),
    **dict.fromkeys(("other_low", "other_high"), Quantity(unit="um", **_SINGLE)),
    **dict.fromkeys(("t_min", "q", "other_q"), Quantity(unit="1", **_SINGLE)),
}


def _needs(names):
    return Operation(quantities={name: _QUANTITIES[name] for name in names.split()})


OPERATIONS = {
    "closed": _needs("wavelength r t"),
    "slotted": _needs("width wavelength r t"),
    "powers": _needs("width wavelength r t"),
    "bands": _needs("wavelength half_trace lower upper"),
    "film": _needs("wavelength r t lower upper t_min at_min"),
    "centre": _needs("width centre"),
    "quality": _needs("width wavelength r q"),
    "window": _needs("width wavelength r centre q other_low other_high other_centre other_q"),
    "refinement": _needs("width size short long q_short q_long"),
}


def derive(operation, quantities, context):
    return globals()[operation](quantities)


def closed(given):
    """Largest error of either amplitude with closed slots."""
    waves = _spectrum(given)
    r, t = amplitudes(1 / waves, 0)
    return {
        "reflected": np.max(np.abs(given["r"] - r)),
        "transmitted": np.max(np.abs(given["t"] - t)),
        **_grid(waves, SLOTTED),
    }


def slotted(given):
    """Range and gaps of a spectrum, and the largest departure of R + T from one."""
    waves = _spectrum(given, 2000)
    total = np.abs(given["r"]) ** 2 + np.abs(given["t"]) ** 2
    worst = np.max(np.abs(total - 1))
    return {"width": _width(given), "departure": worst, **_grid(waves, SLOTTED)}


def powers(given):
    """The error that all but two of a hundred wavelengths keep, in the worse of R and T."""
    waves, width = _spectrum(given, 2000), _width(given)
    errors = np.maximum(*_power_errors(given, amplitudes(1 / waves, width)))
    error = np.quantile(errors, 0.98, method="higher")
    return {"width": width, "error": error, **_grid(waves, SLOTTED)}


def bands(given):
    """Errors of the half-trace and of the edges, by the Bloch relation with Fresnel's coefficient:
    cos K = (cos(a + b) - rho^2 cos(a - b)) / (1 - rho^2) for phases a and b."""
    waves = _increasing(given["wavelength"], 5000)
    _same_length(waves, given["half_trace"])
    sides = (FILM[0], INSIDE), (INSIDE, FILM[1])
    edges = [brentq(lambda w: bloch(w) + 1, *side, xtol=1e-13) for side in sides]
    return {
        "half_trace": np.max(np.abs(given["half_trace"] - bloch(waves))),
        "lower": abs(_one(given["lower"]) - edges[0]),
        "upper": abs(_one(given["upper"]) - edges[1]),
        **_grid(waves, FILM),
    }


def bloch(waves):
    a, b = (2 * np.pi * index * thick / waves for index, thick in LAYERS[:2])
    rho = ((HIGH - LOW) / (HIGH + LOW)) ** 2
    return (np.cos(a + b) - rho * np.cos(a - b)) / (1 - rho)


def film(given):
    """Errors of the powers, of the interval against samples and truth, and of the least T."""
    waves = _spectrum(given, 5000)
    reflected, transmitted = _power_errors(given, amplitudes(1 / waves, 0))
    fine = np.linspace(*FILM, 12_001)
    exact = np.abs(amplitudes(1 / fine, 0)[1]) ** 2
    told = (_one(given["lower"]), _one(given["upper"]))
    ends = _crossings(fine, exact)
    own = _crossings(waves, np.abs(given["t"]) ** 2)
    return {
        "reflected": reflected.max(),
        "transmitted": transmitted.max(),
        "own": max(abs(a - b) for a, b in zip(told, own, strict=True)),
        "ends": max(abs(a - b) for a, b in zip(told, ends, strict=True)),
        "t_min": abs(_one(given["t_min"]) - exact.min()),
        "at_min": abs(_one(given["at_min"]) - fine[exact.argmin()]),
        **_grid(waves, FILM),
    }


def _power_errors(given, exact):
    told = (given["r"], given["t"])
    return [np.abs(np.abs(a) ** 2 - np.abs(b) ** 2) for a, b in zip(told, exact, strict=True)]


def centre(given):
    """Distance of the centre from the pole of either branch, in its linewidths."""
    width, told = _width(given), 1 / _one(given["centre"])
    return {"width": width, **{b: _apart(told, p) for b, p in poles(width).items()}}


def quality(given):
    """How samples resolve either branch, what a fit leaves of them, Q against fit and pole."""
    width, told = _width(given), _one(given["q"])
    f, r = _about(given)
    fitted, residual = fit(f, r)
    own = abs(told / _q(fitted) - 1)
    found = {"width": width, "count": int(f.size), "residual": residual, "own": own}
    for branch, pole in poles(width).items():
        line = -2 * pole.imag
        found[branch] = {
            "span": (f[-1] - f[0]) / line,
            "step": np.max(np.diff(f)) / line,
            "error": abs(told / _q(pole) - 1),
            "off": _apart(fitted.real, pole),
        }
    return found


def window(given):
    """The fit of the narrower window against the candidate's, and both of the candidate's fits."""
    f, r = _about(given)
    low, high = _one(given["other_low"]), _one(given["other_high"])
    inside = (f * low <= 1 + 1e-12) & (f * high >= 1 - 1e-12)
    fitted, _ = fit(f[inside], r[inside])
    middle, other = _one(given["centre"]), _one(given["other_centre"])
    q, other_q = _one(given["q"]), _one(given["other_q"])
    return {
        "width": _width(given),
        **{b: _apart(fitted.real, pole) for b, pole in poles(_width(given)).items()},
        "count": int(inside.sum()),
        "share": np.ptp(f[inside]) / np.ptp(f),
        "own_centre": _apart(1 / other, fitted),
        "own_q": abs(other_q / _q(fitted) - 1),
        "centre": abs(other / middle - 1) * q,
        "q": abs(other_q / q - 1),
    }


def refinement(given):
    """Both branches over the sizes of a discretisation: changes at the end, and errors there."""
    width, size = _width(given), given["size"]
    if size.size < 2:
        raise ValueError("at least two sizes are asked")
    told = []
    for branch, pole in poles(width).items():
        centres, q = given[branch], given[f"q_{branch}"]
        _same_length(size, centres, q)
        off = _apart(1 / centres, pole)
        moved = _apart(1 / centres[-1], complex(1 / centres[-2], pole.imag))
        distinct = np.unique(centres).size == centres.size
        errors = (off[-1], abs(q[-1] / _q(pole) - 1))
        told.append((moved, abs(q[-1] / q[-2] - 1), *errors, distinct, bool(off[-1] <= off[0])))
    moved, q_moved, errors, q_errors, distinct, no_worse = zip(*told, strict=True)
    return {
        "width": width,
        "growth": size[-1] / size[0],
        "rising": bool((np.diff(size) > 0).all()),
        "distinct": all(distinct),
        "no_worse": all(no_worse),
        "moved": max(moved),
        "q_moved": max(q_moved),
        "centre": max(errors),
        "q": max(q_errors),
    }


# The film


def nodes(degree):
    """Nodes of Gauss, Lobatto and Legendre on -1 to 1, weights, and the matrix of derivatives."""
    p = Legendre.basis(degree)
    x = np.concatenate([[-1], np.sort(p.deriv().roots().real), [1]])
    values = p(x)
    apart = x[:, None] - x + np.eye(degree + 1)
    slope = values[:, None] / values / apart
    np.fill_diagonal(slope, 0)
    np.fill_diagonal(slope, -slope.sum(axis=1))
    return x, 2 / (degree * (degree + 1) * values**2), slope


@lru_cache(maxsize=8)
def elements(width):
    """For a slot of `width` nm: stiffness, permittivity of each index at the nodes, and the zeroth
    order, all scaled by the root of the mass. Without a slot one node is enough."""
    if width == 0:
        return np.zeros((1, 1)), {n: np.array([n**2]) for n in (HIGH, LOW)}, np.ones(1)
    count = sum(ELEMENTS) + 1
    mass, stiffness = np.zeros((2, count)), np.zeros((count, count))
    lengths = (width / 2000, PERIOD / 2 - width / 2000)
    for place, (degree, length) in enumerate(zip(ELEMENTS, lengths, strict=True)):
        _, weights, slope = nodes(degree)
        part = slice(place * ELEMENTS[0], place * ELEMENTS[0] + degree + 1)
        mass[place, part] += weights * length / 2
        stiffness[part, part] += 2 / length * slope.T @ (weights[:, None] * slope)
    whole = mass.sum(axis=0)
    root = np.sqrt(whole)
    fill = {n: (mass[0] + n**2 * mass[1]) / whole for n in (HIGH, LOW)}
    return stiffness / np.outer(root, root), fill, root / np.linalg.norm(root)


def amplitudes(f, width):
    """r and t at frequencies f, real or complex, for a slot of `width` nm."""
    k = 2 * np.pi * f
    stiffness, fill, zeroth = elements(width)
    squares, shapes = np.linalg.eigh(stiffness)
    # Orders beyond the zeroth decay; this branch of the root is analytic about the real axis.
    outward = 1j * np.sqrt((squares - k[:, None] ** 2).astype(complex))
    outward[:, 0] = k
    air = 1j * (shapes * outward[:, None, :]) @ shapes.T
    layers = [
        _impedances(k[:, None, None] ** 2 * np.diag(fill[index]) - stiffness, thick)
        for index, thick in LAYERS[:2]
    ]
    admittance, steps = air, []
    for own, across in layers[::-1] * (len(LAYERS) // 2):
        steps.append(np.linalg.solve(own - admittance, across))
        admittance = across @ steps[-1] - own
    field = np.linalg.solve(admittance + air, (2j * k[:, None] * zeroth)[..., None])
    reflected = (zeroth @ field)[:, 0] - 1
    for step in steps[::-1]:
        field = step @ field
    return reflected, (zeroth @ field)[:, 0]


def _impedances(squares, thick):
    """g cot(g d) and g / sin(g d) for the matrix root g of `squares`; |exp(i g d)| <= 1."""
    if np.iscomplexobj(squares):
        values, shapes = np.linalg.eig(squares)
        inverse = np.linalg.inv(shapes)
    else:
        values, shapes = np.linalg.eigh(squares)
        inverse = np.swapaxes(shapes, 1, 2)
    g = np.sqrt(values.astype(complex))
    g = np.where(g.imag < 0, -g, g)
    once = np.exp(1j * g * thick)
    below = once**2 - 1
    parts = 1j * g * (once**2 + 1) / below, 2j * g * once / below
    return tuple((shapes * part[:, None, :]) @ inverse for part in parts)


@lru_cache(maxsize=8)
def poles(width):
    """The complex frequency of either branch, to 1e-12."""
    return {b: _pole((1 - 0.5j / q) / at, width) for b, (at, q) in STARTS[width].items()}


def _pole(f, width):
    h = 1e-7
    for _ in range(30):
        below, above = 1 / amplitudes(np.array([f - h, f + h]), width)[0]
        step = (above + below) * h / (above - below)
        f = complex(f - step)
        if abs(step) < 1e-12:
            return f
    raise RuntimeError("Newton's method found no pole")


def fit(f, r):
    """Pole and largest residual of b + a / (f - pole), all six real numbers by least squares."""
    if f.size < 4 or np.max(np.abs(r)) > 2:
        raise ValueError("four samples of |r| <= 2 or more are asked")
    span = f[-1] - f[0]
    x = (f - f[0]) / span - 0.5

    def left(p):
        model = complex(p[0], p[1]) + complex(p[2], p[3]) / (x - complex(p[4], p[5])) - r
        return np.concatenate([model.real, model.imag])

    mean = np.mean(r)
    steep = x[np.argmax(np.abs(np.gradient(r, x)))]
    near = [(at, width) for at in (steep, 0.0) for width in (0.04, 0.08, 0.16)]
    starts = [(mean.real, mean.imag, 0, -width, at, -width) for at, width in near]
    tight = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14, "max_nfev": 80}
    best = min((least_squares(left, s, **tight) for s in starts), key=lambda found: found.cost)
    residual = np.max(np.hypot(*np.split(best.fun, 2)))
    pole = complex(f[0] + span * (best.x[4] + 0.5), span * best.x[5])
    return pole, residual


def _q(pole):
    return -pole.real / (2 * pole.imag)


def _apart(f, pole):
    return np.abs(f - pole.real) / abs(2 * pole.imag)


# What the candidate handed in


def _spectrum(given, most=MOST):
    waves = _increasing(given["wavelength"], most)
    _same_length(waves, given["r"], given["t"])
    return waves


def _increasing(waves, most):
    if not 2 <= waves.size <= most:
        raise ValueError(f"2 to {most} wavelengths are asked")
    if not (waves[0] > 0 and np.all(np.diff(waves) > 0)):
        raise ValueError("the wavelengths do not increase")
    return waves


def _about(given):
    """Samples about a resonance, by rising frequency."""
    waves = given["wavelength"]
    _same_length(waves, given["r"])
    order = np.argsort(-waves)
    _increasing(waves[order][::-1], 2000)
    return 1 / waves[order], given["r"][order]


def _grid(waves, ends):
    return {
        "first": waves[0] - ends[0],
        "last": ends[1] - waves[-1],
        "gap": np.max(np.diff(waves)),
        "count": int(waves.size),
    }


def _width(given):
    """The width in nm, which is one of the four."""
    told = 1000 * _one(given["width"])
    nearest = min(STARTS, key=lambda width: abs(width - told))
    if abs(nearest - told) > 1e-6:
        raise ValueError("the width is none of the four")
    return nearest


def _same_length(waves, *columns):
    if any(column.shape != waves.shape for column in columns):
        raise ValueError("a column does not have one value for each sample")


def _one(values):
    flat = np.ravel(values)
    if not np.all(flat == flat[0]):
        raise ValueError("a single number is asked, and several are there")
    return float(flat[0])


def _crossings(waves, power):
    below = power <= LEVEL
    middle = int(np.argmin(np.abs(waves - INSIDE)))
    (above,) = np.nonzero(~below)
    if not (below[middle] and above.size and above[0] < middle < above[-1]):
        raise ValueError("there is no range of low transmission around 1.55 um")
    left, right = above[above < middle][-1], above[above > middle][0] - 1
    part = (LEVEL - power[:-1]) / np.where(np.diff(power) == 0, np.inf, np.diff(power))
    found = waves[:-1] + part * np.diff(waves)
    return found[left], found[right]
