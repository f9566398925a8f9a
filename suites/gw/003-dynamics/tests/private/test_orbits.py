# referee-canary gw-003 1f6a3c52-90d7-4be1-8a35-2d4e7c61b0f8
"""x(t) of binaries that the agent has not seen, on the evaluator's times."""

from itertools import groupby

import h5py
import numpy as np
import pytest

from referee.metric.gw.errors import relative_rms
from referee.wall import CandidateFailure, contract

NAMES = ("q", "chi1z", "chi2z", "e0", "zeta0", "omega0")
BATCH = 50


@pytest.fixture
def orbits(hidden_data):
    """Parameters (6,), times (n,) and x (n,) of each binary."""
    found = []
    with h5py.File(hidden_data / "dynamics_validation.h5", "r") as file:
        for place in range(int(file.attrs["n_simulations"])):
            group = file[f"sim_{place:04d}"]
            values = np.array([float(group.attrs[name]) for name in NAMES])
            t, x = group["t"][:].astype(float), group["x"][:].astype(float)
            assert t.ndim == 1
            assert t.shape == x.shape
            assert all(np.isfinite(part).all() for part in (values, t, x))
            found.append((values, t, x))
    return found


def together(orbits, places):
    """Binaries with equally many times as one question."""
    return np.stack([orbits[p][0] for p in places]), np.stack([orbits[p][1] for p in places])


def batches(orbits, places):
    """The places in groups of equally many times, `BATCH` at most."""
    for _, group in groupby(sorted(places, key=lambda p: orbits[p][1].size), lambda p: orbits[p][1].size):
        same = list(group)
        yield from (same[low : low + BATCH] for low in range(0, len(same), BATCH))


def some(orbits, rng, count):
    """Binaries with equally many times, at random."""
    size = orbits[0][1].size
    same = [place for place, orbit in enumerate(orbits) if orbit[1].size == size]
    return rng.choice(same, size=min(count, len(same)), replace=False)


@contract("interface")
def test_one_binary_is_answered(artifact, orbits):
    values, t, _ = orbits[0]
    assert artifact(values[None], t[None]).shape == (1, t.size)


@contract("independence")
def test_a_binary_does_not_depend_on_which_others_are_asked(artifact, orbits, rng):
    places = some(orbits, rng, 8)
    whole = artifact(*together(orbits, places))
    order = rng.permutation(places.size)[: max(1, places.size // 2)]
    part = artifact(*together(orbits, places[order]))
    np.testing.assert_allclose(part, whole[order], rtol=1e-9)


@contract("independence")
def test_a_second_answer_is_the_first(artifact, orbits, rng):
    question = together(orbits, some(orbits, rng, 4))
    first, second = (artifact(*question) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("physics")
def test_orbits_start_at_their_frequency_and_shrink(artifact, orbits, rng):
    values, t = together(orbits, some(orbits, rng, 10))
    x = artifact(values, t)
    np.testing.assert_allclose(x[:, 0], values[:, 5] ** (2 / 3), rtol=0.1)
    tenths = x[:, :: max(1, t.shape[1] // 10)]
    assert (np.diff(tenths, axis=1) > 0).all()
    assert ((x > 0.02) & (x < 0.6)).all()


def answers(artifact, orbits, places):
    """x of each place; NaN for a binary to which there is no answer of the declared form."""
    try:
        got = artifact(*together(orbits, places))
    except CandidateFailure:
        if len(places) == 1:
            return [np.full(orbits[places[0]][1].shape, np.nan)]
        middle = len(places) // 2
        halves = places[:middle], places[middle:]
        return [x for half in halves for x in answers(artifact, orbits, half)]
    return list(got)


def predictions(artifact, orbits, order):
    """The answers for all binaries, asked for in this order."""
    found = [np.empty(0)] * len(orbits)
    for places in batches(orbits, order):
        for place, x in zip(places, answers(artifact, orbits, places), strict=True):
            found[place] = x
    return found


@contract("score")
def test_score(artifact, orbits, rng, measure):
    artifact(orbits[0][0][None], orbits[0][1][None])
    order = rng.permutation(len(orbits)).tolist()
    true = [x for _, _, x in orbits]
    score = relative_rms(predictions(artifact, orbits, order), true)
    exchanged = [(values[[0, 2, 1, 3, 4, 5]], t, x) for values, t, x in orbits]
    swapped = relative_rms(predictions(artifact, exchanged, order), true)
    flags = [flag for sample in score.flags for flag in sample]
    measure(
        score.value,
        list(score.samples),
        components={
            **score.components,
            "median": score.median,
            "p05": score.p05,
            "p95": score.p95,
            "largest": max(score.samples),
            "probe.swapped.spins": swapped.value,
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        data={"grid": "the evaluator's times, whole"},
        ids=[f"sim_{place:04d}" for place in range(len(orbits))],
    )
