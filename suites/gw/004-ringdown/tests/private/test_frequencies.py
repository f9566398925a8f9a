# referee-canary gw-004 7c0e2f4a-5d1b-4a53-9f0e-6b8f1d92c3a7
"""The tone (2, 2, 0) at spins that lie between those of training; which they are is ours."""

import h5py
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from referee.metric.gw.errors import qnm_error
from referee.wall import CandidateFailure, contract, probe

OTHERS = ((2, 2, 1), (3, 3, 0), (4, 4, 0))
SCHWARZSCHILD = (0.3736716844, -0.0889623157)


@probe
def frequencies(spin, mode):
    from predict import predict

    return list(predict(spin) if mode is None else predict(spin, *mode))


def of_mode(file, l, m, n):
    """Spins and both parts of the frequency, as the evaluator's file has them, in rising order."""
    group = file[f"l{l}/m{m:+d}/n{n}"]
    spin, real, imaginary = (group[name][:] for name in ("spin", "omega_real", "omega_imag"))
    assert spin.ndim == 1
    assert spin.shape == real.shape == imaginary.shape
    assert all(np.isfinite(part).all() for part in (spin, real, imaginary))
    order = np.argsort(spin)
    return spin[order], real[order], imaginary[order]


@pytest.fixture
def truth(hidden_data):
    with h5py.File(hidden_data / "ringdown_validation.h5", "r") as file:
        return of_mode(file, 2, 2, 0)


def answer(artifact, spin):
    """Both parts of the frequency, shape (2, k)."""
    return np.stack(artifact(spin))


@contract("interface")
def test_an_answer_has_the_form_that_is_asked_for(artifact, truth):
    answer(artifact, truth[0])
    answer(artifact, truth[0][:1])
    answer(artifact, np.empty(0))


@contract("independence")
def test_the_order_of_spins_does_not_matter(artifact, truth, rng):
    order = rng.permutation(truth[0].size)
    whole = answer(artifact, truth[0])
    np.testing.assert_allclose(answer(artifact, truth[0][order]), whole[:, order], rtol=1e-10)


@contract("independence")
def test_a_frequency_does_not_depend_on_what_else_is_asked(artifact, truth, rng):
    whole = answer(artifact, truth[0])
    for _ in range(3):
        part = np.sort(rng.choice(truth[0].size, size=int(rng.integers(1, 20)), replace=False))
        alone = answer(artifact, truth[0][part])
        np.testing.assert_allclose(alone, whole[:, part], rtol=1e-10)


@contract("independence")
def test_a_second_answer_is_the_first(artifact, truth):
    first, second = (answer(artifact, truth[0]) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@contract("physics")
def test_a_black_hole_without_spin_rings_as_schwarzschild(artifact):
    real, imaginary = answer(artifact, np.zeros(1))
    np.testing.assert_allclose([real[0], imaginary[0]], SCHWARZSCHILD, rtol=0.1)


@contract("physics")
def test_pitch_rises_with_spin_and_damping_falls(artifact):
    spin = 1 - np.geomspace(1.0, 1e-8, 200)
    real, imaginary = answer(artifact, spin)
    assert (np.diff(real) > 0).all()
    assert (imaginary < 0).all()
    assert (np.diff(imaginary[spin > 0.5]) > 0).all()


@contract("physics")
def test_the_damping_vanishes_as_the_root_of_what_lacks_in_spin(artifact):
    """omega tends to 1, and its imaginary part to -sqrt((1 - a) / 2) / 2."""
    left = np.geomspace(1e-5, 1e-8, 7)
    real, imaginary = answer(artifact, 1 - left)
    np.testing.assert_allclose(real, 1.0, atol=3e-2)
    np.testing.assert_allclose(imaginary, -np.sqrt(left / 2) / 2, rtol=0.2)


@contract("generalization")
def test_spins_that_are_in_no_file_are_answered(artifact, truth, rng):
    spin, real, imaginary = truth
    x = np.sort(rng.uniform(0.0, -np.log1p(-spin[-2]), size=60))
    known = -np.log1p(-spin)
    got = answer(artifact, -np.expm1(-x))
    np.testing.assert_allclose(got[0], CubicSpline(known, real)(x), rtol=3e-2)
    expected = -np.exp(CubicSpline(known, np.log(-imaginary))(x))
    np.testing.assert_allclose(got[1], expected, rtol=3e-2)


def error_of(candidate, hidden_data, mode):
    """The loss of another tone; None where there is no answer to it."""
    with h5py.File(hidden_data / "ringdown_validation.h5", "r") as file:
        spin, *true = of_mode(file, *mode)
    try:
        got = candidate(frequencies, spin, list(mode))
    except CandidateFailure:
        return None
    return qnm_error(tuple(got), tuple(true)).value if len(got) == 2 else None


def probes(candidate, spin, samples):
    """What the diagnosis asks for: the hole without spin, and errors near the fastest ones."""
    near = spin > 0.999
    medians = {"median_near_extremal": samples[near], "median_elsewhere": samples[~near]}
    found = {f"probe.{name}": float(np.median(part)) for name, part in medians.items() if part.size}
    still = candidate(frequencies, np.zeros(1), None)
    names = ("schwarzschild_pitch", "schwarzschild_damping")
    for name, part, known in zip(names, still, SCHWARZSCHILD, strict=True):
        found[f"probe.limits.{name}"] = float(np.asarray(part).ravel()[0])
        found[f"expected.{name}"] = known
        found[f"tolerance.{name}"] = 0.01 * abs(known)
    return found


@contract("score")
def test_score(candidate, hidden_data, truth, rng, measure):
    spin, *true = truth
    order = rng.permutation(spin.size)
    got = candidate(frequencies, spin[order], None)
    assert len(got) == 2, "an answer is a pair of arrays"
    back = np.argsort(order)
    given = [np.asarray(part) for part in got]
    given = [part[back] if part.shape == spin.shape else part for part in given]
    score = qnm_error(tuple(given), tuple(true))
    others = {f"error_l{l}_m{m}_n{n}": (l, m, n) for l, m, n in OTHERS}
    flags = [flag for sample in score.flags for flag in sample]
    samples = np.array(score.samples)
    near = samples[spin > 0.999]
    measure(
        score.value,
        list(score.samples),
        ids=range(spin.size),
        components={
            **score.components,
            "median": score.median,
            "largest": max(score.samples),
            "mean_above_spin_0.999": float(near.mean()) if near.size else None,
            **{name: error_of(candidate, hidden_data, mode) for name, mode in others.items()},
            **probes(candidate, spin, samples),
        },
        flags={flag: flags.count(flag) for flag in set(flags)},
        data={"score": "tone (2, 2, 0) alone"},
    )
