# referee-canary gw-006 f8b0762e-12a7-442a-907e-495726be188b
"""The formula at mass ratios that it has not seen, on their own grids, by the canonical mismatch."""

import h5py
import numpy as np
import pytest

from referee.diagnose.closed_form import Bounds, difference, parse_closed_form
from referee.diagnose.constraint import MAX_LITERALS, SAME
from referee.metric.gw.mismatch import SampleMismatch, mismatch_score
from referee.metric.gw.mismatch import reference as prepared
from referee.record.fault import BadInput
from referee.wall import CandidateFailure, contract, probe

STEP = 0.1
POWER = 1.5
NEAR = 10.0


@probe
def waveform(t, q):
    from predict import predict

    return predict(t, q)


@probe
def written():
    with open("expression.txt", encoding="utf-8") as file:
        return file.read(100_000)


@pytest.fixture
def simulations(hidden_data):
    """(q, t, h) of every hidden simulation."""
    with h5py.File(hidden_data / "analytic_validation.h5") as file:
        found = [
            (float(group.attrs["q"]), group["t"][:], group["h22_real"][:] + 1j * group["h22_imag"][:])
            for group in file["sims"].values()
        ]
    for q, t, h in found:
        assert q >= 1
        assert t.shape == h.shape
        assert np.isfinite(h).all()
        np.testing.assert_allclose(np.diff(t), STEP, rtol=0, atol=1e-6)
    return found


def signal(artifact, t, q):
    """An answer with something in it: nothing is learnt from how nothing behaves."""
    got = artifact(t, q)
    assert t.size == 0 or np.abs(got).max() > 0
    return got


def one_of(simulations, rng):
    return simulations[int(rng.integers(len(simulations)))]


@contract("interface")
def test_any_times_are_answered(artifact, rng):
    for count in (0, 1, 7, 400):
        signal(artifact, rng.uniform(-900.0, 60.0, size=count), float(rng.uniform(1, 10)))


@contract("independence")
def test_a_second_answer_is_the_first(artifact, simulations, rng):
    q, t, _ = one_of(simulations, rng)
    first, second = (signal(artifact, t, q) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("independence")
def test_a_value_depends_on_its_own_time_alone(artifact, simulations, rng):
    q, t, _ = one_of(simulations, rng)
    whole = signal(artifact, t, q)
    size = np.abs(whole).max()
    order = rng.permutation(t.size)
    np.testing.assert_allclose(signal(artifact, t[order], q), whole[order], rtol=0, atol=1e-8 * size)
    for count in (1, 30, 2000):
        some = rng.choice(t.size, size=count, replace=False)
        np.testing.assert_allclose(
            signal(artifact, t[some], q), whole[some], rtol=0, atol=1e-8 * size
        )


@contract("closed-form")
def test_the_formula_is_closed_and_short(candidate, artifact, rng):
    form = formula(candidate)
    assert form.literals <= MAX_LITERALS
    assert set(form.variables) == {"t", "q"}
    # A formula beside a program that answers nothing, or something else, is no artifact.
    q, t = float(rng.uniform(1, 10)), rng.uniform(-900.0, 60.0, size=50)
    assert difference(form, t, q, signal(artifact, t, q)) <= SAME


@contract("closed-form")
def test_the_formula_alone_gives_the_answers(candidate, artifact, simulations, rng):
    form = formula(candidate)
    for q, t, _ in simulations:
        assert difference(form, t, q, signal(artifact, t, q)) <= SAME
    q, t = float(rng.uniform(1, 10)), rng.uniform(-900.0, 60.0, size=500)
    assert difference(form, t, q, signal(artifact, t, q)) <= SAME


@contract("physics")
def test_size_peak_and_sense_of_rotation_are_those_of_the_binary(artifact, simulations):
    for q, t, h in simulations:
        got = signal(artifact, t, q)
        power = float(np.sum(np.abs(got) ** 2) / np.sum(np.abs(h) ** 2))
        assert 1 / POWER <= power <= POWER
        assert abs(t[np.argmax(np.abs(got))]) <= NEAR
        turned = float(np.sum(np.angle(got[1:] * np.conj(got[:-1]))))
        assert turned < 0


@contract("score")
def test_score(candidate, simulations, rng, measure):
    references = [prepared(h, STEP) for _, _, h in simulations]
    samples = [SampleMismatch(1.0, (1.0,) * 5, ("no_answer",))] * len(references)
    conjugated, peaks, failed = [], [], 0
    for place in rng.permutation(len(references)):
        q, t, _ = simulations[place]
        try:
            got = candidate(waveform, t, q)
        except CandidateFailure:
            failed += 1
        else:
            samples[place] = references[place].mismatch(got)
            conjugated.append(references[place].mismatch(np.conj(got)).value)
            peaks.append(float(abs(t[np.argmax(np.abs(got))])) if got.shape == t.shape else np.nan)
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
            "probe.peak_time": max(peaks),
            "probe.expression_difference": worst_difference(candidate, simulations),
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        data={"grid_sha256": score.grid_sha256},
        ids=[f"simulation {place}" for place in range(len(simulations))],
    )


def worst_difference(candidate, simulations):
    """Of formula and program, over every simulation; None without a formula or an answer."""
    text = candidate(written)
    try:
        form = parse_closed_form(text, Bounds(lines=19))
        return max(difference(form, t, q, candidate(waveform, t, q)) for q, t, _ in simulations)
    except (BadInput, CandidateFailure, TypeError, ValueError):
        return None


def formula(candidate):
    """The formula, or a failed check. It is the candidate's file, read where candidate code may run:
    so what it says must stand up to the answers, and is not trusted otherwise."""
    text = candidate(written)
    assert isinstance(text, str)
    try:
        return parse_closed_form(text, Bounds(lines=19))
    except BadInput as fault:  # the candidate's fault, not one of the package
        pytest.fail(f"expression.txt: {fault.what}")
