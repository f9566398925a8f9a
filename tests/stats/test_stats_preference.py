"""Bradley-Terry strengths: oracles, the likelihood's own condition, and when there are none."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_oracles import ORACLES

from referee.stats.preference import bradley_terry

CASE = ORACLES["preference"]


def test_strengths_of_the_oracles():
    found = bradley_terry(CASE["wins"])
    assert list(found.strength) == pytest.approx(CASE["strength"], abs=6e-11)  # as printed
    assert list(found.log_strength) == pytest.approx(CASE["log_strength"], abs=6e-10)
    assert (found.n, found.games) == (3, 30)
    two = bradley_terry(CASE["two_players"]["wins"])
    assert list(two.strength) == pytest.approx(CASE["two_players"]["strength"], abs=1e-12)


@given(st.integers(2, 5), st.randoms())
def test_everyone_won_as_often_as_the_strengths_expect(n, chance: random.Random):
    wins = [[0 if i == j else chance.randint(1, 9) for j in range(n)] for i in range(n)]
    s = bradley_terry(wins).strength
    assert sum(s) == pytest.approx(1.0, abs=1e-12)
    for i in range(n):
        expected = sum((wins[i][j] + wins[j][i]) * s[i] / (s[i] + s[j]) for j in range(n) if j != i)
        assert sum(wins[i]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0]], "square table for at least 2"),
        ([[0, 1], [1]], "square table"),
        ([[1, 1], [1, 0]], "against itself"),
        ([[0, -1], [1, 0]], r"wins\[0\]\[1\] must be at least 0"),
        ([[0, 0.5], [1, 0]], r"wins\[0\]\[1\] must be a whole number"),
        ([[0, 3], [0, 0]], "no finite strengths"),
        ([[0, 1, 0], [1, 0, 0], [2, 2, 0]], "no finite strengths"),
        ([[0, 0], [0, 0]], "no finite strengths"),
    ],
)
def test_bad_input_is_refused(wins, words):
    with pytest.raises(ValueError, match=words):
        bradley_terry(wins)
