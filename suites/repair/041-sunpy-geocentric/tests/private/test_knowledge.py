# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""Absolute orientation: precession, obliquity and the direction of the Sun decide every matrix."""

import numpy as np

from referee.wall import contract

# The library evaluates the same published series; what is left is the rounding of 3 x 3 products
# of numbers of order one and, for GSE, of a direction out of positions of 1.5e8 km (2e-16 each).
ORIENTATION = 2e-13


def compare(candidate, geometry, cases, rng, length):
    """`cases`: start, end, instant, equinox of the start, equinox of the end."""
    jobs, expected = [], []
    for start, end, instant, before, after in cases:
        xyz = geometry.directions(rng, 4)
        jobs.append(
            {
                "xyz": xyz * length, "start": start, "end": end, "time": instant,
                "equinox": before or instant, "to_equinox": after or instant,
            }
        )  # fmt: skip
        matrix = geometry.axes(end, instant, after) @ geometry.axes(start, instant, before).T
        expected.append(matrix @ xyz)
    answers = candidate(geometry.convert, jobs)
    assert len(answers) == len(jobs)
    for case, answer, want in zip(cases, answers, expected, strict=True):
        error = np.abs(answer / length - want).max()
        ok = error <= ORIENTATION
        assert ok, (case, error)


def some(geometry, rng, count):
    return [geometry.INSTANTS[i] for i in rng.choice(len(geometry.INSTANTS), count, replace=False)]


@contract("knowledge")
def test_equator_of_date_to_sun_and_ecliptic(candidate, geometry, rng):
    cases = [("GEI", "GSE", t, None, None) for t in some(geometry, rng, 6)]
    compare(candidate, geometry, cases, rng, length=1.0)


@contract("knowledge")
def test_sun_and_ecliptic_to_equator_of_date(candidate, geometry, rng):
    cases = [("GSE", "GEI", t, None, None) for t in some(geometry, rng, 6)]
    compare(candidate, geometry, cases, rng, length=0.01)


@contract("knowledge")
def test_equator_of_another_equinox(candidate, geometry, rng):
    cases = [("GEI", "GSE", t, "J2000", None) for t in some(geometry, rng, 2)]
    cases += [("GSE", "GEI", t, None, "J2000") for t in some(geometry, rng, 2)]
    far = geometry.INSTANTS[0]
    cases += [("GEI", "GSE", t, far, None) for t in some(geometry, rng, 2)]
    compare(candidate, geometry, cases, rng, length=0.3)


@contract("knowledge")
def test_precession_between_two_equinoxes(candidate, geometry, rng):
    times = some(geometry, rng, 6)
    cases = [
        ("GEI", "GEI", times[0], times[1], times[2]),
        ("GEI", "GEI", times[1], "J2000", times[3]),
        ("GEI", "GEI", times[2], times[4], "J2000"),
        ("GEI", "GEI", times[3], None, times[5]),
    ]
    compare(candidate, geometry, cases, rng, length=1.0)


@contract("knowledge")
def test_celestial_frame_of_the_earth(candidate, geometry, rng):
    times = some(geometry, rng, 6)
    cases = [
        ("GEI", "GCRS", times[0], "J2000", None),
        ("GEI", "GCRS", times[1], None, None),
        ("GCRS", "GEI", times[2], None, "J2000"),
        ("GCRS", "GEI", times[3], None, None),
        ("GSE", "GCRS", times[4], None, None),
        ("GCRS", "GSE", times[5], None, None),
    ]
    for length in (1.0, 42164.0):
        compare(candidate, geometry, cases, rng, length)


@contract("knowledge")
def test_the_sun_is_on_the_x_axis_and_the_pole_above(candidate, geometry, rng):
    times = [geometry.random_instant(rng) for _ in range(3)]
    jobs = []
    for t in times:
        jobs.append({"xyz": np.zeros((3, 1)), "start": "HEE", "end": "GEI", "time": t})
    suns = candidate(geometry.convert, jobs)
    jobs = []
    for t, position in zip(times, suns, strict=True):
        jobs.append({"xyz": position * 1e-8, "start": "GEI", "end": "GSE", "time": t})
        # the pole of the ecliptic of date, in the equator of date: declination 90 deg - obliquity
        slope = np.deg2rad(23.4393 - 0.0130 * (float(t[:4]) - 2000) / 100)
        pole = np.array([[0.0], [-np.sin(slope)], [np.cos(slope)]])
        jobs.append({"xyz": pole, "start": "GEI", "end": "GSE", "time": t})
    answers = candidate(geometry.convert, jobs)
    for position, toward, pole in zip(suns, answers[::2], answers[1::2], strict=True):
        distance = np.linalg.norm(position) * 1e-8
        # 1 AU is 1.47 to 1.52e8 km; the sideways part is rounding alone.
        assert 1.46 <= distance <= 1.53
        assert np.abs(toward[:, 0] - [distance, 0, 0]).max() <= 1e-13 * distance
        # Linear obliquity is good to 1e-6; the Sun's ecliptic latitude stays below 1.5".
        assert pole[2, 0] >= 1 - 1e-9
        assert np.abs(pole[:2, 0]).max() <= 1.2e-5
