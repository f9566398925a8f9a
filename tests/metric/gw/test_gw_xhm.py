"""Waveforms of the template-bank task: what edge-on modes, distances and phases must do."""

from __future__ import annotations

import numpy as np
import pytest

from referee.metric.gw.xhm import GROUPS, MODES, plus

pytest.importorskip("lalsimulation")

F = 15 * (1024 / 15) ** (np.arange(120) / 119)
ROWS = np.array([[200.0, 50.0, 0.3, -0.1, 0.7], [160.0, 45.0, -0.2, 0.2, 4.0]])


def test_modes_add_up_to_the_signal() -> None:
    modes = [plus(ROWS, F, ((degree, order),)) for degree, order in MODES]
    whole = plus(ROWS, F)
    np.testing.assert_allclose(np.sum(modes, axis=0), whole, rtol=0, atol=1e-9 * abs(whole).max())


@pytest.mark.parametrize("group", GROUPS)
def test_a_turn_of_the_phase_turns_a_mode_by_its_order(
    group: tuple[tuple[int, int], ...],
) -> None:
    order = group[0][1]
    turned = ROWS.copy()
    turned[:, 4] += 0.4
    one, other = plus(ROWS, F, group), plus(turned, F, group)
    loud = np.abs(one) > 1e-3 * np.abs(one).max()
    np.testing.assert_allclose(np.abs(other), np.abs(one), atol=1e-9 * np.abs(one).max())
    angle = np.angle((other / np.where(loud, one, 1))[loud])
    np.testing.assert_allclose(np.exp(1j * (np.abs(angle) - order * 0.4)), 1, atol=1e-8)


def test_a_full_turn_changes_nothing() -> None:
    turned = ROWS.copy()
    turned[:, 4] += 2 * np.pi
    expected = plus(ROWS, F)
    # LALSimulation interpolates phases of modes, which is why it is not a matter of round-off
    np.testing.assert_allclose(plus(turned, F), expected, rtol=0, atol=1e-6 * abs(expected).max())


def test_what_is_no_binary_is_not_a_number_and_the_others_stay() -> None:
    rows = np.vstack([ROWS[0], [-1.0, 20.0, 0, 0, 0], [np.nan, 20.0, 0, 0, 0], ROWS[1]])
    found = plus(rows, F)
    assert np.isnan(found[1:3]).all()
    np.testing.assert_array_equal(found[[0, 3]], plus(ROWS, F))


@pytest.mark.parametrize(
    "f", [np.array([20.0]), np.array([30.0, 20.0]), np.array([0.0, 20.0]), np.array([20.0, np.nan])]
)
def test_frequencies_must_be_some_and_increase(f: np.ndarray) -> None:
    with pytest.raises(ValueError, match="frequencies"):
        plus(ROWS, f)


def test_rows_have_five_columns() -> None:
    with pytest.raises(ValueError, match="rows of shape"):
        plus(ROWS[:, :4], F)
