# referee-canary gw-008 b540e853-e3bd-4721-8e38-c5f657f6aafb
"""A Newtonian chirp: the leading order of everything, and no tails."""

from pathlib import Path

SOURCE = '''\
"""A Newtonian chirp up to the innermost stable orbit, without tails."""

import numpy as np

MSUN, MPC = 4.925491025543576e-06, 1.0292712503e14


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
    """h(f), complex128 (n,)."""
    f = np.asarray(f, dtype=float)
    h = np.zeros(f.shape, dtype=complex)
    chirp = Mc * MSUN
    f_isco = eta**0.6 / (np.pi * 6**1.5 * chirp)
    inside = (f >= f_low) & (f < fmax_over_fisco * f_isco)
    g = f[inside]
    size = np.sqrt(5 / 24) * chirp ** (5 / 6) / (dL * MPC * np.pi ** (2 / 3)) * g ** (-7 / 6)
    phase = 2 * np.pi * g * tc - phic - np.pi / 4 + 3 / 128 * (np.pi * chirp * g) ** (-5 / 3)
    window = 1 / (1 + np.exp(np.clip((g - f_isco) / (sigma_taper_over_fisco * f_isco), -500, 500)))
    h[inside] = size * np.exp(1j * phase) * window
    return h
'''

Path("candidate_waveform.py").write_text(SOURCE)
