# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""Sibling frames of the wider library, and points that go from one time to another."""

import numpy as np

from referee.wall import contract

ROTATION = 2e-13

# A change of time goes by way of positions of 1.5e8 km from the Sun, whose last binary place is
# 3e-8 km; a handful of additions and rotations of such numbers. Aberration would move the point
# by 1e-4 of the distance that the Earth has gone, metres within seconds.
POSITION_KM = 5e-7


@contract("generalization")
def test_further_frames_around_the_earth(candidate, geometry, rng):
    jobs = []
    for other in ("CIRS", "TETE", "PrecessedGeocentric", "ECLIPTIC", "GCRS"):
        for start, end in (("GEI", other), (other, "GEI"), ("GSE", other), (other, "GSE")):
            time = geometry.random_instant(rng)
            xyz = geometry.directions(rng, 4) * 10.0 ** rng.uniform(-1, 5)
            jobs.append({"xyz": xyz, "start": start, "end": end, "time": time})
    for job, answer in zip(jobs, candidate(geometry.convert, jobs), strict=True):
        assert geometry.not_a_rotation(job["xyz"], answer) <= ROTATION, job


@contract("generalization")
def test_two_spellings_of_one_equator(candidate, geometry, rng):
    """`PrecessedGeocentric` and GEI with the same equinox have the same axes and centre."""
    jobs = []
    for _ in range(4):
        time = geometry.random_instant(rng)
        common = {"time": time, "equinox": geometry.random_instant(rng)}
        common["to_equinox"] = common["equinox"]
        xyz = geometry.directions(rng, 4) * 50.0
        jobs.append({"xyz": xyz, "start": "PrecessedGeocentric", "end": "GEI", **common})
    for job, answer in zip(jobs, candidate(geometry.convert, jobs), strict=True):
        assert np.abs(answer - job["xyz"]).max() <= ROTATION * 50.0


def position(geometry, frame, instant, equinox, barycentric):
    """Where a barycentric point (km) is in an Earth-centred frame, without aberration."""
    return geometry.axes(frame, instant, equinox) @ (
        barycentric - geometry.earth(instant)[:, np.newaxis]
    )


@contract("generalization")
def test_a_change_of_time_leaves_the_point_in_space(candidate, geometry, rng):
    jobs, wanted = [], []
    for start in ("GEI", "GSE"):
        for end in ("GEI", "GSE"):
            for equinox in ("J2000", None):
                i, j = rng.choice(len(geometry.INSTANTS), 2, replace=False)
                before, after = geometry.INSTANTS[i], geometry.INSTANTS[j]
                shift = geometry.directions(rng, 3) * 1e4
                point = geometry.earth(before)[:, np.newaxis] + shift
                jobs.append(
                    {
                        "xyz": position(geometry, start, before, equinox, point),
                        "start": start, "end": end, "time": before, "until": after,
                        "equinox": equinox or before, "to_equinox": equinox or after,
                    }
                )  # fmt: skip
                wanted.append(position(geometry, end, after, equinox, point))
    for job, answer, want in zip(jobs, candidate(geometry.convert, jobs), wanted, strict=True):
        error = np.abs(answer - want).max()
        ok = error <= 4 * POSITION_KM
        assert ok, (job["start"], job["end"], error)


@contract("generalization")
def test_a_short_wait_leaves_the_point_in_space(candidate, geometry, rng):
    """Seen from a moment later, a resting point has gone back along the Earth's way, no more."""
    jobs, pairs = [], []
    for start in ("GEI", "GSE"):
        for end in ("GEI", "GSE"):
            for _ in range(2):
                time = geometry.random_instant(rng)
                later = str(np.datetime64(time) + np.timedelta64(int(rng.integers(60, 7200)), "s"))
                pairs.append((start, end))
                jobs.append(
                    {
                        "xyz": geometry.directions(rng, 4) * 5e4, "start": start, "end": end,
                        "time": time, "until": later, "equinox": "J2000", "to_equinox": "J2000",
                    }
                )  # fmt: skip
    answers = candidate(geometry.convert, jobs)
    for pair, job, answer in zip(pairs, jobs, answers, strict=True):
        # All points have the same shift, so differences between them are only turned.
        before = job["xyz"][:, 1:] - job["xyz"][:, :1]
        after = answer[:, 1:] - answer[:, :1]
        error = np.abs(before.T @ before - after.T @ after).max() / 1e10
        ok = error <= 20 * POSITION_KM / 1e5
        assert ok, (pair, error)


@contract("generalization")
def test_a_change_of_time_and_back(candidate, geometry, rng):
    jobs = []
    for start, end in (("GEI", "GSE"), ("GSE", "GEI"), ("GSE", "GSE"), ("GEI", "GEI")):
        time, until = geometry.random_instant(rng), geometry.random_instant(rng)
        xyz = geometry.directions(rng, 3) * 2e4
        jobs.append({"xyz": xyz, "start": start, "end": end, "time": time, "until": until})
    there = candidate(geometry.convert, jobs)
    back = [
        {"xyz": xyz, "start": job["end"], "end": job["start"], "time": job["until"],
         "until": job["time"]}
        for job, xyz in zip(jobs, there, strict=True)
    ]  # fmt: skip
    for job, xyz in zip(jobs, candidate(geometry.convert, back), strict=True):
        # twice the way over 1 au, and from time to time once more for each frame on it
        assert np.abs(xyz - job["xyz"]).max() <= 4 * POSITION_KM, job
