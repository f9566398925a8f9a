"""The evaluator's own quasinormal modes: no recurrence and no continued fraction.

The radius leaves the outer horizon along the imaginary direction, r = r+ + i LENGTH (1 - y) / y.
There the wave that leaves decays and the other one grows, so the factored radial function is smooth
on [0, 1], and collocation at Chebyshev points gives a matrix that is quadratic in the frequency. The
angular constant is an eigenvalue of the operator in the basis of spin-weighted spherical functions.
Both are solved together by Newton's method on the eigenvector's equation. Units M = 1.
"""

# referee-canary reproduction-05 5b1e8c64-93a7-4f0b-8a53-d21c6f40e7b9

from functools import lru_cache

import numpy as np

from referee.evidence.measure import Operation, Quantity

SPIN_WEIGHT = -2
SIZE, OTHER_SIZE, LENGTH = 40, 48, 2.0
LARGEST_L = 16
STEPS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.86)
SMALL = 0.001
EDGE = 1e-9

WANTED = {
    "schwarzschild": [(2, 0, 0, 0.0), (2, 0, 1, 0.0), (2, 0, 2, 0.0), (3, 0, 0, 0.0)],
    "kerr": [(2, 2, 0, a) for a in (0.1, 0.3, 0.5, 0.7, 0.9)],
    "overtones": [(2, 2, n, a) for n in (1, 2) for a in (0.3, 0.7)],
    "branches": [(2, m, 0, 0.7) for m in (1, 0, -1, -2)] + [(3, 3, 0, 0.7)],
}

_ROWS = Quantity(unit="1", ndim=1, most=20)
_COMPLEX_ROWS = Quantity(unit="1", complex_allowed=True, ndim=1, most=20)
_TABLE = {"l": _ROWS, "m": _ROWS, "n": _ROWS, "a": _ROWS}
_FIVE = Quantity(unit="1", complex_allowed=True, ndim=1, least=5, most=5)

OPERATIONS = {
    "frequencies": Operation(quantities={**_TABLE, "omega": _COMPLEX_ROWS}),
    "constants": Operation(quantities={**_TABLE, "constant": _COMPLEX_ROWS}),
    "residuals": Operation(
        quantities={**_TABLE, "omega": _COMPLEX_ROWS, "constant": _COMPLEX_ROWS}
    ),
    "track": Operation(
        quantities={
            "a": Quantity(unit="1", ndim=1, least=2, most=100),
            "omega": Quantity(unit="1", complex_allowed=True, ndim=1, least=2, most=100),
        }
    ),
    "ladder": Operation(
        quantities={
            "size": Quantity(unit="1", ndim=1, least=2, most=20),
            "omega": Quantity(unit="1", complex_allowed=True, ndim=1, least=2, most=20),
        }
    ),
    "split": Operation(
        quantities={
            "m": Quantity(unit="1", ndim=1, least=5, most=5),
            "omega_zero": _FIVE,
            "omega_small": _FIVE,
            "slope": _FIVE,
        }
    ),
}


def derive(operation, quantities, context):
    """The result of an operation, as plain data."""
    return _DERIVE[operation](quantities)


def frequencies(given):
    """Errors of the frequencies by mode, and whether they are in the units and signs asked for."""
    rows, omega = _rows(given), given["omega"]
    _alike(given["a"], omega)
    ours = np.array([mode(*row)[0] for row in rows])
    error = np.abs(omega - ours)
    return {
        "by": {_name(row): value for row, value in zip(rows, error, strict=True)},
        "worst": np.max(error),
        **_completeness(rows),
        "real_ratio": [np.min(omega.real / ours.real), np.max(omega.real / ours.real)],
        "highest": np.max(omega.imag),
    }


def constants(given):
    """Errors of the separation constants."""
    rows = _rows(given)
    _alike(given["a"], given["constant"])
    ours = np.array([mode(*row)[1] for row in rows])
    return {"worst": np.max(np.abs(given["constant"] - ours)), **_completeness(rows)}


def residuals(given):
    """How far each handed in pair is from solving either equation: the constant against that of the
    angle at this frequency, the frequency against the radial equation's with this constant."""
    rows, omega, constant = _rows(given), given["omega"], given["constant"]
    _alike(given["a"], omega, constant)
    _bounded(omega, 5)
    _bounded(constant, 100)
    angle, radius = [], []
    for (l, m, _, a), w, c in zip(rows, omega, constant, strict=True):
        angle.append(abs(angular(l, m, a, w)[0] - c))
        radius.append(abs(solved(l, m, a, w, constant=c)[0] - w))
    return {"angle": max(angle), "radius": max(radius), **_completeness(rows)}


def track(given):
    """Places and largest error of the second overtone followed in a."""
    a, omega = given["a"], given["omega"]
    _increasing(a)
    _alike(a, omega)
    if not (a[0] >= 0 and a[-1] <= 0.9 + EDGE):
        raise ValueError("a spin lies outside what is asked")
    ours = np.array([mode(2, 2, 2, min(float(spin), 0.9))[0] for spin in a])
    return {
        "range": [a[0], a[-1] - 0.9],
        "gap": np.max(np.diff(a)),
        "worst": np.max(np.abs(omega - ours)),
    }


