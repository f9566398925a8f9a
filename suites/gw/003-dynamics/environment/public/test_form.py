"""Public checks: the form of an answer, and that an orbit starts at its frequency and speeds up."""

import numpy as np

from referee.wall import contract

BINARIES = np.array([[2.0, 0.3, -0.1, 0.2, 1.0, 0.008], [4.0, 0.0, 0.5, 0.4, 2.0, 0.0078]])
TIMES = np.array([[14000.0], [15000.0]]) * (1 - np.linspace(1, 0, 50) ** 2)


@contract("interface")
def test_an_answer_has_the_declared_form(artifact):
    assert artifact(BINARIES, TIMES).shape == (2, 50)


@contract("interface")
def test_orbits_start_where_they_should_and_speed_up(artifact):
    x = artifact(BINARIES, TIMES)
    np.testing.assert_allclose(x[:, 0], BINARIES[:, 5] ** (2 / 3), rtol=0.1)
    assert (x[:, -1] > 1.5 * x[:, 0]).all()
