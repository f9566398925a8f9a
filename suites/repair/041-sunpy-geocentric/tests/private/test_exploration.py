# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""Beyond the reported pair: the frames that turn with the Earth or follow its magnetic field."""

import numpy as np

from referee.wall import contract

# Up to ten rotations one after another, each good to a few 1e-16.
ROTATION = 2e-13
CELESTIAL = ("GEI", "GSE")
TURNING = ("GEO", "MAG", "SM", "GSM")


def either_way(rng, first, second):
    """Each pair once, in a random direction; the check of every way round takes both."""
    pairs = [(a, b) for a in first for b in second]
    return [pair[:: rng.choice([1, -1])] for pair in pairs]


@contract("exploration")
def test_lengths_and_angles_between_celestial_and_turning_frames(candidate, geometry, rng):
    jobs = []
    for start, end in either_way(rng, CELESTIAL, TURNING):
        length = 10.0 ** rng.uniform(-2, 6)
        xyz = geometry.directions(rng, 4) * length
        jobs.append({"xyz": xyz, "start": start, "end": end, "time": geometry.random_instant(rng)})
    for job, answer in zip(jobs, candidate(geometry.convert, jobs), strict=True):
        assert geometry.not_a_rotation(job["xyz"], answer) <= ROTATION, job


@contract("exploration")
def test_the_centre_of_the_earth_stays_the_centre(candidate, geometry, rng):
    jobs = [
        {"xyz": np.zeros((3, 1)), "start": a, "end": b, "time": geometry.random_instant(rng)}
        for a, b in either_way(rng, CELESTIAL, (*TURNING, "GCRS"))
    ]
    jobs += [
        {"xyz": np.zeros((3, 1)), "start": a, "end": b, "time": geometry.random_instant(rng)}
        for a, b in (("GEI", "GSE"), ("GSE", "GEI"))
    ]
    for job, answer in zip(jobs, candidate(geometry.convert, jobs), strict=True):
        # 1 nanometre; the way through the Sun's distance costs a hundred micrometres.
        assert np.abs(answer).max() <= 1e-12, job


@contract("exploration")
def test_every_way_round_gives_the_same_vector(candidate, geometry, rng):
    time = geometry.random_instant(rng)
    xyz = geometry.directions(rng, 4) * 7000.0
    names = ("GCRS", *CELESTIAL, *TURNING)
    direct = candidate(
        geometry.convert,
        [{"xyz": xyz, "start": "GCRS", "end": name, "time": time} for name in names],
    )
    jobs, wanted = [], []
    for i, start in enumerate(names):
        for j, end in enumerate(names):
            if i != j and (start in CELESTIAL or end in CELESTIAL):
                jobs.append({"xyz": direct[i], "start": start, "end": end, "time": time})
                wanted.append(direct[j])
    for job, answer, want in zip(jobs, candidate(geometry.convert, jobs), wanted, strict=True):
        assert np.abs(answer - want).max() <= 4 * ROTATION * 7000.0, (job["start"], job["end"])


@contract("exploration")
def test_the_earth_turns_about_the_same_pole(candidate, geometry, rng):
    """In GEO the mean pole of date is the pole up to nutation, polar motion and the frame's tie."""
    jobs = []
    for _ in range(3):
        time = geometry.random_instant(rng)
        jobs.append({"xyz": np.eye(3), "start": "GEI", "end": "GEO", "time": time})
    for answer in candidate(geometry.convert, jobs):
        assert geometry.not_a_rotation(np.eye(3), answer) <= ROTATION
        # Nutation reaches 20", polar motion 0.6": 1e-4 rad together. Aberration is as large, so
        # this does not stand alone.
        assert np.abs(answer[2, :2]).max() <= 1.1e-4
        assert answer[2, 2] >= 1 - 1.1e-8


@contract("exploration")
def test_both_solar_frames_differ_by_a_turn_about_the_line_to_the_sun(candidate, geometry, rng):
    jobs = []
    for _ in range(3):
        time = geometry.random_instant(rng)
        jobs.append({"xyz": np.eye(3), "start": "GSE", "end": "GSM", "time": time})
    for answer in candidate(geometry.convert, jobs):
        assert geometry.not_a_rotation(np.eye(3), answer) <= ROTATION
        # The two may differ in whether the Sun is seen displaced by 20.5" (1e-4 rad).
        assert np.abs(answer[1:, 0]).max() <= 1.1e-4
        # dipole tilt against the ecliptic pole: 23.5 + 11.8 degrees at the most
        assert answer[2, 2] >= np.cos(np.deg2rad(36))


@contract("exploration")
def test_directions_reach_the_turning_frames(candidate, geometry, rng):
    jobs = []
    for start, end in either_way(rng, CELESTIAL, TURNING):
        xyz = geometry.directions(rng, 3)
        time = geometry.random_instant(rng)
        common = {"xyz": xyz, "start": start, "end": end, "time": time}
        kind = ("vector", "angles")[int(rng.integers(2))]
        jobs += [{**common, "directions": kind}, {**common, "xyz": xyz * 1e6}]
    answers = candidate(geometry.convert, jobs)
    for bare, long in zip(answers[::2], answers[1::2], strict=True):
        assert np.abs(bare - long / 1e6).max() <= ROTATION