def ladder(given):
    """Errors from the first to the last rung, and the largest growth between neighbours."""
    size, omega = given["size"], given["omega"]
    _increasing(size)
    _alike(size, omega)
    if not size[0] > 0:
        raise ValueError("a size is not positive")
    error = np.abs(omega - mode(2, 2, 2, 0.7)[0])
    growth = np.where(error[1:] <= 1e-8, 0.0, error[1:] / np.maximum(error[:-1], 1e-12))
    return {
        "count": int(size.size),
        "reach": size[-1] / size[0],
        "first": error[0],
        "last": error[-1],
        "gain": error[0] / max(error[-1], 1e-12),
        "growth": np.max(growth),
    }


def split(given):
    """Slow rotation: spread and errors of the five frequencies, errors of the slopes."""
    m = given["m"]
    if sorted(np.round(m, 9)) != [-2, -1, 0, 1, 2]:
        raise ValueError("the five m are not -2 to 2")
    zero, small = given["omega_zero"], given["omega_small"]
    at = [mode(2, int(k), 0, SMALL)[0] for k in np.round(m)]
    back = [mode(2, -int(k), 0, SMALL)[0] for k in np.round(m)]
    slope = (np.array(at) - np.array(back)) / (2 * SMALL)
    return {
        "spread": np.max(np.abs(zero[:, None] - zero[None, :])),
        "zero": np.max(np.abs(zero - mode(2, 0, 0, 0.0)[0])),
        "small": np.max(np.abs(small - np.array(at))),
        "slope": np.max(np.abs(given["slope"] - slope)),
    }


_DERIVE = {
    "frequencies": frequencies,
    "constants": constants,
    "residuals": residuals,
    "track": track,
    "ladder": ladder,
    "split": split,
}


# The hole


@lru_cache(maxsize=400)
def mode(l, m, n, a):
    """Frequency and separation constant, followed from a = 0 with a line through two steps."""
    if a < EDGE:
        return solved(l, 0, 0.0, still(l)[n])
    before = [step for step in STEPS if step < a - EDGE][-2:]
    near = mode(l, m, n, before[-1])[0]
    if len(before) == 2:
        far = mode(l, m, n, before[0])[0]
        near = near + (near - far) * (a - before[1]) / (before[1] - before[0])
    return solved(l, m, a, near)


@lru_cache(maxsize=4)
def still(l):
    """Frequencies without rotation, least damped first: eigenvalues that two sizes agree about."""
    first, second = (_all_still(l, size) for size in (SIZE, OTHER_SIZE))
    kept = [w for w in first if np.min(np.abs(second - w)) < 1e-4]
    return sorted(kept, key=lambda w: -w.imag)


def _all_still(l, size):
    constant, linear, square = pencil(0.0, 0, size)
    constant = constant - (l * (l + 1) - SPIN_WEIGHT * (SPIN_WEIGHT + 1)) * np.eye(size)
    block = np.zeros((2 * size, 2 * size), dtype=complex)
    block[:size, size:] = np.eye(size)
    block[size:] = -np.linalg.solve(square, np.hstack([constant, linear]))
    found = np.linalg.eigvals(block)
    return found[(found.real > 0.05) & (found.imag < 0) & (found.imag > -1)]


def solved(l, m, a, omega, constant=None):
    """Frequency next to `omega`, and the separation constant (that of the angle, or as given)."""
    parts = pencil(a, m, SIZE)
    vector = np.ones(SIZE, dtype=complex)
    for turn in range(40):
        held, slope = angular(l, m, a, omega) if constant is None else (constant, 0.0)
        matrix = parts[0] + omega * (parts[1] + omega * parts[2]) - held * np.eye(SIZE)
        change = parts[1] + 2 * omega * parts[2] - slope * np.eye(SIZE)
        for _ in range(3 if turn == 0 else 0):
            vector = _unit(np.linalg.solve(matrix, vector))
        moved = np.linalg.solve(matrix, change @ vector)
        step = (vector.conj() @ vector) / (vector.conj() @ moved)
        omega, vector = omega - step, _unit(moved)
        _bounded(np.array([omega]), 10)
        if abs(step) < 1e-11:
            return omega, angular(l, m, a, omega)[0] if constant is None else constant
    raise ValueError("no mode is near the frequency")


