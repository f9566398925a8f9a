# referee-canary gw-004 7c0e2f4a-5d1b-4a53-9f0e-6b8f1d92c3a7
"""Quasi-normal frequencies of Kerr black holes (M = 1, s = -2) by Leaver's continued fraction.

Leaver, Proc. R. Soc. A 402, 285 (1985), for the radial equation; Cook and Zalutskiy, Phys. Rev. D
90, 124021 (2014), for the angular one in a basis of spin-weighted spherical harmonics and for the
layout of the tables. Two things are ours, and hold twelve digits up to 1 - a = 1e-9. The unknown is
z with omega = m/2 + kappa z, kappa = sqrt(1 - a^2), in which nothing cancels as omega nears m/2.
And the fraction is not taken of ratios r of neighbouring coefficients, which tend to -1, but of
u = 1 + r, whose recurrence has the small sum of the three coefficients in closed form.
"""

import h5py
import numpy as np
from scipy.interpolate import CubicSpline

SPIN_WEIGHT = -2
MODES = {
    (2, 2, 0): 0.37367 - 0.08896j,
    (2, 2, 1): 0.34671 - 0.27391j,
    (3, 3, 0): 0.59944 - 0.09270j,
    (4, 4, 0): 0.80918 - 0.09416j,
}
"""The modes of the task, by their frequencies without spin (where a mode is what its name says)."""
GRIDS = {"small": (50, 0.02, 32), "full": (1000, 0.001, 62)}
"""Spins in even steps from 0, their step, and spins behind these in even steps of log(1 - a)."""
LAST = 9.0  # 1 - a = 10^-LAST at the end of a grid
HARMONICS = 24
BLOCK = 1 << 14


def public(size, seed, folder):
    """Write `ringdown_training.h5`: the spins of odd index, which no seed moves."""
    count = length(size)
    write(folder / "ringdown_training.h5", place(size, np.arange(1.0, count, 2)), "training")


def hidden(size, seed, folder):
    """Write `ringdown_validation.h5`: a = 0, and one spin anywhere between each two of training."""
    even = np.arange(0.0, length(size), 2)
    even[1:] += np.random.default_rng(seed).uniform(-0.5, 0.5, size=even.size - 1)
    write(folder / "ringdown_validation.h5", place(size, even), "validation")


def length(size):
    linear, _, logarithmic = GRIDS[size]
    return linear + logarithmic


def place(size, index):
    """Spins at indices (floats) of the grid of a size."""
    linear, step, logarithmic = GRIDS[size]
    first = -np.log10(1 - step * (linear - 1))
    beyond = np.maximum(index - (linear - 1), 0.0)
    exponent = first + beyond * (LAST - first) / logarithmic
    return np.where(beyond > 0, 1 - 10.0**-exponent, step * index)


def write(path, spins, split):
    with h5py.File(path, "w") as file:
        file.attrs["description"] = "Quasi-normal frequencies of Kerr black holes, M = 1"
        file.attrs["source"] = "continued fraction of Leaver"
        file.attrs["split"] = split
        for (l, m, n), start in MODES.items():
            print(f"mode {l} {m} {n}: {spins.size} spins", flush=True)
            omega, separation = frequencies(spins, l, m, n, start)
            group = file.create_group(f"l{l}/m{m:+d}/n{n}")
            group.attrs.update({"l": l, "m": m, "n": n})
            group["spin"] = spins
            group["omega_real"], group["omega_imag"] = omega.real, omega.imag
            group["A_lm_real"], group["A_lm_imag"] = separation.real, separation.imag


