# referee-canary gw-008 b540e853-e3bd-4721-8e38-c5f657f6aafb
"""The waveform at the published binaries, against the evaluator's own, by the canonical mismatch."""

import dataclasses

import numpy as np

from referee.metric.gw.mismatch import SampleMismatch, mismatch_score, spectral_reference
from referee.metric.gw.new_physics import DF, cases, evaluation_grid
from referee.metric.gw.new_physics import waveform as expected
from referee.wall import CandidateFailure, contract

F_LOW, F_MAX, SIGMA = 15.0, 1.0, 0.01


def asked(artifact, f, case, tc=0.0, phic=0.0):
    """The answer for a binary; any finite or infinite complex numbers."""
    binary = (case.chirp_mass, case.eta, case.distance, tc, phic, case.coupling)
    return artifact(f, *map(float, binary), F_LOW, F_MAX, SIGMA)


def signal(artifact, f, case, **shifts):
    """An answer with something in it: nothing is learnt from how nothing behaves."""
    got = asked(artifact, f, case, **shifts)
    assert np.isfinite(got).all()
    assert np.abs(got).max() > 0
    return got


@contract("interface")
def test_an_answer_has_the_form_that_is_asked_for(artifact, rng):
    case = list(cases())[int(rng.integers(144))]
    f = np.sort(rng.uniform(10.0, 120.0, size=300))
    signal(artifact, f, case)


@contract("independence")
def test_a_second_answer_is_the_first(artifact, rng):
    case = list(cases())[int(rng.integers(144))]
    f = np.arange(15.0, 100.0, 0.25)
    first, second = (signal(artifact, f, case) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("independence")
def test_time_and_phase_of_coalescence_turn_the_signal(artifact, rng):
    case = list(cases())[int(rng.integers(144))]
    f = np.arange(20.0, 90.0, 0.25)
    tc, phic = float(rng.uniform(-0.02, 0.02)), float(rng.uniform(-3.0, 3.0))
    plain, turned = signal(artifact, f, case), signal(artifact, f, case, tc=tc, phic=phic)
    expected_turn = plain * np.exp(1j * (2 * np.pi * f * tc - phic))
    size = np.abs(plain).max()
    np.testing.assert_allclose(turned, expected_turn, rtol=0, atol=1e-9 * size)


@contract("independence")
def test_the_distance_is_a_size_alone(artifact, rng):
    case = list(cases())[int(rng.integers(144))]
    f = np.arange(20.0, 90.0, 0.25)
    near, far = (
        signal(artifact, f, dataclasses.replace(case, distance=d)) for d in (200.0, 1000.0)
    )
    np.testing.assert_allclose(near, 5 * far, rtol=1e-12, atol=0)


@contract("score")
def test_score(artifact, measure):
    f = evaluation_grid()
    references, samples, conjugated, failed = [], [], [], 0
    for case in cases():
        reference = spectral_reference(expected(f, case), DF)
        try:
            got = asked(artifact, f, case)
        except CandidateFailure:
            found, failed = SampleMismatch(1.0, (1.0,), ("no_answer",)), failed + 1
        else:
            found = reference.mismatch(got)
            conjugated.append(reference.mismatch(got.conj()).value)
        references.append(reference)
        samples.append(found)
    score = mismatch_score(references, samples)
    assert failed < len(samples), "there is no answer to any binary"
    assert score.value < 1, "no answer has anything of the signal in it"
    flags = [flag for sample in samples for flag in sample.flags]
    measure(
        score.value,
        list(score.samples),
        components={
            "median": score.median,
            "p05": score.p05,
            "p95": score.p95,
            "largest": max(score.samples),
            "probe.conjugated": float(np.mean(conjugated)),
            "n_failed": float(sum(value >= 1 for value in score.samples)),
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        data={"grid_sha256": score.grid_sha256, "reference": "closed formulas"},
        ids=range(len(samples)),
    )
