"""Public checks: two marks, coordinates that are turned already, and an error that must stay."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract, probe

RECEPTION = np.array(
    [
        [26.0e6, 3.0e6, 1.0e6],
        [18.0e6, 17.0e6, 9.0e6],
        [17.0e6, -16.0e6, 12.0e6],
        [19.0e6, 8.0e6, -17.0e6],
        [15.0e6, -5.0e6, 21.0e6],
        [20.0e6, -12.0e6, -13.0e6],
    ]
)
"""Where the light of six satellites came from, in the axes of reception."""
MARK = np.array([6.378e6, 0.0, 0.0])
BIAS = 250.0


def data():
    """Coordinates in the axes of transmission, and pseudoranges."""
    path = np.linalg.norm(RECEPTION - MARK, axis=1)
    turn = 7.2921151467e-5 * path / 299792458.0
    x, y, z = RECEPTION.T
    sent = [np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y, z]
    return np.column_stack(sent), (path + BIAS)[:, None]


@probe
def position(satellites, pseudoranges, options):
    import numpy as np
    from gnss_lib_py.algorithms.snapshot import wls

    return wls(np.zeros((4, 1)), satellites.copy(), pseudoranges, **options)[:, 0]


@contract("knowledge")
def test_a_mark_on_the_equator_is_found(candidate):
    found = candidate(position, *data(), {})
    # The report asks for 5 mm.
    assert np.linalg.norm(found[:3] - MARK) <= 5e-3
    assert abs(found[3] - BIAS) <= 5e-3


@contract("coverage")
def test_coordinates_of_reception_are_used_as_they_are(candidate):
    _, pseudoranges = data()
    found = candidate(position, RECEPTION, pseudoranges, {"sv_rx_time": True})
    assert np.linalg.norm(found[:3] - MARK) <= 5e-3


@contract("regression")
def test_three_satellites_are_too_few(candidate):
    satellites, pseudoranges = data()
    with pytest.raises(CandidateError) as caught:
        candidate(position, satellites[:3], pseudoranges[:3], {})
    assert caught.value.is_a("RuntimeError")
