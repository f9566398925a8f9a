# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""The reported pair of frames: any time, length, equinox, shape and kind of vector, both ways."""

import numpy as np

from referee.wall import contract

# A rotation in double precision, applied twice at most: a few 1e-16 of the length.
ROTATION = 1e-13


PAIRS = (("GEI", "GSE"), ("GSE", "GEI"))


@contract("coverage")
def test_lengths_and_angles_are_kept_at_any_length(candidate, geometry, rng):
    jobs = []
    for start, end in PAIRS:
        for length in 10.0 ** rng.uniform([-6, -2, 2, 6], [-2, 2, 6, 9]):
            xyz = geometry.directions(rng, 5) * length
            time = geometry.random_instant(rng)
            jobs.append({"xyz": xyz, "start": start, "end": end, "time": time})
    for job, answer in zip(jobs, candidate(geometry.convert, jobs), strict=True):
        assert geometry.not_a_rotation(job["xyz"], answer) <= ROTATION, job


@contract("coverage")
def test_the_map_does_not_depend_on_the_length(candidate, geometry, rng):
    for start, end in PAIRS:
        time = geometry.random_instant(rng)
        xyz = geometry.directions(rng, 4)
        lengths = [1e-6, 6378.137, 1e10]
        jobs = [
            {"xyz": xyz * length, "start": start, "end": end, "time": time} for length in lengths
        ]
        answers = candidate(geometry.convert, jobs)
        maps = [answer / length for answer, length in zip(answers, lengths, strict=True)]
        for one in maps[:-1]:
            assert np.abs(one - maps[-1]).max() <= ROTATION


@contract("coverage")
def test_there_and_back(candidate, geometry, rng):
    jobs = []
    for start, end in PAIRS:
        for equinox in ("J2000", geometry.random_instant(rng), None):
            time = geometry.random_instant(rng)
            job = {"xyz": geometry.directions(rng, 4) * 2.0, "start": start, "end": end}
            job |= {"time": time, "equinox": equinox or time, "to_equinox": equinox or time}
            jobs.append(job)
    there = candidate(geometry.convert, jobs)
    back = [
        {**job, "xyz": xyz, "start": job["end"], "end": job["start"]}
        for job, xyz in zip(jobs, there, strict=True)
    ]
    for job, xyz in zip(jobs, candidate(geometry.convert, back), strict=True):
        assert np.abs(xyz - job["xyz"]).max() <= ROTATION * 2.0


@contract("coverage")
def test_sums_and_multiples(candidate, geometry, rng):
    for start, end in PAIRS:
        time, equinox = geometry.random_instant(rng), geometry.random_instant(rng)
        a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)) * 1e3
        p, q = rng.normal(size=2)
        common = {"start": start, "end": end, "time": time}
        common |= {"equinox": equinox, "to_equinox": equinox}
        one, two, both, none = candidate(
            geometry.convert,
            [{"xyz": v, **common} for v in (a, b, p * a + q * b, np.zeros((3, 2)))],
        )
        assert np.abs(both - p * one - q * two).max() <= ROTATION * np.abs(b).max() * 4
        assert np.abs(none).max() <= 1e-15


@contract("coverage")
def test_directions_without_a_length(candidate, geometry, rng):
    jobs = []
    for start, end in PAIRS:
        for kind in ("vector", "angles"):
            time = geometry.random_instant(rng)
            xyz = geometry.directions(rng, 5)
            common = {"xyz": xyz, "start": start, "end": end, "time": time}
            jobs += [{**common, "directions": kind}, {**common, "xyz": xyz * 1e9, "unit": "km"}]
    answers = candidate(geometry.convert, jobs)
    for bare, long in zip(answers[::2], answers[1::2], strict=True):
        assert np.abs(bare - long / 1e9).max() <= ROTATION


@contract("coverage")
def test_one_time_for_each_vector(candidate, geometry, rng):
    times = [geometry.random_instant(rng) for _ in range(3)]
    xyz = geometry.directions(rng, 3) * 3.0
    for start, end in PAIRS:
        jobs = [
            {"xyz": xyz, "start": start, "end": end, "time": times, "equinox": "J2000",
             "to_equinox": "J2000"}
        ]  # fmt: skip
        jobs += [
            {"xyz": xyz[:, [i]], "start": start, "end": end, "time": t, "equinox": "J2000",
             "to_equinox": "J2000"}
            for i, t in enumerate(times)
        ]  # fmt: skip
        together, *single = candidate(geometry.convert, jobs)
        assert together.shape == (3, 3)
        assert np.abs(together - np.hstack(single)).max() <= ROTATION * 3.0
        # and each of them has kept its length
        assert np.abs(np.linalg.norm(together, axis=0) - 3.0).max() <= ROTATION * 3.0


@contract("coverage")
def test_units_of_the_vectors(candidate, geometry, rng):
    for start, end in PAIRS:
        time = geometry.random_instant(rng)
        xyz = geometry.directions(rng, 3)
        jobs = [
            {"xyz": xyz, "start": start, "end": end, "time": time, "unit": unit}
            for unit in ("mm", "earthRad", "AU")
        ]
        answers = candidate(geometry.convert, jobs)
        for answer in answers:
            assert np.abs(answer - answers[-1]).max() <= ROTATION
