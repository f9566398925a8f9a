"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

RATE, CHANNELS, PITCH, SAMPLES = 100.0, 12, 20.0, 1200
CLOCK = np.arange(SAMPLES) / RATE


@probe
def corrected(times, centres, displacements):
    import numpy as np
    from probeinterface import Probe

    from spikeinterface.core import NumpyRecording
    from spikeinterface.sortingcomponents.motion import Motion, interpolate_motion

    bump = np.exp(-(((np.arange(12) - 5) / 1.5) ** 2)).astype("float32")
    recording = NumpyRecording([np.tile(bump, (1200, 1))], sampling_frequency=100.0)
    probe = Probe(ndim=2, si_units="um")
    probe.set_contacts(positions=np.c_[np.zeros(12), np.arange(12) * 20.0])
    probe.set_device_channel_indices(np.arange(12))
    recording = recording.set_probe(probe)
    if times is not None:
        recording.set_times(times, with_warning=False)
    motion = Motion(np.asarray(displacements)[:, None], np.asarray(centres), np.array([110.0]))
    options = {"border_mode": "force_extrapolate", "spatial_interpolation_method": "nearest"}
    traces = interpolate_motion(recording, motion, **options).get_traces()
    return traces.argmax(axis=1)


def wrong(peaks, times, centres, displacements):
    """Number of samples that lie clear of the limits of bins and have a wrong displacement."""
    distance = np.abs(times[:, None] - centres)
    two = np.sort(distance, axis=1)[:, :2]
    clear = two[:, 1] - two[:, 0] > 1e-6
    expected = 5 - np.asarray(displacements)[distance.argmin(axis=1)] / PITCH
    return int((peaks != expected)[clear].sum())


@contract("knowledge")
def test_unequal_bins(candidate):
    centres, displacements = [0.5, 1.5, 2.5, 6.5, 10.5], [0.0, 20.0, 40.0, -20.0, -40.0]
    peaks = candidate(corrected, None, centres, displacements)
    assert wrong(peaks, CLOCK, centres, displacements) == 0


@contract("knowledge")
def test_a_clock_with_a_gap(candidate):
    centres, displacements = [0.5, 1.5, 2.5, 6.5, 10.5], [0.0, 20.0, 40.0, -20.0, -40.0]
    times = CLOCK + 2.0 * (CLOCK >= 5)
    peaks = candidate(corrected, times, centres, displacements)
    assert wrong(peaks, times, centres, displacements) == 0


@contract("regression")
def test_equal_bins(candidate):
    centres, displacements = (np.arange(12) + 0.5).tolist(), [0.0, 20.0, -20.0] * 4
    peaks = candidate(corrected, None, centres, displacements)
    assert wrong(peaks, CLOCK, centres, displacements) == 0
