# referee-canary gw-008 b540e853-e3bd-4721-8e38-c5f657f6aafb
"""The formula sheet, written down term by term."""

from pathlib import Path

SOURCE = '''\
"""The waveform of an inspiral with running tails, in the frequency domain."""

import numpy as np
from scipy.special import loggamma

MSUN, MPC, GAMMA = 4.925491025543576e-06, 1.0292712503e14, 0.5772156649015329
PI = np.pi


def h_of_f(
    f,
    Mc,
    eta,
    dL,
    tc=0,
    phic=0,
    lambda_RG=1,
    f_low=20,
    fmax_over_fisco=1.3,
    sigma_taper_over_fisco=0.01,
    phase_only=False,
):
    """h(f), complex128 (n,); the arguments are those of the instruction."""
    f = np.asarray(f, dtype=float)
    h = np.zeros(f.shape, dtype=complex)
    mass = Mc * MSUN / eta**0.6
    f_isco = 1 / (PI * 6**1.5 * mass)
    f_cut = fmax_over_fisco * f_isco
    inside = (f >= f_low) & (f < f_cut)
    if not inside.any():
        return h
    nodes = np.append(f[inside], f_cut)
    x = (PI * mass * nodes) ** (2 / 3)
    mode = mode_22(x, eta, lambda_RG)
    slope = energy_slope(x, eta)
    flux = 32 / 5 * eta**2 * x**5 * np.abs(mode) ** 2
    dt = -mass * slope / flux
    time, angle = to_the_end(x, dt), to_the_end(x, 2 * x**1.5 / mass * dt)
    f, x, slope, mode = nodes[:-1], x[:-1], slope[:-1], mode[:-1]
    phase = 2 * PI * f * tc - phic - PI / 4 + angle - 2 * PI * f * time + np.angle(mode)
    size = np.sqrt(5 / 24) * (Mc * MSUN) ** (5 / 6) / (dL * MPC * PI ** (2 / 3)) * f ** (-7 / 6)
    if not phase_only:
        size = size * np.sqrt(-2 * slope / eta)
    window = 1 / (1 + np.exp(np.clip((f - f_isco) / (sigma_taper_over_fisco * f_isco), -500, 500)))
    h[inside] = size * np.exp(1j * phase) * window
    return h


def to_the_end(x, rate):
    """Trapezoidal integrals of `rate` from each node but the last to the last."""
    pieces = 0.5 * (rate[1:] + rate[:-1]) * np.diff(x)
    return np.cumsum(pieces[::-1])[::-1]


def energy_factors(x, nu):
    """c1 to c4, and what the logarithm adds to the derivative of x^5 c4."""
    c1 = -3 / 4 - nu / 12
    c2 = -27 / 8 + 19 * nu / 8 - nu**2 / 24
    c3 = -675 / 64 + (34445 / 576 - 205 * PI**2 / 96) * nu - 155 * nu**2 / 96 - 35 * nu**3 / 5184
    c4 = (
        -3969 / 128
        + (-123671 / 5760 + 9037 * PI**2 / 1536 + 896 * GAMMA / 15 + 448 * np.log(16 * x) / 15) * nu
        + (498449 / 3456 - 3157 * PI**2 / 576) * nu**2
        + 301 * nu**3 / 1728
        + 77 * nu**4 / 31104
    )
    return c1, c2, c3, c4, 448 * nu / 15


def energy(x, nu):
    """e(x)."""
    c1, c2, c3, c4, _ = energy_factors(x, nu)
    return 1 - nu * x / 2 * (1 + c1 * x + c2 * x**2 + c3 * x**3 + c4 * x**4)


def energy_slope(x, nu):
    """de/dx."""
    c1, c2, c3, c4, log = energy_factors(x, nu)
    grown = 1 + 2 * c1 * x + 3 * c2 * x**2 + 4 * c3 * x**3 + (5 * c4 + log) * x**4
    return -nu / 2 * grown


def angular_momentum(x, nu):
    """p(x)."""
    d1 = 3 / 2 + nu / 6
    d2 = 27 / 8 - 19 * nu / 8 + nu**2 / 24
    d3 = 135 / 16 + (-6889 / 144 + 41 * PI**2 / 24) * nu + 31 * nu**2 / 24 + 7 * nu**3 / 1296
    d4 = (
        2835 / 128
        + (98869 / 5760 - 128 * GAMMA / 3 - 6455 * PI**2 / 1536 - 64 * np.log(16 * x) / 3) * nu
        + (356035 / 3456 - 2255 * PI**2 / 576) * nu**2
        - 215 * nu**3 / 1728
        - 55 * nu**4 / 31104
    )
    return (1 + d1 * x + d2 * x**2 + d3 * x**3 + d4 * x**4) / np.sqrt(x)


def mode_22(x, nu, coupling):
    """The (2,2) mode, relative to its Newtonian value."""
    e = energy(x, nu)
    effective = (e**2 - 1) / (2 * nu) + 1
    y = (e * x**1.5) ** (2 / 3)
    delta = -17 / 3 * y**1.5 - 24 * nu * y**2.5
    delta = delta + (30995 * nu / 1134 + 962 * nu**2 / 135) * y**3.5
    delta = delta - 4976 * PI * nu * y**4 / 105
    tail = tail_factor(x, e, angular_momentum(x, nu), coupling)
    return effective * tail * residual(x, nu) ** 2 * np.exp(1j * delta)


def tail_factor(x, e, p, coupling):
    """T, with the running multipole index."""
    k, j = 2 * e * x**1.5, p / e**2
    gamma = -214 * k**2 / 105 + 4 * j * k**3 / 3
    gamma = gamma - 3390466 * k**4 / 1157625 + 2 * 381863 * j * k**5 / 99225
    index = 2 + coupling * gamma
    log = np.log(120) + (index - 2) * np.log(4 * np.sqrt(x)) + 2j * k * (17 / 12 - GAMMA)
    log = log + loggamma(index - 1 - 2j * k) - loggamma(2 * index + 2)
    return np.exp(log + PI * k - 1j * PI * (index - 2) / 2)


def residual(x, nu):
    """rho."""
    log = GAMMA + np.log(4 * np.sqrt(x))
    r1 = -43 / 42 + 55 * nu / 84
    r2 = -20555 / 10584 - 33025 * nu / 21168 + 19583 * nu**2 / 42336
    r3 = -4296031 / 4889808 + (41 * PI**2 / 192 - 48993925 / 9779616) * nu
    r3 = r3 - 6292061 * nu**2 / 3259872 + 10620745 * nu**3 / 39118464
    r4 = 9228174993589 / 800950550400
    r4 = r4 + (-2487107795131 / 145627372800 + 464 * log / 35 - 9953 * PI**2 / 21504) * nu
    r4 = r4 + (10815863492353 / 640760440320 - 3485 * PI**2 / 5376) * nu**2
    r4 = r4 - 2088847783 * nu**3 / 11650189824 + 70134663541 * nu**4 / 512608352256
    return 1 + r1 * x + r2 * x**2 + r3 * x**3 + r4 * x**4
'''

Path("candidate_waveform.py").write_text(SOURCE)
