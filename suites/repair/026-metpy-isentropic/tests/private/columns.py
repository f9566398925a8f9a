# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Random stable columns over terrain, and isentropic surfaces in them, with NumPy alone."""

import numpy as np

KAPPA = 2 / 7
"""Of a diatomic gas, which the library takes dry air for."""

DIMS = ("time", "lev", "y", "x")


def theta(p, t):
    """Potential temperature (K) from pressure (hPa) and temperature (K)."""
    return t * (1000.0 / p) ** KAPPA


def terrain(rng, nt, ny, nx):
    """Surface pressure, hPa, for each time, row and column."""
    return 1010.0 - rng.uniform(0, 250, size=(1, ny, nx)) - rng.uniform(0, 30, size=(nt, ny, nx))


def sigma_pressure(rng, nt=2, nz=14, ny=3, nx=4, top=25.0):
    """Sigma values and pressure on sigma levels, hPa."""
    sigma = np.sort(rng.uniform(0.1, 0.97, size=nz))[::-1]
    sigma[0], sigma[-1] = 0.995, 0.07
    ground = terrain(rng, nt, ny, nx)
    return sigma, top + sigma[None, :, None, None] * (ground[:, None] - top)


def stable(rng, p):
    """Temperature (K) such that theta grows with height in each column, 280 to 300 K at the ground."""
    nt, nz, ny, nx = p.shape
    steps = rng.uniform(1.0, 6.0, size=p.shape)
    steps[:, 0] = rng.uniform(280.0, 300.0, size=(nt, ny, nx))
    rising = np.cumsum(steps, axis=1)
    # `p` falls along the vertical
    return rising * (p / 1000.0) ** KAPPA


def exact(rng, shape):
    """A and B of T = A + B ln(p / 1000 hPa) for columns of `shape`, stable up to 70 hPa.

    Theta is below 316 K on the highest ground (725 hPa) and above 345 K at 95 hPa.
    """
    return rng.uniform(286.0, 298.0, size=shape), rng.uniform(35.0, 45.0, size=shape)


def solve(wanted, p, t, extra):
    """Pressure (hPa), temperature (K) and the extra quantity on the surface of one column."""
    order = np.argsort(p)[::-1]
    p, t, extra = p[order], t[order], extra[order]
    th = theta(p, t)
    below = np.flatnonzero((th[:-1] <= wanted) & (th[1:] > wanted))
    if not below.size:
        return np.nan, np.nan, np.nan
    k = below[0]
    low, high = np.log(p[k]), np.log(p[k + 1])
    slope = (t[k + 1] - t[k]) / (high - low)

    def excess(x):
        return theta(np.exp(x), t[k] + slope * (x - low)) - wanted

    a, b = low, high
    for _ in range(80):
        middle = 0.5 * (a + b)
        a, b = (middle, b) if excess(middle) <= 0 else (a, middle)
    found = np.exp(0.5 * (a + b))
    share = (wanted - th[k]) / (th[k + 1] - th[k])
    return (
        found,
        wanted * (found / 1000.0) ** KAPPA,
        extra[k] + share * (extra[k + 1] - extra[k]),
    )


def surfaces(levels, p, t, extra):
    """The three quantities with axes level, time, y, x, from fields with time, lev, y, x."""
    p, t, extra = np.broadcast_arrays(p, t, extra)
    nt, _, ny, nx = t.shape
    out = np.empty((3, len(levels), nt, ny, nx))
    for i, wanted in enumerate(levels):
        for n in range(nt):
            for j in range(ny):
                for k in range(nx):
                    out[:, i, n, j, k] = solve(
                        wanted, p[n, :, j, k], t[n, :, j, k], extra[n, :, j, k]
                    )
    return out


def levels_within(rng, p, t, count=4):
    """Surfaces that each lie within some column, in rising order."""
    th = theta(p, t)
    return np.sort(rng.uniform(th.min() + 8, th.max(axis=1).min() - 2, size=count))
