# referee-canary gw-003 1f6a3c52-90d7-4be1-8a35-2d4e7c61b0f8
"""Orbits of eccentric binaries with aligned spins (G = c = M = 1): x, e and the anomaly in time.

Orbit averages of the 2.5PN rates of y and e^2, y = sqrt(x / (1 - e^2)): Klein and others, Phys. Rev.
D 98, 104043 (2018), appendix C; spin-orbit terms at 2.5PN, and the form of all terms, as in Morras,
Pratten and Schmidt, arXiv:2502.03929. On top of the average, x has the leading periodic part of its
decay: the rate dn/dl of Damour, Gopakumar and Iyer, Phys. Rev. D 70, 064028 (2004), less its mean.
It makes x depend on the anomaly: it nearly stands still at each apastron. The orbit ends where
x reaches 1/6.
"""

import math

import h5py
import numpy as np
from scipy.integrate import solve_ivp
from scipy.stats import qmc

RANGES = {
    "q": (1.0, 6.0),
    "chi1z": (-0.6, 0.6),
    "chi2z": (-0.6, 0.6),
    "e0": (0.001, 0.5),
    "zeta0": (0.0, math.pi),
    "omega0": (0.0075, 0.0085),
}
SIZES = {"small": (40, 400), "full": (250, 3000)}
"""Simulations, and points of time in each."""
LAST_X = 1 / 6
LAST_TIME = 1e6
TOLERANCE = 1e-11


def public(size, seed, folder):
    write(folder / "dynamics_training.h5", size, seed, "training")


def hidden(size, seed, folder):
    write(folder / "dynamics_validation.h5", size, seed, "validation")


def write(path, size, seed, split):
    count, points = SIZES[size]
    low, high = np.array(list(RANGES.values())).T
    drawn = qmc.scale(qmc.LatinHypercube(d=len(RANGES), seed=seed).random(count), low, high)
    with h5py.File(path, "w") as file:
        file.attrs["description"] = "Orbits of eccentric binaries with aligned spins, G = c = M = 1"
        file.attrs["source"] = "post-Newtonian equations, 2.5PN"
        file.attrs["split"] = split
        file.attrs["n_simulations"] = count
        file.attrs["sampling"] = f"Latin hypercube, seed {seed if split == 'training' else 'hidden'}"
        for place, values in enumerate(drawn):
            if place % 10 == 0:
                print(f"simulation {place} of {count}", flush=True)
            group = file.create_group(f"sim_{place:04d}")
            group.attrs.update(dict(zip(RANGES, values, strict=True)))
            group.attrs["n_pts"] = points
            for name, array in zip(("t", "e", "zeta", "x"), orbit(values, points), strict=True):
                group.create_dataset(name, data=array, compression="gzip", compression_opts=4)
        for name, column in zip(RANGES, drawn.T, strict=True):
            file[f"metadata/{name}"] = column


def orbit(values, points):
    """Times, eccentricity, anomaly and x of one binary, float64 (points,); `values` as in RANGES.

    Times lie closer towards the end. The anomaly is the angle from periastron, without jumps.

    Raises:
        ArithmeticError: the integration did not arrive at the end.
    """
    q, chi1, chi2, e0, zeta0, omega0 = map(float, values)
    rates = Rates(q, chi1, chi2)
    u0 = 2 * math.atan(math.sqrt((1 - e0) / (1 + e0)) * math.tan(zeta0 / 2))

    def arrived(_t, state):
        return state[0] - LAST_X

    arrived.terminal, arrived.direction = True, 1
    scale = [1e-2 * TOLERANCE, 1e-2 * TOLERANCE * e0**2, TOLERANCE]
    found = solve_ivp(
        rates,
        (0.0, LAST_TIME),
        [omega0 ** (2 / 3), e0**2, u0],
        method="DOP853",
        rtol=TOLERANCE,
        atol=scale,
        events=arrived,
        dense_output=True,
    )
    if found.status != 1:
        raise ArithmeticError(f"no end of the orbit of {values.tolist()}: {found.message}")
    left = np.linspace(1.0, 0.0, points)
    t = found.t[-1] * (1 - left**2)
    x, square, u = found.sol(t)
    x[-1] = LAST_X
    e = np.sqrt(square)
    turns = np.round(u / (2 * np.pi))
    half = (u - 2 * np.pi * turns) / 2
    zeta = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(half), np.sqrt(1 - e) * np.cos(half))
    arrays = t, e, zeta + 2 * np.pi * turns, x
    if not all(np.isfinite(array).all() for array in arrays):
        raise ArithmeticError(f"an orbit of {values.tolist()} is not finite")
    return arrays


