# referee-canary 060 4716fe02-b53c-42f2-a75a-a32bb7454b7b
"""Bins of the caller, borders, several segments, peaks; and what was right before."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract

CHANNELS = 14


def vector(rng, samples, start=0.0):
    """Times with one pause."""
    at = int(rng.integers(100, samples - 50))
    return start + np.arange(samples) / 100.0 + (np.arange(samples) >= at) * rng.uniform(1, 3)


def read_at(centres, track, segment=0):
    """A rigid track at other centres: linear in between, constant beyond."""
    values = track["displacements"][segment][:, 0]
    return np.interp(centres, track["centres"][segment], values)[:, None]


@contract("exploration")
@pytest.mark.parametrize("kind", ["rate", "start", "vector"])
def test_a_bin_size_of_the_caller(candidate, rng, lab, kind):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 950, CHANNELS)
    # After the pause, times lie beyond what the number of samples would suggest.
    paused = 1.5 + np.arange(950) / 100.0 + 4.0 * (np.arange(950) >= rng.integers(700, 800))
    clock = {"rate": None, "start": 4.25, "vector": paused}[kind]
    times = lab.times_of(clock, 950)
    track = lab.rigid(rng, lab.unequal(rng, times[0] + 0.1, times[-1] - 0.1, 40))
    # The end is a sampling interval after the last sample: half an interval before it there is a
    # bin yet, half an interval after it there is none.
    length = float(times[-1] - times[0]) + 0.01
    for size in (0.3, (length - 0.005) / 4.5, (length + 0.005) / 4.5):
        options = {**lab.NEAREST, "interpolation_time_bin_size_s": size}
        answer = candidate(lab.correct, [traces], [clock], contacts, track, options)
        centres = np.arange(times[0] + size / 2, times[0] + length, size)
        lab.same(
            answer["traces"][0],
            *lab.expected(traces, times, contacts, centres, read_at(centres, track)),
        )
    # Longer than twice the recording: one bin. Where its centre lies makes no difference here.
    track["displacements"][0][:] = 47.0
    options = {**lab.NEAREST, "interpolation_time_bin_size_s": 40.0}
    answer = candidate(lab.correct, [traces], [clock], contacts, track, options)
    wanted = lab.expected(traces, times, contacts, np.zeros(1), np.array([[47.0]]))
    lab.same(answer["traces"][0], *wanted)


@contract("exploration")
@pytest.mark.parametrize("given", ["array", "list"])
def test_centres_of_the_caller(candidate, rng, lab, given):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 800, CHANNELS)
    for clock in (None, vector(rng, 800)):
        times = lab.times_of(clock, 800)
        track = lab.rigid(rng, np.arange(0.5, times[-1], 1.0))
        centres = lab.unequal(rng, 0.2, float(times[-1]) - 1.2, 12)
        options = {
            **lab.NEAREST,
            "interpolation_time_bin_centers_s": centres if given == "array" else [centres],
        }
        answer = candidate(lab.correct, [traces], [clock], contacts, track, options)
        wanted = lab.expected(traces, times, contacts, centres, read_at(centres, track))
        lab.same(answer["traces"][0], *wanted)


@contract("exploration")
def test_border_channels_with_several_segments(candidate, rng, lab):
    # Each segment has its own drift, and a channel must stay inside in all of them.
    contacts = lab.line(CHANNELS)
    clocks = [None, vector(rng, 500, 3.0)]
    all_times = [lab.times_of(c, 500) for c in clocks]
    segments = [lab.signal(rng, 500, CHANNELS) for _ in clocks]
    track = lab.rigid(rng, *(lab.unequal(rng, t[0] + 0.3, t[-1] - 0.3, 5) for t in all_times))
    track["displacements"][0][:, 0] = [0.0, 23.0, 38.0, 18.0, 3.0]
    track["displacements"][1][:, 0] = [-2.0, -61.0, -41.0, -22.0, -79.0]
    options = {"border_mode": "remove_channels", "spatial_interpolation_method": "nearest"}
    answer = candidate(lab.correct, segments, clocks, contacts, track, options)
    # Up to 38 um upwards in the first segment, up to 79 um downwards in the second one.
    assert answer["channels"] == list(range(4, CHANNELS - 2))
    kept = np.array(answer["channels"])
    for i, times in enumerate(all_times):
        wanted = lab.expected(
            segments[i], times, contacts, track["centres"][i], track["displacements"][i], kept=kept
        )
        lab.same(answer["traces"][i], *wanted)


@contract("exploration")
def test_peaks_of_segments_of_different_length(candidate, rng, lab):
    # A sample number of one segment may lie beyond the end of another one.
    lengths = [300, 1500, 700]
    clocks = [vector(rng, 300, 2.0), vector(rng, 1500), vector(rng, 700, 100.0)]
    check_peaks(candidate, rng, lab, lengths, clocks)


@contract("coverage")
def test_peaks_with_mixed_clocks(candidate, rng, lab):
    check_peaks(candidate, rng, lab, [900, 400], [5.0, vector(rng, 400)])
    check_peaks(candidate, rng, lab, [800], [vector(rng, 800, -3.0)])


def check_peaks(candidate, rng, lab, lengths, clocks):
    depths = np.array([30.0, 150.0])
    times = [lab.times_of(c, n) for c, n in zip(clocks, lengths, strict=True)]
    track = {
        "displacements": [rng.uniform(-40, 40, (6, 2)) for _ in times],
        "centres": [lab.unequal(rng, t[0] + 0.2, t[-1] - 0.2, 6) for t in times],
        "depths": depths,
    }
    segment = np.repeat(np.arange(len(lengths)), 60)
    sample = np.concatenate([np.sort(rng.integers(0, n, 60)) for n in lengths])
    depth = rng.uniform(0, 200, len(sample))
    result = candidate(lab.correct_peaks, lengths, clocks, segment, sample, depth, track)
    for n in range(len(sample)):
        i = int(segment[n])
        at_depths = [
            np.interp(times[i][sample[n]], track["centres"][i], track["displacements"][i][:, k])
            for k in range(2)
        ]
        wanted = depth[n] - np.interp(depth[n], depths, at_depths)
        # Bilinear interpolation of numbers below 100 in double precision.
        assert abs(result["y"][n] - wanted) < 1e-8
    np.testing.assert_array_equal(result["x"], np.full(len(sample), 7.0))
    np.testing.assert_array_equal(result["y_before"], depth)


@contract("coverage")
def test_segments_have_their_own_clocks(candidate, rng, lab):
    contacts = lab.line(CHANNELS)
    lengths = [400, 900, 650]
    segments = [lab.signal(rng, n, CHANNELS) for n in lengths]
    clocks = [12.0, vector(rng, 900), vector(rng, 650, 60.0)]
    all_times = [lab.times_of(c, n) for c, n in zip(clocks, lengths, strict=True)]
    track = lab.rigid(rng, *(lab.unequal(rng, t[0] + 0.2, t[-1] - 1, 6) for t in all_times))
    answer = candidate(lab.correct, segments, clocks, contacts, track, lab.NEAREST)
    for i, times in enumerate(all_times):
        wanted = lab.expected(
            segments[i], times, contacts, track["centres"][i], track["displacements"][i]
        )
        lab.same(answer["traces"][i], *wanted)


@contract("generalization")
def test_bin_sizes_and_centres_with_several_segments(candidate, rng, lab):
    contacts = lab.line(CHANNELS)
    segments = [lab.signal(rng, n, CHANNELS) for n in (500, 800)]
    clocks = [vector(rng, 500, 7.0), vector(rng, 800)]
    track = lab.rigid(rng, *(lab.unequal(rng, c[0] + 0.2, c[-1] - 0.2, 6) for c in clocks))
    own = [lab.unequal(rng, c[0], c[-1], 9) for c in clocks]
    sized = [np.arange(c[0] + 0.45, c[-1] + 0.01, 0.9) for c in clocks]
    for name, given, used in (
        ("interpolation_time_bin_centers_s", own, own),
        ("interpolation_time_bin_centers_s", np.array(own), own),
        ("interpolation_time_bin_size_s", 0.9, sized),
    ):
        options = {**lab.NEAREST, name: given}
        answer = candidate(lab.correct, segments, clocks, contacts, track, options)
        for i, times in enumerate(clocks):
            wanted = lab.expected(segments[i], times, contacts, used[i], read_at(used[i], track, i))
            lab.same(answer["traces"][i], *wanted)


@contract("regression")
def test_equal_bins_on_a_plain_clock(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 1000, CHANNELS)
    for start, width in ((None, 1.0), (30.0, 0.5)):
        times = lab.times_of(start, 1000)
        centres = np.arange(times[0] + width / 2, times[-1], width)
        track = lab.rigid(rng, centres)
        answer = candidate(lab.correct, [traces], [start], contacts, track, lab.NEAREST)
        wanted = lab.expected(traces, times, contacts, centres, track["displacements"][0])
        lab.same(answer["traces"][0], *wanted)


@contract("regression")
@pytest.mark.parametrize("border", ["remove_channels", "force_zeros", "force_extrapolate"])
def test_channels_that_are_kept(candidate, rng, lab, border):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 500, CHANNELS)
    track = lab.rigid(rng, np.arange(5) + 0.5)
    track["displacements"][0][:, 0] = [0.0, 23.0, -38.0, 18.0, 41.0]
    options = {"border_mode": border, "spatial_interpolation_method": "nearest"}
    answer = candidate(lab.correct, [traces], [None], contacts, track, options)
    inside = list(range(2, CHANNELS - 3))
    assert answer["channels"] == (inside if border == "remove_channels" else list(range(CHANNELS)))
    wanted, clear = lab.expected(
        traces, lab.times_of(None, 500), contacts, track["centres"][0], track["displacements"][0]
    )
    kept = [answer["channels"].index(c) for c in inside]
    lab.same(answer["traces"][0][:, kept], wanted[:, inside], clear)


@contract("knowledge")
def test_the_clock_of_the_result(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 300, CHANNELS)
    for clock in (None, 8.5, vector(rng, 300)):
        times = lab.times_of(clock, 300)
        track = lab.rigid(rng, lab.unequal(rng, times[0], times[-1], 4))
        reads = [[0, 10, 290, None]]
        answer = candidate(lab.correct, [traces], [clock], contacts, track, lab.NEAREST, reads)
        np.testing.assert_allclose(answer["times"][0], times, rtol=0, atol=1e-9)


@contract("regression")
def test_wrong_use_is_still_refused(candidate, rng, lab):
    contacts, traces = lab.line(CHANNELS), lab.signal(rng, 300, CHANNELS)
    track = lab.rigid(rng, np.arange(3) + 0.5)
    for given, options in (
        (traces.astype("int16"), lab.NEAREST),
        (traces, {**lab.NEAREST, "border_mode": "no such mode"}),
    ):
        with pytest.raises(CandidateError) as caught:
            candidate(lab.correct, [given], [None], contacts, track, options)
        assert caught.value.is_a("ValueError")
    two = lab.rigid(rng, np.arange(3) + 0.5, np.arange(3) + 0.5)
    with pytest.raises(CandidateError) as caught:
        candidate(lab.correct_array, traces, np.arange(300) / 100, contacts, two, None, {})
    assert caught.value.is_a("ValueError")


@contract("regression")
def test_peaks_on_a_plain_clock(candidate, rng, lab):
    check_peaks(candidate, rng, lab, [700, 1200], [0.0, 0.0])