def frequencies(spins, l, m, n, start):
    """Frequency and separation constant at each spin, complex (spins,); l = m > 0.

    Raises:
        ArithmeticError: the search did not settle, or on another mode.
    """
    spins = np.asarray(spins, dtype=float)
    guess = tracked(l, m, n, start)(-np.log1p(-spins))
    z, separation = np.empty_like(guess), np.empty_like(guess)
    depths = np.array([depth(spin) for spin in spins])
    for value in np.unique(depths):
        few = max(1, (4 * BLOCK) // value)  # lanes at once: bounded memory
        lanes = np.flatnonzero(depths == value)
        for part in np.array_split(lanes, -(-lanes.size // few)):
            z[part], separation[part] = solved(guess[part], spins[part], l, m, n, value)
    omega = m / 2 + width(spins) * z
    damping = omega.imag / (-(n + 0.5) * np.sqrt((1 - spins) / 2))
    extremal = spins > 1 - 1e-5
    if not (np.all(omega.imag < 0) and np.all(np.abs(damping[extremal] - 1) < 0.02)):
        raise ArithmeticError(f"mode {l} {m} {n}: the search came to another mode")
    return omega, separation


def tracked(l, m, n, start):
    """z as a spline of -log(1 - a), good to some 1e-4: the mode is followed from a = 0."""
    x = np.arange(0.0, LAST * np.log(10) + 0.3, 0.2)
    found = [np.array([start - m / 2])]
    for a in -np.expm1(-x):
        guess = found[-1] if len(found) < 3 else 2 * found[-1] - found[-2]
        found.append(solved(guess, np.array([a]), l, m, n, max(150, depth(a) // 8))[0])
    return CubicSpline(x, np.concatenate(found[1:]))


def width(a):
    return np.sqrt((1 - a) * (1 + a))


def depth(a):
    """Terms of the fraction: its tail falls as exp(-c sqrt(kappa terms)); a power of two."""
    return int(2 ** np.ceil(np.log2(max(192.0, 32 / width(a)))))


def solved(z, a, l, m, n, terms):
    """z and the separation constant by the secant rule; arrays (lanes,)."""
    before, residual_before = z, residual(z, a, l, m, n, terms)[0]
    z = z * (1 + 1e-6)
    for _ in range(30):
        value, separation = residual(z, a, l, m, n, terms)
        change = value - residual_before
        moving = change != 0
        step = np.where(moving, -value * (z - before) / np.where(moving, change, 1), 0)
        before, residual_before, z = z, value, z + step
        if np.all(np.abs(step) <= 1e-13 * np.abs(z)):
            return z, separation
    raise ArithmeticError(f"mode {l} {m} {n}: no frequency found near spin {a[0]}")


def residual(z, a, l, m, n, terms):
    """The continued fraction, inverted n times, which is zero at a frequency; and A_lm.

    Leaver's equations (17) to (28) with M = 1: his a, omega, b are a/2, 2 omega, kappa here. The
    remainder is that of Nollert, Phys. Rev. D 47, 5253 (1993), to first order.
    """
    s, kappa = SPIN_WEIGHT, width(a)
    w = 2 * (m / 2 + kappa * z)
    p = m * (1 - a) / (2 * kappa) + z  # (his omega / 2 - a m) / b, without cancellation
    A = separation_constant(a * w / 2, l, m)
    c0 = 1 - s - 1j * w - 2j * p
    c1 = -4 + 2j * w * (2 + kappa) + 4j * p
    c2 = s + 3 - 3j * w - 2j * p
    c3 = w**2 * (4 + 2 * kappa - a**2 / 4) - a * m * w - s - 1 + (2 + kappa) * 1j * w - A
    c3 = c3 + (4 * w + 2j) * p
    c4 = s + 1 - 2 * w**2 - (2 * s + 3) * 1j * w - (4 * w + 2j) * p
    # alpha + beta + gamma = slope k + level
    slope = 2j * w * kappa
    level = w**2 * (2 + 2 * kappa - a**2 / 4) - a * m * w + (kappa + 1 - 2 * s) * 1j * w - 2 * s - A

    def alpha(k):
        return k**2 + (c0 + 1) * k + c0

    def beta(k):
        return -2 * k**2 + (c1 + 2) * k + c3

    def gamma(k):
        return k**2 + (c2 - 3) * k + c4 - c2 + 2

    root = np.sqrt(-slope)
    root = np.where(root.real < 0, -root, root)
    u = root / np.sqrt(terms) - (2j * w - 0.75) / terms
    lanes = [value[:, None] for value in (c0, c0 + c1 + 3, c0 + c3, slope, level)]
    u = continued(u, lanes, n + 1, terms)
    head = beta(0)
    for k in range(1, n + 1):
        head = beta(k) - alpha(k - 1) * gamma(k) / head
    return head - alpha(n) * (u - 1), A


def continued(u, lanes, first, terms):
    """u at `first` from u at `terms`, by u_k = (sum_k - alpha_k u) / (alpha_k + beta_k - alpha_k u).

    Each step is a matrix of a Moebius map; they are multiplied in pairs, block by block.
    """
    c0, linear, constant, slope, level = lanes
    for low in reversed(range(first, terms, BLOCK)):
        k = np.arange(low, min(terms, low + BLOCK), dtype=float)[None]
        scale = 1 / k**2
        turn = -(k**2 + (c0 + 1) * k + c0) * scale
        maps = [turn, (slope * k + level) * scale, turn, (-(k**2) + linear * k + constant) * scale]
        while maps[0].shape[1] > 1:
            maps = paired(maps)
        a, b, c, d = (entry[:, 0] for entry in maps)
        u = (a * u + b) / (c * u + d)
    return u


def paired(maps):
    if maps[0].shape[1] % 2:
        neutral = (1.0, 0.0, 0.0, 1.0)
        maps = [np.pad(e, ((0, 0), (0, 1)), constant_values=v) for e, v in zip(maps, neutral)]
    a, b, c, d = (entry[:, ::2] for entry in maps)
    e, f, g, h = (entry[:, 1::2] for entry in maps)
    product = (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
    largest = np.maximum(np.abs(product[2]), np.abs(product[3]))
    return [entry / largest for entry in product]


def separation_constant(c, l, m):
    """A_lm(c) of the spin-weighted spheroidal equation, complex (lanes,); c = a omega.

    The eigenvalue of l (l + 1) - s (s + 1) + 2 c s x - c^2 x^2, x = cos(theta), that c = 0 names, by
    Rayleigh quotients from the harmonic l.
    """
    s, lowest = SPIN_WEIGHT, max(abs(m), abs(SPIN_WEIGHT))
    degree = np.arange(lowest, lowest + HARMONICS + 1, dtype=float)
    up = degree[:-1] + 1
    off = np.sqrt((up**2 - m**2) * (up**2 - s**2) / (4 * up**2 - 1)) / up
    cosine = np.diag(-m * s / (degree * (degree + 1))) + np.diag(off, 1) + np.diag(off, -1)
    square = (cosine @ cosine)[:-1, :-1]
    cosine, degree = cosine[:-1, :-1], degree[:-1]
    c = c[:, None, None]
    matrix = np.diag(degree * (degree + 1) - s * (s + 1)) + 2 * c * s * cosine - c**2 * square
    vector = np.zeros((c.size, HARMONICS, 1), dtype=complex)
    vector[:, l - lowest] = 1
    value = matrix[:, l - lowest, l - lowest]
    for _ in range(12):
        shifted = matrix - (value[:, None, None] + 1e-14) * np.eye(HARMONICS)
        vector = np.linalg.solve(shifted, vector)
        vector = vector / np.sqrt((vector**2).sum(axis=1, keepdims=True))
        last, value = value, (vector * (matrix @ vector)).sum(axis=(1, 2))
        if np.all(np.abs(value - last) < 1e-13):
            return value
    raise ArithmeticError(f"no separation constant found for l = {l}, m = {m}")
