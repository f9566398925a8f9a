"""The tail model: limits, derivatives, and the conventions that decide scores."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from referee.metric.gw.mismatch import spectral_reference
from referee.metric.gw.new_physics import (
    Case,
    angular_momentum,
    cases,
    energy,
    energy_slope,
    evaluation_grid,
    factorised_mode,
    waveform,
)

pytest.importorskip("scipy")

X = np.geomspace(1e-3, 1 / 6, 60)
CASE = Case(20.0, 0.22, 410.0, 1.0)


def test_there_are_144_cases_on_7921_frequencies():
    every = list(cases())
    assert len(set(every)) == 144
    assert len({(c.chirp_mass, c.eta, c.coupling) for c in every}) == 48
    grid = evaluation_grid()
    assert (grid.size, grid[0], grid[1], grid[-1]) == (7921, 0.0, 0.125, 990.0)


@pytest.mark.parametrize("nu", [0.01, 0.12, 0.25])
def test_the_slope_is_the_derivative_of_the_energy(nu):
    step = 1e-5 * X
    numeric = (energy(X + step, nu) - energy(X - step, nu)) / (2 * step)
    np.testing.assert_allclose(energy_slope(X, nu), numeric, rtol=1e-6)


def test_the_test_mass_limit_is_the_orbit_around_schwarzschild():
    """(1 - 2x)/sqrt(1 - 3x) and 1/sqrt(x(1 - 3x)), up to the orders that the series leave out."""
    nu, x = 1e-6, np.array([1e-3, 1e-2])
    exact = (1 - 2 * x) / np.sqrt(1 - 3 * x)
    np.testing.assert_allclose((energy(x, nu) - 1) / nu, exact - 1, rtol=5e-6)
    np.testing.assert_allclose(angular_momentum(x, nu), 1 / np.sqrt(x * (1 - 3 * x)), rtol=5e-6)


def test_first_law_of_circular_orbits():
    """M dE/dx = Omega dJ/dx to every order of the series: e' = nu x^(3/2) p'."""
    for nu in (0.1, 0.25):
        x = np.array([1e-3, 3e-3])
        step = 1e-4 * x
        slope = (angular_momentum(x + step, nu) - angular_momentum(x - step, nu)) / (2 * step)
        np.testing.assert_allclose(energy_slope(x, nu), nu * x**1.5 * slope, rtol=1e-7)


def test_slow_orbits_have_the_newtonian_mode():
    assert abs(factorised_mode(np.array([1e-6]), 0.2, 1.0)[0] - 1) < 1e-5


def test_the_tail_is_switched_by_the_coupling():
    one, other = (factorised_mode(X, 0.2, coupling) for coupling in (0.8, 1.2))
    assert 1e-4 < np.abs(one / other - 1).max() < 1


def test_shape_and_scales_of_a_waveform():
    f = evaluation_grid()
    h = waveform(f, CASE)
    f_isco = 1 / (np.pi * 6**1.5 * 20.0 * 4.925491025543576e-06 / 0.22**0.6)
    assert (h == 0).tolist() == ((f < 15) | (f >= f_isco)).tolist()
    far = waveform(f, dataclasses.replace(CASE, distance=820.0))
    np.testing.assert_allclose(2 * far, h, rtol=1e-13)
    low = (f >= 15) & (f < 40)
    power = np.polyfit(np.log(f[low]), np.log(np.abs(h[low])), 1)[0]
    assert power == pytest.approx(-7 / 6, abs=0.1)
    turned = waveform(f, CASE, phic=0.3, tc=0.01)
    np.testing.assert_allclose(turned, h * np.exp(2j * np.pi * f * 0.01 - 0.3j), atol=1e-30)
    assert not waveform(np.array([1.0, 2.0]), CASE).any()


def test_the_phase_falls_as_in_the_leading_order():
    """d^2 psi/df^2 of the stationary phase is 2 pi dt/df, positive for the sign taken here."""
    f = np.arange(20.0, 60.0, 0.01)
    phase = np.unwrap(np.angle(waveform(f, CASE)))
    curvature = np.diff(phase, 2) / 0.01**2
    mass = 20.0 * 4.925491025543576e-06
    leading = 2 * np.pi * 5 / 96 * np.pi ** (-8 / 3) * mass ** (-5 / 3) * f[1:-1] ** (-11 / 3)
    ratio = np.median(curvature[:500] / leading[:500])
    assert ratio == pytest.approx(1.0, abs=0.3)


def test_scores_of_the_conventions():
    pytest.importorskip("lalsimulation")
    f = evaluation_grid()
    h = waveform(f, CASE)
    ready = spectral_reference(h, 0.125)
    assert ready.mismatch(h).value <= 1e-15
    assert ready.mismatch(waveform(f, dataclasses.replace(CASE, distance=1e3))).value <= 1e-14
    assert ready.mismatch(h.conj()).value > 0.3
    other_coupling = ready.mismatch(waveform(f, dataclasses.replace(CASE, coupling=0.8))).value
    assert 1e-9 < other_coupling < 0.1
    # The same model with its integrals ten times finer: the trapezoid's own share of the score.
    fine = waveform(np.arange(79_201) * 0.0125, CASE)[::10]
    assert 1e-9 < ready.mismatch(fine).value < 1e-3


def test_the_published_scores_of_the_wrong_sign():
    """A published model with the other sign of the exponent, and little else, came to these."""
    pytest.importorskip("lalsimulation")
    f = evaluation_grid()
    found = []
    for case in cases():
        if case.distance == 200.0:
            h = waveform(f, case)
            found.append(spectral_reference(h, 0.125).mismatch(h.conj()).value)
    assert len(found) == 48
    assert np.mean(found) == pytest.approx(0.7087221586979737, abs=1e-5)
    quantiles = np.quantile(np.repeat(found, 3), [0.05, 0.5, 0.95])
    want = [0.4988233880534869, 0.7128505117272628, 0.8979082676901459]
    np.testing.assert_allclose(quantiles, want, atol=1e-4)


@pytest.mark.parametrize(
    ("f", "case"),
    [
        ([1.0, 1.0], CASE),
        ([[1.0]], CASE),
        ([np.nan], CASE),
        ([1.0], dataclasses.replace(CASE, eta=0.3)),
        ([1.0], dataclasses.replace(CASE, distance=0.0)),
    ],
)
def test_what_is_no_binary_is_refused(f, case):
    with pytest.raises(ValueError, match=r"strictly increasing|not a binary"):
        waveform(np.array(f), case)
