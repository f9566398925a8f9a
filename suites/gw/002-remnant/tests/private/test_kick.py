# referee-canary gw-002 77ea7b2c-a9a2-4f5f-bb45-f7e319f98ad0
"""The model at binaries that it has not seen; which they are, and in which order, is ours."""

import h5py
import numpy as np
import pytest

from referee.metric.gw.errors import nrmse
from referee.wall import CandidateFailure, contract, probe

COLUMNS = ("q", "chi1x", "chi1y", "chi1z", "chi2x", "chi2y", "chi2z", "omega0")


@probe
def speeds(parameters):
    import predict

    return predict.predict(parameters)


@pytest.fixture
def validation(hidden_data):
    """Parameters (n, 8) and true speeds (n,)."""
    with h5py.File(hidden_data / "remnant_validation.h5", "r") as file:
        columns = [np.asarray(file[name], dtype=float) for name in (*COLUMNS, "vf_mag")]
    assert all(column.shape == columns[0].shape for column in columns)
    assert columns[0].ndim == 1
    table = np.array(columns).T
    assert np.isfinite(table).all()
    return table[:, :8], table[:, 8]


@contract("interface")
def test_every_speed_is_finite_and_not_negative(artifact, validation):
    assert (artifact(validation[0]) >= 0).all()


@contract("interface")
def test_a_single_binary_and_none_are_answered(artifact, validation, rng):
    one = int(rng.integers(len(validation[0])))
    artifact(validation[0][one : one + 1])
    artifact(np.empty((0, 8)))


@contract("independence")
def test_the_order_of_binaries_does_not_matter(artifact, validation, rng):
    parameters = validation[0][rng.choice(len(validation[0]), size=200, replace=False)]
    order = rng.permutation(len(parameters))
    shuffled, straight = artifact(parameters[order]), artifact(parameters)
    np.testing.assert_allclose(shuffled, straight[order], rtol=0, atol=1e-9)


@contract("independence")
def test_a_speed_does_not_depend_on_what_else_is_asked(artifact, validation, rng):
    parameters = validation[0][rng.choice(len(validation[0]), size=200, replace=False)]
    whole = artifact(parameters)
    for size in (1, int(rng.integers(2, 30))):
        part = np.sort(rng.choice(len(parameters), size=size, replace=False))
        np.testing.assert_allclose(artifact(parameters[part]), whole[part], rtol=0, atol=1e-9)


@contract("independence")
def test_a_second_answer_is_the_first(artifact, validation):
    first, second = (artifact(validation[0][:100]) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("limits")
def test_equal_holes_without_spin_stay_where_they_are(artifact, validation, rng):
    rows = validation[0][rng.choice(len(validation[0]), size=20, replace=False)].copy()
    rows[:, 0] = 1.0
    rows[:, 1:7] = 0.0
    assert (np.abs(artifact(rows)) <= 1e-3).all()


@contract("score")
def test_score(candidate, validation, rng, measure):
    parameters, true = validation
    order = rng.permutation(len(true))
    told = candidate(speeds, parameters[order])
    # Asked by a probe: an answer that is not finite is no value, and flagged, but not unseen.
    assert isinstance(told, np.ndarray)
    assert (told.dtype, told.shape) == (np.dtype(float), true.shape)
    got = np.empty_like(true)
    got[order] = told
    score = nrmse(got, true)
    others = told_by(candidate, parameters[:, [0, 4, 5, 6, 1, 2, 3, 7]])
    at_rest = told_by(candidate, np.array([[1.0, *[0.0] * 6, float(parameters[0, 7])]]))
    flags = [flag for sample in score.flags for flag in sample]
    fine = np.isfinite(got)
    measure(
        score.value,
        list(score.samples),
        components={
            **score.components,
            "median": score.median,
            "p05": score.p05,
            "p95": score.p95,
            "mean_error": float((got[fine] - true[fine]).mean()) if fine.any() else None,
            "range_of_truth": float(np.ptp(true)),
            "probe.swapped.spins": None if others is None else nrmse(others, true).value,
            "probe.limits.equal_mass_kick": None if at_rest is None else float(at_rest[0]),
            "expected.equal_mass_kick": 0.0,
            "tolerance.equal_mass_kick": 1e-3,
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        ids=range(len(true)),
    )


def told_by(candidate, rows):
    """Speeds to a further question; None without an answer of the right form."""
    try:
        told = candidate(speeds, rows)
    except CandidateFailure:
        return None
    whole = isinstance(told, np.ndarray) and (told.dtype, told.shape) == (float, (len(rows),))
    return told if whole else None