class Rates:
    """d/dt of (x, e^2, u); u is the eccentric anomaly. Masses q / (1 + q) and 1 / (1 + q).

    Polynomials in e^2 are lists from the lowest power. Names are those of the papers: a of dy/dt, b
    of -d(e^2)/dt, k of the periastron's advance, in powers of y.
    """

    def __init__(self, q, chi1, chi2):
        m1, m2 = q / (1 + q), 1 / (1 + q)
        nu, dm = m1 * m2, m1 - m2
        s, d = m1 * chi1 + m2 * chi2, m1 * chi1 - m2 * chi2
        pi = math.pi
        self.nu = nu
        self.a0 = [32 / 5, 28 / 5]
        self.a2 = [
            -1486 / 105 - 88 * nu / 5,
            12296 / 105 - 5258 * nu / 45,
            3007 / 84 - 244 * nu / 9,
        ]
        tail = [1, 97 / 32, 49 / 128, -49 / 18432, -109 / 147456, -2567 / 58982400]
        self.a3 = total(
            times(128 * pi / 5, tail),
            times(s, [-752 / 15, -138, -611 / 30]),
            times(d * dm, [-152 / 15, -154 / 15, 17 / 30]),
        )
        self.a4 = total(
            [
                34103 / 2835 + 13661 * nu / 315 + 944 * nu**2 / 45,
                -489191 / 1890 - 209729 * nu / 630 + 147443 * nu**2 / 270,
                2098919 / 7560 - 2928257 * nu / 2520 + 34679 * nu**2 / 45,
                53881 / 2520 - 7357 * nu / 90 + 9392 * nu**2 / 135,
            ],
            times((m1 * chi1) ** 2 + (m2 * chi2) ** 2, [8 / 5, 24 / 5, 3 / 5]),
            times(s**2, [156 / 5, 84, 123 / 10]),
            times(d**2, [-2 / 5, -6 / 5, -3 / 20]),
        )
        self.a4_root = times(1 - 2 * nu / 5, [16, 266, -859 / 2, -65])
        first = [1, -207671 / 8318, -8382869 / 266176, -8437609 / 4791168, 10075915 / 306634752]
        second = [1, 113002 / 11907, 6035543 / 762048, 253177 / 571536, -850489 / 877879296]
        self.a5 = total(
            times(-4159 * pi / 105, [*first, -38077159 / 15331737600]),
            times(-756 * pi * nu / 5, [*second, -1888651 / 10973491200]),
            times(
                s,
                [
                    -5861 / 45 + 4004 * nu / 15,
                    -968539 / 630 + 259643 * nu / 135,
                    -4856917 / 2520 + 943721 * nu / 540,
                    -64903 / 560 + 5081 * nu / 45,
                ],
            ),
            times(
                d * dm,
                [
                    -21611 / 315 + 632 * nu / 15,
                    -55415 / 126 + 36239 * nu / 135,
                    -72631 / 360 + 12151 * nu / 108,
                    909 / 560 - 143 * nu / 45,
                ],
            ),
        )
        self.a5_root = total(
            times(
                s,
                [
                    -1416 / 5 + 1652 * nu / 15,
                    2469 / 5 - 5761 * nu / 30,
                    222 / 5 - 259 * nu / 15,
                ],
            ),
            times(
                d * dm, [-472 / 5 + 236 * nu / 15, 823 / 5 - 823 * nu / 30, 74 / 5 - 37 * nu / 15]
            ),
        )
        self.b(nu, dm, s, d, m1 * chi1, m2 * chi2)
        self.k3 = -7 * s / 2 - d * dm / 2
        self.k4 = total([27 / 2 - 7 * nu + 3 * s**2 / 2, 51 / 4 - 13 * nu / 2])

    def b(self, nu, dm, s, d, spin1, spin2):
        pi = math.pi
        self.b0 = [608 / 15, 242 / 15]
        self.b2 = [
            -1878 / 35 - 8168 * nu / 45,
            59834 / 105 - 7753 * nu / 15,
            13929 / 140 - 3328 * nu / 45,
        ]
        tail = [1, 5969 / 3940, 24217 / 189120, 623 / 4538880, -96811 / 363110400]
        self.b3 = total(
            times(788 * pi / 3, [*tail, -5971 / 4357324800]),
            times(s, [-3272 / 9, -26263 / 45, -812 / 15]),
            times(d * dm, [-3328 / 45, -1993 / 45, 23 / 15]),
        )
        self.b4 = [
            -949877 / 945 + 18763 * nu / 21 + 1504 * nu**2 / 5,
            -3082783 / 1260 - 988423 * nu / 420 + 64433 * nu**2 / 20,
            23289859 / 7560 - 13018711 * nu / 2520 + 127411 * nu**2 / 45,
            420727 / 1680 - 362071 * nu / 1260 + 1642 * nu**2 / 9,
        ]
        self.b4_root = times(1 - 2 * nu / 5, [2672 / 3, 2321, 565 / 3])
        # -4/3 (s1^2 + s2^2) + 2/3 (s^2 + d^2) is zero: a circle stays one with aligned spins
        self.b4_spins = total(
            times(spin1**2 + spin2**2, [34 / 3, 49 / 2, 9 / 4]),
            times(s**2, [3667 / 15, 4613 / 12, 287 / 8]),
            times(d**2, [1 / 3, -13 / 4, -3 / 8]),
        )
        first = [1, -9904271 / 891056, -101704075 / 10692672, -217413779 / 513248256]
        first += [35703577 / 6843310080, -3311197679 / 9854366515200]
        second = [1, 11228233 / 2440576, 37095275 / 14643456, 151238443 / 1405771776]
        second += [-118111 / 611205120, -407523451 / 26990818099300]
        self.b5 = total(
            times(-55691 * pi / 105, first),
            times(-610144 * pi * nu / 315, second),
            times(
                s,
                [
                    -13103 / 35 + 289208 * nu / 135,
                    -548929 / 63 + 61355 * nu / 6,
                    -6215453 / 840 + 1725437 * nu / 270,
                    -87873 / 280 + 13177 * nu / 45,
                ],
            ),
            times(
                d * dm,
                [
                    -32857 / 105 + 52916 * nu / 135,
                    -1396159 / 630 + 126833 * nu / 90,
                    -203999 / 280 + 56368 * nu / 135,
                    5681 / 1120 - 376 * nu / 45,
                ],
            ),
        )
        self.b5_root = total(
            times(
                s,
                [
                    -1184 + 4144 * nu / 9,
                    -13854 / 5 + 16163 * nu / 15,
                    -626 / 5 + 2191 * nu / 45,
                ],
            ),
            times(
                d * dm,
                [
                    -1184 / 3 + 592 * nu / 9,
                    -4618 / 5 + 2309 * nu / 15,
                    -626 / 15 + 313 * nu / 45,
                ],
            ),
        )

    def averaged(self, x, square):
        """dx/dt, d(e^2)/dt and the mean motion n over an orbit."""
        inside = 1 - square
        root = math.sqrt(inside)
        y = math.sqrt(x) / root
        lack = (1 - root) / root
        a5 = at(self.a5, square) + square / root * at(self.a5_root, square)
        a4 = at(self.a4, square) + lack * at(self.a4_root, square) + y * a5
        a3 = at(self.a3, square) + y * a4
        a = at(self.a0, square) + y**2 * (at(self.a2, square) + y * a3)
        b5 = at(self.b5, square) + root * at(self.b5_root, square)
        b4 = at(self.b4, square) + root * at(self.b4_root, square)
        b4 = b4 + at(self.b4_spins, square) + y * b5
        b3 = at(self.b3, square) + y * b4
        b = square * (at(self.b0, square) + y**2 * (at(self.b2, square) + y * b3))
        speed = self.nu * y**8 * inside * root
        dy, dsquare = y * speed * a, -speed * b
        dx = 2 * y * dy * inside - y**2 * dsquare
        advance = y**2 * (3 + y * (self.k3 + y * at(self.k4, square)))
        return dx, dsquare, x**1.5 / (1 + advance)

    def __call__(self, _t, state):
        x, square, u = state
        square = max(square, 0.0)
        e = math.sqrt(square)
        dx, dsquare, n = self.averaged(x, square)
        chi = 1 - e * math.cos(u)
        inner = (49 - 9 * square - 35 * (1 - square) / chi) / chi
        decay = -8 / 5 * (6 + (-32 + inner) / chi) / chi**3
        mean = (96 + (292 + 37 * square) * square) / (5 * (1 - square) ** 3.5)
        dx = dx + 2 / 3 * self.nu * x**5 * (decay - mean)
        de = dsquare / (2 * e) if e > 0 else 0.0
        return dx, dsquare, (n + de * math.sin(u)) / chi


def at(polynomial, square):
    value = 0.0
    for coefficient in reversed(polynomial):
        value = value * square + coefficient
    return value


def times(factor, polynomial):
    return [factor * coefficient for coefficient in polynomial]


def total(*polynomials):
    length = max(map(len, polynomials))
    padded = [[*p, *([0.0] * (length - len(p)))] for p in polynomials]
    return [math.fsum(column) for column in zip(*padded, strict=True)]
