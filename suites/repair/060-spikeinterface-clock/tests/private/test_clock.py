# referee-canary 060 4716fe02-b53c-42f2-a75a-a32bb7454b7b
"""One segment: unequal bins, every kind of clock, and the invariances of time."""

import numpy as np
import pytest

from referee.wall import contract

CHANNELS = 16


def clocks_of_one_signal(rng, samples):
    """The same times, written in three ways."""
    return [None, 0.0, np.arange(samples) / 100.0]


def interrupted(rng, samples, pauses=2):
    """Times with pauses of one to four seconds."""
    times = np.arange(samples) / 100.0
    for at in rng.choice(np.arange(100, samples - 100), pauses, replace=False):
        times = times + (np.arange(samples) >= at) * rng.uniform(1, 4)
    return times


@contract("knowledge")
def test_unequal_bins(candidate, rng, lab):
    contacts = lab.line(CHANNELS)
    for _ in range(4):
        centres = lab.unequal(rng, 0.4, 11.7, int(rng.integers(4, 12)))
        track = lab.rigid(rng, centres)
        traces = lab.signal(rng, 1200, CHANNELS)
        answer = candidate(lab.correct, [traces], [None], contacts, track, lab.NEAREST)
        times = lab.times_of(None, 1200)
        wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0])
        lab.same(answer["traces"][0], *wanted)


@contract("knowledge")
def test_a_clock_is_the_same_however_it_is_written(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 900, CHANNELS)
    for centres in (np.arange(9) + 0.5, lab.unequal(rng, 0.3, 8.6, 7)):
        track = lab.rigid(rng, centres)
        wanted = lab.expected(
            traces, lab.times_of(None, 900), contacts, centres, track["displacements"][0]
        )
        for clock in clocks_of_one_signal(rng, 900):
            answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST)
            lab.same(answer["traces"][0], *wanted)


@contract("knowledge")
@pytest.mark.parametrize("bins", ["equal", "unequal"])
def test_interrupted_recordings(candidate, rng, lab, bins):
    contacts = lab.line(CHANNELS)
    for _ in range(3):
        traces, times = lab.signal(rng, 1000, CHANNELS), interrupted(rng, 1000)
        end = float(times[-1])
        centres = {
            "equal": np.arange(0.5, end, 1.0),
            "unequal": lab.unequal(rng, 0.2, end - 0.2, 9),
        }[bins]
        track = lab.rigid(rng, centres)
        answer = candidate(lab.correct, [traces], [times], contacts, track, lab.NEAREST)
        wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0])
        lab.same(answer["traces"][0], *wanted)


@contract("knowledge")
def test_the_zero_of_the_clock_does_not_matter(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 800, CHANNELS)
    centres = lab.unequal(rng, 0.3, 7.8, 6)
    track = lab.rigid(rng, centres)
    wanted = lab.expected(
        traces, lab.times_of(None, 800), contacts, centres, track["displacements"][0]
    )
    for zero in (-5.0, 37.25, 3600.0):
        moved = {**track, "centres": [centres + zero]}
        for clock in (zero, zero + np.arange(800) / 100.0):
            answer = candidate(lab.correct, [traces], [clock], contacts, moved, lab.NEAREST)
            lab.same(answer["traces"][0], *wanted)


@contract("exploration")
@pytest.mark.parametrize("kind", ["rate", "vector"])
def test_recordings_that_are_longer_than_the_track(candidate, rng, lab, kind):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 1500, CHANNELS)
    clock = None if kind == "rate" else np.arange(1500) / 100.0
    times = lab.times_of(clock, 1500)
    for centres in (np.arange(4.5, 9.0), lab.unequal(rng, 5.0, 8.0, 5), np.array([7.0, 7.9])):
        track = lab.rigid(rng, centres)
        answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST)
        wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0])
        lab.same(answer["traces"][0], *wanted)


@contract("exploration")
def test_recordings_that_miss_the_track(candidate, rng, lab):
    # Wholly before or wholly after: the end of the track that is nearer holds.
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 300, CHANNELS)
    centres = lab.unequal(rng, 20.0, 30.0, 5)
    track = lab.rigid(rng, centres)
    for start in (0.0, 12.0, 40.0, 75.0):
        for clock in (start, start + np.arange(300) / 100.0):
            answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST)
            times = lab.times_of(start, 300)
            wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0])
            lab.same(answer["traces"][0], *wanted)


@contract("exploration")
def test_a_track_with_one_bin(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 400, CHANNELS)
    track = {
        "displacements": [np.array([[47.0]])],
        "centres": [np.array([2.0])],
        "depths": np.array([100.0]),
    }
    for clock in (None, np.arange(400) / 100.0, 50.0):
        answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST)
        wanted = lab.expected(
            traces, lab.times_of(clock, 400), contacts, track["centres"][0], np.array([[47.0]])
        )
        lab.same(answer["traces"][0], *wanted)