def angular(l, m, a, omega):
    """Separation constant at a omega and its derivative by omega: the operator in spherical
    functions, where cos theta couples neighbours in l."""
    low = max(abs(m), abs(SPIN_WEIGHT))
    degree = np.arange(low, low + LARGEST_L, dtype=float)
    up = degree[:-1] + 1
    beside = np.sqrt((up**2 - m * m) * (up**2 - SPIN_WEIGHT**2) / (up**2 * (4 * up**2 - 1)))
    cosine = np.diag(-m * SPIN_WEIGHT / (degree * (degree + 1)))
    cosine = cosine + np.diag(beside, 1) + np.diag(beside, -1)
    c, squared = a * omega, cosine @ cosine
    matrix = np.diag(degree * (degree + 1) - SPIN_WEIGHT * (SPIN_WEIGHT + 1))
    matrix = matrix + 2 * c * SPIN_WEIGHT * cosine - c * c * squared
    values, vectors = np.linalg.eig(matrix)
    at = np.argmax(np.abs(vectors[l - low]))
    vector = vectors[:, at]
    change = 2 * a * SPIN_WEIGHT * cosine - 2 * a * c * squared
    return values[at], (vector @ change @ vector) / (vector @ vector)


@lru_cache(maxsize=400)
def pencil(a, m, size):
    """Three matrices: the radial operator without -A is the first plus omega times the second plus
    omega squared times the third."""
    y, d = _points(size)
    root = np.sqrt(1 - a * a)
    outer, inner = 1 + root, 1 - root
    r = outer + 1j * LENGTH * (1 - y) / y
    horizon = (r - outer) * (r - inner)
    first = (1j * y**2 / LENGTH)[:, None] * d
    second = -(y**4 / LENGTH**2)[:, None] * (d @ d) - (2 * y**3 / LENGTH**2)[:, None] * d

    def at(omega):
        # R = exp(i omega r) (r - r+)^fall (r - r-)^leave g, with g smooth at both ends.
        fall = -SPIN_WEIGHT - 1j * (2 * omega * outer - a * m) / (2 * root)
        leave = -1 - 2 * SPIN_WEIGHT + 2j * omega - fall
        rate = 1j * omega + fall / (r - outer) + leave / (r - inner)
        bend = -fall / (r - outer) ** 2 - leave / (r - inner) ** 2
        k = (r**2 + a**2) * omega - a * m
        pull = (k**2 - 2j * SPIN_WEIGHT * (r - 1) * k) / horizon + 4j * SPIN_WEIGHT * omega * r
        pull = pull - (a * omega) ** 2 + 2 * a * m * omega
        drift = 2 * (SPIN_WEIGHT + 1) * (r - 1)
        plain = horizon * (rate**2 + bend) + drift * rate + pull
        return (
            np.diag(plain)
            + (2 * horizon * rate + drift)[:, None] * first
            + horizon[:, None] * second
        )

    none, plus, minus = at(0.0), at(1.0), at(-1.0)
    return none, (plus - minus) / 2, (plus + minus) / 2 - none


@lru_cache(maxsize=4)
def _points(size):
    """Chebyshev points of the first kind in (0, 1), and the matrix that differentiates there."""
    angle = (np.arange(size) + 0.5) * np.pi / size
    x, weight = np.cos(angle), np.sin(angle) * (-1.0) ** np.arange(size)
    d = (weight[None, :] / weight[:, None]) / (x[:, None] - x[None, :] + np.eye(size))
    np.fill_diagonal(d, 0.0)
    np.fill_diagonal(d, -d.sum(axis=1))
    return (1 + x) / 2, 2 * d


def _unit(vector):
    return vector / np.linalg.norm(vector)


# What the candidate handed in


def _rows(given):
    """(l, m, n, a) of each row; all of one table, none twice. m does not matter at a = 0."""
    l, m, n, a = (given[name] for name in "lmna")
    _alike(a, l, m, n)
    numbers = np.stack([l, m, n])
    if not np.all(np.abs(numbers - np.round(numbers)) <= EDGE):
        raise ValueError("l, m and n are whole numbers")
    rows = []
    for row in zip(*(np.round(k).astype(int) for k in (l, m, n)), a, strict=True):
        whole = (int(row[0]), int(row[1]), int(row[2]))
        if not abs(whole[1]) <= whole[0]:
            raise ValueError("m is larger than l")
        spin = round(float(row[3]), 6)
        if not abs(spin - row[3]) <= EDGE:
            raise ValueError("a spin is not one that is asked for")
        rows.append((*whole, spin) if spin else (whole[0], 0, whole[2], 0.0))
    if len(set(rows)) < len(rows) or not any(set(rows) <= set(t) for t in WANTED.values()):
        raise ValueError("a mode is there twice or is not asked for in this table")
    return rows


def _completeness(rows):
    """The table that the rows belong to, and how many of it are not there."""
    name, table = next((k, t) for k, t in WANTED.items() if set(rows) <= set(t))
    return {"table": name, "missing": len(table) - len(rows)}


def _name(row):
    l, m, n, a = row
    return f"l{l}n{n}" if a == 0 else f"l{l}m{m}n{n}a{round(10 * a)}"


def _bounded(values, most):
    if not np.all(np.abs(values) <= most):
        raise ValueError("a frequency or a constant is far from any mode")


def _increasing(values):
    if not np.all(np.diff(values) > 0):
        raise ValueError("the coordinates do not increase")


def _alike(values, *others):
    if any(other.shape != values.shape for other in others):
        raise ValueError("columns differ in length")
