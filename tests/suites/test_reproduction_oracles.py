"""The evaluators of two reproduction tasks against programs that share nothing with them.

Kerr modes are numbers that the package qnm 0.4.4 gives (continued fractions and a spectral angle).
The grating is integrated here by a Runge-Kutta method of order eight.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from referee.grade.reproduction.module import load_metrics

SUITE = Path(__file__).parents[2] / "suites" / "reproduction"

# l, m, n, a, frequency, separation constant.
KERR = {
    "schwarzschild": [
        (2, 0, 0, 0.0, 0.373671684418 - 0.088962315689j, 4.0),
        (2, 0, 1, 0.0, 0.346710996879 - 0.273914875291j, 4.0),
        (2, 0, 2, 0.0, 0.301053454613 - 0.478276983223j, 4.0),
        (3, 0, 0, 0.0, 0.599443288437 - 0.092703047945j, 10.0),
    ],
    "kerr": [
        (2, 2, 0, 0.1, 0.387017538366 - 0.088705699028j, 3.895748751988 + 0.024162118600j),
        (2, 2, 0, 0.9, 0.671614272132 - 0.064869235876j, 2.109819594130 + 0.211123578860j),
    ],
    "overtones": [
        (2, 2, 1, 0.7, 0.521160765268 - 0.244238315812j, 2.949785263345 + 0.551275849133j),
        (2, 2, 2, 0.7, 0.499906257825 - 0.412261536152j, 3.040497246539 + 0.922871988213j),
    ],
    "branches": [
        (2, -2, 0, 0.7, 0.309808130358 - 0.088717191129j, 4.547011639817 - 0.146302896568j),
        (2, 0, 0, 0.7, 0.394129289658 - 0.084452618815j, 3.961901498696 + 0.017152795713j),
        (3, 3, 0, 0.7, 0.843686862209 - 0.082855682029j, 8.635791524037 + 0.153407428935j),
    ],
}


@pytest.mark.parametrize("table", KERR)
def test_kerr_modes_are_those_of_another_program(table: str) -> None:
    module = load_metrics(SUITE / "05-kerr-quasinormal/tests/src/metrics.py")
    *numbers, omega, constant = (np.array(column) for column in zip(*KERR[table], strict=True))
    names = dict(zip("lmna", numbers, strict=True))
    told = module.derive("frequencies", {**names, "omega": omega}, {})
    assert told["table"] == table
    assert told["worst"] <= 1e-9
    assert module.derive("constants", {**names, "constant": constant}, {})["worst"] <= 1e-9
    residual = module.derive("residuals", {**names, "omega": omega, "constant": constant}, {})
    assert max(residual["angle"], residual["radius"]) <= 1e-9
    moved = module.derive("residuals", {**names, "omega": omega + 1e-4, "constant": constant}, {})
    assert moved["radius"] == pytest.approx(1e-4, rel=1e-3)


def waves(n2: float, delta: float) -> tuple[complex, complex, complex, complex]:
    """t_left, t_right, r_left, r_right of the protocol's grating, referred to z = 0."""
    beta, n1, length = 100.0, 1e-3, 12.5 * np.pi
    k = beta - delta

    def bend(s: float, y: np.ndarray) -> list[complex]:
        swing = 2 * beta * (s - length / 2)
        pull = -((k * (1 + n1 * np.cos(swing) + 1j * n2 * np.sin(swing))) ** 2)
        return [y[1], pull * y[0], y[3], pull * y[2]]

    start = np.array([1, 0, 0, 1], dtype=complex)
    done = solve_ivp(bend, [0, np.pi / beta], start, method="DOP853", rtol=1e-12, atol=1e-14)
    period = done.y[:, -1].reshape(2, 2).T

    def basis(z: float) -> np.ndarray:
        forth, back = np.exp(1j * k * z), np.exp(-1j * k * z)
        return np.array([[forth, back], [1j * k * forth, -1j * k * back]])

    grating = np.linalg.matrix_power(period, 1250) @ basis(-length / 2)
    q = np.linalg.solve(basis(length / 2), grating)
    r = -q[1, 0] / q[1, 1]
    return q[0, 0] + q[0, 1] * r, 1 / q[1, 1], r, q[0, 1] / q[1, 1]


@pytest.mark.parametrize(("case", "n2"), [("passive", 0.0), ("exceptional", 1e-3)])
def test_the_grating_is_that_of_another_integration(case: str, n2: float) -> None:
    module = load_metrics(SUITE / "04-pt-symmetric-bragg/tests/src/metrics.py")
    delta = np.array([-0.77, -0.0691, 0.0, 0.04, 0.913])
    sides = np.array([waves(n2, d) for d in delta]).T
    given = dict(zip(("t_left", "t_right", "r_left", "r_right"), sides, strict=True))
    told = module.derive("spectrum", {"delta": delta, **given}, {})
    assert told[case]["worst"] <= 1e-8
    assert told["reciprocity"] <= 1e-9
    assert told["unitarity"] <= 1e-8
    other = {"passive": "exceptional", "exceptional": "passive"}[case]
    assert told[other]["worst"] > 0.1
