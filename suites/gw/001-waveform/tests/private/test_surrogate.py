# referee-canary gw-001 fff653f1-8895-42f5-b50b-3e5f2bdc5b63
"""The surrogate at binaries that it has not seen, on their own grids, by the canonical mismatch."""

from contextlib import suppress
from dataclasses import dataclass

import h5py
import numpy as np
import pytest

from referee.metric.gw.mismatch import SampleMismatch, mismatch_score
from referee.metric.gw.mismatch import reference as prepared
from referee.wall import CandidateFailure, contract, probe

STEP = 0.1
POWER = 1.5
NEAR = 10.0
SOME = 12  # binaries that are looked at one by one


@probe
def answered(q, chi1, chi2, omega0, t):
    from predict import predict

    return predict(q, chi1, chi2, omega0, t)


@dataclass(frozen=True)
class Simulation:
    name: str
    parameters: tuple
    t: np.ndarray
    h: np.ndarray


def simulation(name, group):
    spins = [np.array([group.attrs[f"chi{n}{axis}"] for axis in "xyz"], float) for n in (1, 2)]
    parameters = (float(group.attrs["q"]), *spins, float(group.attrs["omega0"]))
    h = group["h22_real"][:] + 1j * group["h22_imag"][:]
    found = Simulation(name, parameters, group["t"][:], h)
    assert all(np.isfinite(each).all() for each in (*parameters, h))
    assert found.t.shape == h.shape
    np.testing.assert_allclose(np.diff(found.t), STEP, rtol=0, atol=1e-6)
    return found


@pytest.fixture
def simulations(hidden_data):
    with h5py.File(hidden_data / "waveform_validation.h5") as file:
        return [simulation(name, group) for name, group in file.items() if name.startswith("sim_")]


def signal(artifact, parameters, t):
    """An answer with something in it: nothing is learnt from how nothing behaves."""
    got = artifact(*parameters, t)
    assert t.size == 0 or np.abs(got).max() > 0
    return got


def some_of(simulations, rng, count):
    count = min(count, len(simulations))
    return [simulations[k] for k in rng.choice(len(simulations), size=count, replace=False)]


@contract("interface")
def test_any_times_are_answered(artifact, simulations, rng):
    for each in some_of(simulations, rng, 2):
        for count in (0, 1, 300):
            signal(artifact, each.parameters, rng.uniform(-900.0, 90.0, size=count))


@contract("independence")
def test_a_second_answer_is_the_first(artifact, simulations, rng):
    (each,) = some_of(simulations, rng, 1)
    first, second = (signal(artifact, each.parameters, each.t) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("independence")
def test_a_value_depends_on_its_own_time_alone(artifact, simulations, rng):
    (each,) = some_of(simulations, rng, 1)
    whole = signal(artifact, each.parameters, each.t)
    near = 1e-8 * np.abs(whole).max()
    for count in (each.t.size, 2000, 30, 1):
        some = rng.choice(each.t.size, size=count, replace=False)
        got = signal(artifact, each.parameters, each.t[some])
        np.testing.assert_allclose(got, whole[some], rtol=0, atol=near)


@contract("physics")
def test_size_peak_and_sense_of_rotation_are_those_of_the_binary(artifact, simulations, rng):
    for each in some_of(simulations, rng, SOME):
        got = signal(artifact, each.parameters, each.t)
        power = float(np.sum(np.abs(got) ** 2) / np.sum(np.abs(each.h) ** 2))
        assert 1 / POWER <= power <= POWER
        assert abs(each.t[np.argmax(np.abs(got))]) <= NEAR
        assert float(np.sum(np.angle(got[1:] * np.conj(got[:-1])))) < 0


@contract("score")
def test_score(candidate, simulations, rng, measure):
    references = [prepared(each.h, STEP) for each in simulations]
    samples = [SampleMismatch(1.0, (1.0,) * 5, ("no_answer",))] * len(references)
    conjugated, swapped, peaks, failed = [], [], [], 0
    for place in rng.permutation(len(references)):
        each = simulations[place]
        q, chi1, chi2, omega0 = each.parameters
        try:
            got = candidate(answered, *each.parameters, each.t)
        except CandidateFailure:
            failed += 1
        else:
            samples[place] = references[place].mismatch(got)
            conjugated.append(references[place].mismatch(np.conj(got)).value)
            peaks.append(peak_of(got, each.t))
        with suppress(CandidateFailure):
            other = candidate(answered, q, chi2, chi1, omega0, each.t)
            swapped.append(references[place].mismatch(other).value)
    assert failed < len(samples), "there is no answer for any binary"
    score = mismatch_score(references, samples)
    assert score.value < 1, "no answer has anything of the signal in it"
    flags = [flag for sample in samples for flag in sample.flags]
    measure(
        score.value,
        list(score.samples),
        components={
            **score.components,
            "median": score.median,
            "p05": score.p05,
            "p95": score.p95,
            "largest": max(score.samples),
            "probe.conjugated": float(np.mean(conjugated)),
            "probe.swapped.spins": float(np.mean(swapped)) if swapped else None,
            "probe.peak_time": max(peaks),
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        data={"grid_sha256": score.grid_sha256},
        ids=[each.name for each in simulations],
    )


def peak_of(h, t):
    """How far from t = 0 an answer is largest; nothing else is known of one of another shape."""
    return float(abs(t[np.argmax(np.abs(h))])) if h.shape == t.shape else float("nan")