@contract("exploration")
def test_clocks_that_run_unevenly(candidate, rng, lab):
    # Steps of the clock that differ by a factor of four.
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 1000, CHANNELS)
    times = 3.0 + np.cumsum(rng.uniform(0.005, 0.02, 1000))
    centres = lab.unequal(rng, float(times[0]) + 0.2, float(times[-1]) - 0.2, 8)
    track = lab.rigid(rng, centres)
    answer = candidate(lab.correct, [traces], [times], contacts, track, lab.NEAREST)
    wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0])
    lab.same(answer["traces"][0], *wanted)


@contract("coverage")
@pytest.mark.parametrize("kind", ["rate", "vector"])
def test_pieces_of_traces(candidate, rng, lab, kind):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 1000, CHANNELS)
    clock = 2.5 if kind == "rate" else interrupted(rng, 1000)
    times = lab.times_of(clock, 1000)
    centres = lab.unequal(rng, 3.0, float(times[-1]) - 1, 8)
    track = lab.rigid(rng, centres)
    cuts = [0, *sorted(rng.choice(np.arange(1, 1000), 9, replace=False).tolist()), 1000]
    some = [9, 2, 14]
    reads = [[0, a, b, None] for a, b in zip(cuts, cuts[1:], strict=False)]
    reads += [[0, 100, 700, some]]
    answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST, reads)
    wanted, clear = lab.expected(traces, times, contacts, centres, track["displacements"][0])
    lab.same(np.concatenate(answer["traces"][:-1]), wanted, clear)
    lab.same(answer["traces"][-1], wanted[100:700][:, some], clear[100:700])


@contract("coverage")
def test_arrays_of_traces(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 900, CHANNELS)
    times = interrupted(rng, 900)
    first, second = lab.unequal(rng, 0.5, 6.0, 5), lab.unequal(rng, 0.4, float(times[-1]), 7)
    track = lab.rigid(rng, first, second)
    options = {
        "spatial_interpolation_method": "nearest",
        "spatial_interpolation_kwargs": {"force_extrapolate": True},
    }
    for i, centres in enumerate((first, second)):
        actual = candidate(lab.correct_array, traces, times, contacts, track, i, options)
        wanted = lab.expected(traces, times, contacts, centres, track["displacements"][i])
        lab.same(actual, *wanted)
    kept = [3, 4, 11]
    actual = candidate(
        lab.correct_array, traces, times, contacts, track, 1, {**options, "channel_inds": kept}
    )
    wanted = lab.expected(
        traces, times, contacts, second, track["displacements"][1], kept=np.array(kept)
    )
    lab.same(actual, *wanted)


@contract("generalization")
def test_tracks_that_differ_along_the_probe(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 1000, CHANNELS)
    depths = np.array([40.0, 130.0, 260.0])
    for clock in (None, interrupted(rng, 1000)):
        times = lab.times_of(clock, 1000)
        centres = lab.unequal(rng, 0.5, float(times[-1]) - 0.5, 6)
        displacement = rng.uniform(-50, 50, (6, 3))
        track = {"displacements": [displacement], "centres": [centres], "depths": depths}
        # Linear between depths, constant beyond them.
        local = np.array([np.interp(contacts[:, 1], depths, row) for row in displacement])
        answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST)
        lab.same(answer["traces"][0], *lab.expected(traces, times, contacts, centres, local))


@contract("generalization")
@pytest.mark.parametrize("method", ["idw", "kriging"])
@pytest.mark.parametrize("border", ["force_extrapolate", "force_zeros"])
def test_other_interpolations_in_space(candidate, rng, lab, method, border):
    # Within one bin the track is constant, and a constant track needs no clock: each bin of the
    # answer must be that of the recording corrected with the one displacement.
    contacts = lab.line(10)
    traces = rng.normal(size=(500, 10)).astype("float32")
    times = interrupted(rng, 500)
    centres = lab.unequal(rng, 0.4, float(times[-1]) - 0.4, 4)
    track = lab.rigid(rng, centres)
    options = {"border_mode": border, "spatial_interpolation_method": method}
    actual = candidate(lab.correct, [traces], [times], contacts, track, options)["traces"][0]
    distance = np.abs(times[:, None] - centres)
    nearest = distance.argmin(axis=1)
    for k, displacement in enumerate(track["displacements"][0][:, 0]):
        constant = {
            "displacements": [np.full((6, 1), displacement)],
            "centres": [np.arange(6) + 0.5],
            "depths": np.array([100.0]),
        }
        wanted = candidate(lab.correct, [traces], [None], contacts, constant, options)
        # Products of ten single-precision numbers near 1.
        np.testing.assert_allclose(
            actual[nearest == k], wanted["traces"][0][nearest == k], rtol=1e-4, atol=1e-4
        )


@contract("generalization")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_drift_along_the_other_axis(candidate, rng, lab, dtype):
    contacts = lab.line(CHANNELS)[:, ::-1].copy()
    traces, times = lab.signal(rng, 700, CHANNELS, dtype), interrupted(rng, 700)
    centres = lab.unequal(rng, 0.5, float(times[-1]) - 0.5, 6)
    track = {**lab.rigid(rng, centres), "direction": "x"}
    answer = candidate(lab.correct, [traces], [times], contacts, track, lab.NEAREST)
    assert answer["traces"][0].dtype == dtype
    wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0], axis=0)
    lab.same(answer["traces"][0], *wanted)
