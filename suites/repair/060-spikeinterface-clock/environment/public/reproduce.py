"""Correct a recording with a known drift and count samples that were given a wrong displacement.

Exit status: 0 when none was, 1 when some were or the correction failed.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

import numpy as np
from probeinterface import Probe

from spikeinterface.core import NumpyRecording
from spikeinterface.sortingcomponents.motion import Motion, interpolate_motion

RATE, CHANNELS, PITCH, SAMPLES = 100.0, 12, 20.0, 1200
CENTRES = np.array([0.5, 1.5, 2.5, 6.5, 10.5])
DISPLACEMENTS = np.array([0.0, 20.0, 40.0, -20.0, -40.0])


def recording(times):
    """Every sample shows the same bump, at channel 5 of 12."""
    bump = np.exp(-(((np.arange(CHANNELS) - 5) / 1.5) ** 2)).astype("float32")
    made = NumpyRecording([np.tile(bump, (SAMPLES, 1))], sampling_frequency=RATE)
    probe = Probe(ndim=2, si_units="um")
    probe.set_contacts(positions=np.c_[np.zeros(CHANNELS), np.arange(CHANNELS) * PITCH])
    probe.set_device_channel_indices(np.arange(CHANNELS))
    made = made.set_probe(probe)
    if times is not None:
        made.set_times(times, with_warning=False)
    return made


def main():
    motion = Motion(DISPLACEMENTS[:, None], CENTRES, np.array([110.0]))
    clock = np.arange(SAMPLES) / RATE
    wrong = 0
    for name, times in (("rate", None), ("vector", clock), ("gap", clock + 2.0 * (clock >= 5))):
        seen = clock if times is None else times
        nearest = np.abs(seen[:, None] - CENTRES).argmin(axis=1)
        expected = 5 - DISPLACEMENTS[nearest] / PITCH
        try:
            corrected = interpolate_motion(
                recording(times),
                motion,
                border_mode="force_extrapolate",
                spatial_interpolation_method="nearest",
            ).get_traces()
        except Exception as error:
            wrong += 1
            print(f"clock as {name:7s} {type(error).__name__}: {error}")
            continue
        # Samples halfway between two centres may go to either side.
        count = int((corrected.argmax(axis=1) != expected).sum())
        wrong += count > 4
        print(f"clock as {name:7s} {count} of {SAMPLES} samples have a wrong displacement")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
