# referee-canary gw-005 71cbe9e1-3925-4b67-a57a-495ade10cf9e
"""Predicted mismatches of binaries that were not seen, in decades."""

import h5py
import numpy as np
import pytest

from referee.metric.gw.errors import log10_rmse
from referee.wall import CandidateFailure, contract, probe

COLUMNS = ("q", "chi1z", "chi2z", "omega0")


@probe
def predicted(q, chi1z, chi2z, omega0):
    from predict import predict

    return predict(q, chi1z, chi2z, omega0)


@pytest.fixture
def binaries(hidden_data):
    """Parameters (n, 4), and the true mismatches (n,)."""
    with h5py.File(hidden_data / "validity_validation.h5") as file:
        rows = np.transpose([file[name][:] for name in COLUMNS]).astype(float)
        truth = file["mm_td"][:].astype(float)
    assert rows.shape == (truth.size, 4)
    assert np.isfinite(rows).all()
    assert np.isfinite(truth).all()
    return rows, truth


def answers(artifact, rows):
    return artifact(*columns(rows))


def columns(rows):
    return [np.ascontiguousarray(column) for column in rows.T]


@contract("interface")
def test_every_value_is_finite(artifact, binaries):
    assert np.isfinite(answers(artifact, binaries[0])).all()


@contract("interface")
def test_one_binary_and_none_are_answered(artifact, binaries, rng):
    rows, _ = binaries
    place = int(rng.integers(len(rows)))
    assert np.isfinite(answers(artifact, rows[place : place + 1])).all()
    assert answers(artifact, rows[:0]).size == 0


@contract("independence")
def test_a_second_answer_is_the_first(artifact, binaries):
    first, second = (answers(artifact, binaries[0]) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("independence")
def test_order_and_company_do_not_matter(artifact, binaries, rng):
    rows, _ = binaries
    whole = answers(artifact, rows)
    for count in (len(rows), 20, 1):
        some = rng.choice(len(rows), size=count, replace=False)
        np.testing.assert_allclose(answers(artifact, rows[some]), whole[some], rtol=1e-8, atol=0)


@contract("score")
def test_score(candidate, binaries, rng, measure):
    rows, truth = binaries
    order = rng.permutation(len(rows))
    # Asked by a probe: an answer that is not finite is no value, and flagged, but not unseen.
    got = in_order(candidate(predicted, *columns(rows[order])), order)
    score = log10_rmse(got, truth)
    flags = [flag for flags in score.flags for flag in flags]
    measure(
        score.value,
        list(score.samples),
        components={
            **score.components,
            "median": score.median,
            "p05": score.p05,
            "p95": score.p95,
            "probe.swapped.spins": with_spins_exchanged(candidate, rows, truth),
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        ids=range(len(rows)),
    )


def with_spins_exchanged(candidate, rows, truth):
    """The score of answers to the question with both spins exchanged; None without an answer."""
    try:
        told = candidate(predicted, *columns(rows[:, [0, 2, 1, 3]]))
        return log10_rmse(in_order(told, np.arange(len(rows))), truth).value
    except (CandidateFailure, AssertionError):
        return None


def in_order(told, order):
    """Answers of the right form, back in the evaluator's order."""
    assert isinstance(told, np.ndarray)
    assert (told.dtype, told.shape) == (np.dtype(float), order.shape)
    got = np.empty(order.size)
    got[order] = told
    return got
