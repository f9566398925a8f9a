# referee-canary 060 4716fe02-b53c-42f2-a75a-a32bb7454b7b
"""Recordings with known clocks and drifts, and the correction worked out with NumPy alone.

A clock is None (first sample at 0), a number (time of the first sample) or an array with the time of
each sample. A track is a dict with `displacements` and `centres` (one array for each segment) and
`depths`.
"""

import numpy as np

from referee.wall import probe

RATE, PITCH = 100.0, 20.0
NEAREST = {"border_mode": "force_extrapolate", "spatial_interpolation_method": "nearest"}


@probe
def correct(segments, clocks, contacts, track, options, reads=None):
    """Correct a recording and read it: all of it, or pieces [segment, start, end, channels]."""
    import warnings

    import numpy as np
    from probeinterface import Probe

    from spikeinterface.core import NumpyRecording
    from spikeinterface.sortingcomponents.motion import Motion, interpolate_motion

    warnings.simplefilter("ignore")
    starts = [float(c) if isinstance(c, (int, float)) else 0.0 for c in clocks]
    plain = all(c is None for c in clocks)
    recording = NumpyRecording(
        [np.array(s) for s in segments], sampling_frequency=100.0, t_starts=None if plain else starts
    )
    made = Probe(ndim=2, si_units="um")
    made.set_contacts(positions=np.array(contacts))
    made.set_device_channel_indices(np.arange(len(contacts)))
    recording = recording.set_probe(made)
    for i, clock in enumerate(clocks):
        if isinstance(clock, np.ndarray):
            recording.set_times(clock, segment_index=i, with_warning=False)
    motion = Motion(
        [np.array(d) for d in track["displacements"]],
        [np.array(c) for c in track["centres"]],
        np.array(track["depths"]),
        direction=track.get("direction", "y"),
        interpolation_method=track.get("method", "linear"),
    )
    corrected = interpolate_motion(recording, motion, **options)
    answer = {
        "channels": [int(c) for c in corrected.channel_ids],
        "times": [corrected.get_times(segment_index=i) for i in range(len(segments))],
    }
    if reads is None:
        reads = [[i, 0, len(s), None] for i, s in enumerate(segments)]
    answer["traces"] = [
        corrected.get_traces(segment_index=i, start_frame=a, end_frame=b, channel_ids=c)
        for i, a, b, c in reads
    ]
    return answer


@probe
def correct_array(traces, times, contacts, track, segment_index, options):
    import numpy as np

    from spikeinterface.sortingcomponents.motion import Motion, interpolate_motion_on_traces

    motion = Motion(
        [np.array(d) for d in track["displacements"]],
        [np.array(c) for c in track["centres"]],
        np.array(track["depths"]),
    )
    return interpolate_motion_on_traces(
        np.array(traces),
        np.array(times),
        np.array(contacts),
        motion,
        segment_index=segment_index,
        **options,
    )


@probe
def correct_peaks(lengths, clocks, segment, sample, depth, track):
    import numpy as np

    from spikeinterface.core import NumpyRecording
    from spikeinterface.sortingcomponents.motion import Motion, correct_motion_on_peaks

    starts = [float(c) if isinstance(c, (int, float)) else 0.0 for c in clocks]
    recording = NumpyRecording(
        [np.zeros((n, 2), "float32") for n in lengths], sampling_frequency=100.0, t_starts=starts
    )
    for i, clock in enumerate(clocks):
        if isinstance(clock, np.ndarray):
            recording.set_times(clock, segment_index=i, with_warning=False)
    kind = [("sample_index", "int64"), ("channel_index", "int64"), ("amplitude", "float64")]
    peaks = np.zeros(len(sample), dtype=[*kind, ("segment_index", "int64")])
    peaks["sample_index"], peaks["segment_index"] = sample, segment
    places = np.zeros(len(sample), dtype=[("x", "float64"), ("y", "float64")])
    places["x"], places["y"] = 7.0, depth
    motion = Motion(
        [np.array(d) for d in track["displacements"]],
        [np.array(c) for c in track["centres"]],
        np.array(track["depths"]),
    )
    moved = correct_motion_on_peaks(peaks, places, motion, recording)
    return {"x": np.array(moved["x"]), "y": np.array(moved["y"]), "y_before": np.array(places["y"])}


def line(count):
    """Contacts in one column."""
    return np.column_stack([np.zeros(count), np.arange(count) * PITCH])


def signal(rng, samples, channels, dtype="float32"):
    """No two values are the same, so that a wrong sample or channel is seen."""
    values = rng.permutation(samples * channels).reshape(samples, channels)
    return values.astype(dtype)


def times_of(clock, samples):
    if isinstance(clock, np.ndarray):
        return clock
    return (clock or 0.0) + np.arange(samples) / RATE


def steps(rng, count):
    """Displacements of whole contacts and up to a third of a contact more, none like the last."""
    moves = np.cumsum(rng.choice([-2, -1, 1, 2], count))
    whole = (moves - moves[0]) % 7 - 3
    return whole * PITCH + rng.uniform(-0.3, 0.3, count) * PITCH


def unequal(rng, start, end, count):
    """Rising centres from start to end whose distances differ by up to a factor of ten."""
    gaps = rng.uniform(0.2, 2.0, count - 1)
    return start + np.concatenate([[0.0], np.cumsum(gaps)]) / gaps.sum() * (end - start)


def rigid(rng, *centres):
    return {
        "displacements": [steps(rng, len(c))[:, None] for c in centres],
        "centres": list(centres),
        "depths": np.array([100.0]),
    }


def expected(traces, times, contacts, centres, displacement, axis=1, kept=None):
    """Traces after correction to the nearest contact, and which samples are clear of limits.

    `displacement` has a row for each centre, and a column for each channel or a single one.
    """
    distance = np.abs(times[:, None] - centres)
    nearest = distance.argmin(axis=1)
    clear = np.ones(len(times), dtype=bool)
    if len(centres) > 1:
        two = np.sort(distance, axis=1)[:, :2]
        # Times of a few hundred seconds are exact to 1e-13; centres are compared at 1e-6 s.
        clear = two[:, 1] - two[:, 0] > 1e-6
    count = len(contacts)
    displacement = np.broadcast_to(displacement, (len(centres), count))
    source = np.empty((len(centres), count), dtype=int)
    for k in range(len(centres)):
        moved = contacts.copy()
        moved[:, axis] = moved[:, axis] + displacement[k]
        gap = np.linalg.norm(contacts[None, :, :] - moved[:, None, :], axis=2)
        source[k] = gap.argmin(axis=1)
    out = np.take_along_axis(traces, source[nearest], axis=1)
    return (out if kept is None else out[:, kept]), clear


def same(actual, wanted, clear):
    assert actual.shape == wanted.shape
    assert clear.mean() > 0.9
    # Each corrected value is one stored value, multiplied by one.
    np.testing.assert_array_equal(actual[clear], wanted[clear])
