"""Constants in geometric units (G = c = 1), with the values that the published suite uses."""

from __future__ import annotations

MSUN_SEC = 4.925491025543576e-06
"""Seconds in one solar mass."""

MPC_SEC = 1.0292712503e14
"""Seconds in one megaparsec."""

GAMMA_E = 0.5772156649015329
"""The constant of Euler and Mascheroni."""

F_LOW, F_HIGH = 15.0, 990.0
"""The band of the canonical mismatch, in Hz."""

MASSES = (40.0, 80.0, 120.0, 160.0, 200.0)
"""Total masses at which a geometric waveform is compared, in solar masses."""
