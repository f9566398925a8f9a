# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""What is right stays right: frames around the Sun, the way between other frames, refusals."""

import numpy as np

from referee.wall import contract, probe

# Positions of some 1e8 km, last binary place 3e-8 km, after a handful of rotations.
POSITION_KM = 1e-6


@probe
def refused(cases):
    import warnings

    import astropy.units as u
    from astropy.coordinates import GCRS, CartesianRepresentation, ConvertError

    import sunpy.coordinates as sc

    warnings.simplefilter("ignore")
    classes = {
        "GEI": sc.GeocentricEarthEquatorial,
        "GSE": sc.GeocentricSolarEcliptic,
        "HEE": sc.HeliocentricEarthEcliptic,
        "GCRS": GCRS,
    }
    answers = []
    for start, end, before, after in cases:
        data = CartesianRepresentation([1, 2, 3] * u.km)
        start = classes[start](data, **({"obstime": before} if before else {}))
        end = classes[end](**({"obstime": after} if after else {}))
        try:
            start.transform_to(end)
        except ConvertError:
            answers.append("ConvertError")
        else:
            answers.append("converted")
    return answers


def points(geometry, rng, count, centre):
    """Barycentric points (km) out to Jupiter around `centre`."""
    distance = 10.0 ** rng.uniform(5, 8.9, size=count)
    return geometry.directions(rng, count) * distance + centre[:, np.newaxis]


@contract("regression")
def test_from_the_barycentre_to_the_earth_without_aberration(candidate, geometry, rng):
    jobs, wanted = [], []
    for end in ("GEI", "GSE"):
        for instant in geometry.INSTANTS[::4]:
            equinox = ("J2000", None)[int(rng.integers(2))]
            xyz = points(geometry, rng, 4, geometry.sun(instant))
            jobs.append(
                {"xyz": xyz, "start": "ICRS", "end": end, "time": instant,
                 "to_equinox": equinox or instant}
            )  # fmt: skip
            relative = xyz - geometry.earth(instant)[:, np.newaxis]
            wanted.append(geometry.axes(end, instant, equinox) @ relative)
    for job, answer, want in zip(jobs, candidate(geometry.convert, jobs), wanted, strict=True):
        assert np.abs(answer - want).max() <= 5 * POSITION_KM, job


@contract("regression")
def test_from_the_earth_to_the_barycentre_without_aberration(candidate, geometry, rng):
    jobs, wanted = [], []
    for start in ("GEI", "GSE"):
        for end in ("ICRS", "HCRS"):
            for instant in geometry.INSTANTS[1::4]:
                xyz = points(geometry, rng, 4, geometry.sun(instant))
                relative = xyz - geometry.earth(instant)[:, np.newaxis]
                turned = geometry.axes(start, instant) @ relative
                jobs.append({"xyz": turned, "start": start, "end": end, "time": instant})
                centre = 0 if end == "ICRS" else geometry.sun(instant)[:, np.newaxis]
                wanted.append(xyz - centre)
    for job, answer, want in zip(jobs, candidate(geometry.convert, jobs), wanted, strict=True):
        assert np.abs(answer - want).max() <= 5 * POSITION_KM, job


@contract("regression")
def test_the_sun_centred_twin_is_mirrored_and_shifted(candidate, geometry, rng):
    """HEE and GSE have the same z; x and y point the other way, 1 astronomical unit apart."""
    jobs, distances = [], []
    for instant in geometry.INSTANTS[::4]:
        distances.append(np.linalg.norm(geometry.sun(instant) - geometry.earth(instant)))
        xyz = geometry.directions(rng, 4) * 10.0 ** rng.uniform(5, 8)
        jobs.append({"xyz": xyz, "start": "HEE", "end": "GSE", "time": instant})
        jobs.append({"xyz": xyz, "start": "GSE", "end": "HEE", "time": instant})
    answers = candidate(geometry.convert, jobs)
    for i, distance in enumerate(distances):
        for job, answer in zip(jobs[2 * i : 2 * i + 2], answers[2 * i : 2 * i + 2], strict=True):
            x, y, z = job["xyz"]
            want = np.array([distance - x, -y, z])
            assert np.abs(answer - want).max() <= 3 * POSITION_KM


@contract("regression")
def test_solar_frames_agree_on_the_way_to_the_earth(candidate, geometry, rng):
    """From the Sun's own frames, straight or by way of the barycentre: the same point."""
    jobs = []
    for name in ("HGS", "HCI", "HEE", "HME"):
        for end in ("GEI", "GSE"):
            time = geometry.random_instant(rng)
            xyz = geometry.directions(rng, 3) * 10.0 ** rng.uniform(5, 8.5)
            jobs.append({"xyz": xyz, "start": name, "end": end, "time": time})
    straight = candidate(geometry.convert, jobs)
    halfway = candidate(geometry.convert, [{**job, "end": "ICRS"} for job in jobs])
    rest = candidate(
        geometry.convert,
        [{**job, "xyz": v, "start": "ICRS"} for job, v in zip(jobs, halfway, strict=True)],
    )
    back = candidate(
        geometry.convert,
        [
            {**job, "xyz": v, "start": job["end"], "end": job["start"]}
            for job, v in zip(jobs, straight, strict=True)
        ],
    )
    for job, a, b, c in zip(jobs, straight, rest, back, strict=True):
        assert np.abs(a - b).max() <= 5 * POSITION_KM, job
        assert np.abs(c - job["xyz"]).max() <= 5 * POSITION_KM, job


@contract("regression")
def test_other_frames_do_not_take_a_new_way(candidate, geometry, rng):
    """Between frames around the Sun and those of the apparent sky the ICRS is the only way."""
    jobs = []
    sky = ("GCRS", "CIRS", "GEO", "MAG", "ECLIPTIC")
    for sunward, count in (("HME", 5), ("HEE", 2), ("HGS", 2), ("HCRS", 2)):
        for skyward in rng.permutation(sky)[:count].tolist():
            time = geometry.random_instant(rng)
            xyz = geometry.directions(rng, 2) * 10.0 ** rng.uniform(7, 8.5)
            jobs.append({"xyz": xyz, "start": sunward, "end": skyward, "time": time})
    straight = candidate(geometry.convert, jobs)
    halfway = candidate(geometry.convert, [{**job, "end": "ICRS"} for job in jobs])
    rest = candidate(
        geometry.convert,
        [{**job, "xyz": v, "start": "ICRS"} for job, v in zip(jobs, halfway, strict=True)],
    )
    for job, a, b in zip(jobs, straight, rest, strict=True):
        size = np.linalg.norm(a, axis=0).max()
        # Aberration and its inverse are iterated to about 1e-12; leaving it out costs 1e-4.
        assert np.abs(a - b).max() <= 1e-9 * size, (job["start"], job["end"])


@contract("regression")
def test_magnetic_frames_among_themselves(candidate, geometry, rng):
    names, jobs = ("GEO", "MAG", "SM", "GSM", "GCRS"), []
    for i, start in enumerate(names):
        for j, end in enumerate(names):
            # a random direction of each pair
            if (i - j) % 5 in (1, 2):
                start, end = (start, end) if rng.integers(2) else (end, start)
                time = geometry.random_instant(rng)
                xyz = geometry.directions(rng, 4) * 10.0 ** rng.uniform(0, 6)
                jobs.append({"xyz": xyz, "start": start, "end": end, "time": time})
    for job, answer in zip(jobs, candidate(geometry.convert, jobs), strict=True):
        assert geometry.not_a_rotation(job["xyz"], answer) <= 2e-13, job


@contract("regression")
def test_frames_without_a_time_are_refused(candidate):
    time = "2012-12-21T11:12:00"
    cases = [
        ("GEI", "GSE", None, None), ("GEI", "GSE", None, time), ("GEI", "GSE", time, None),
        ("GSE", "GEI", None, None), ("GSE", "GEI", time, None), ("GSE", "HEE", None, None),
        ("GEI", "GEI", None, time), ("GEI", "GEI", time, None), ("GSE", "GSE", None, time),
        ("GEI", "HEE", None, time), ("GEI", "HEE", time, None), ("HEE", "GEI", None, time),
        ("GEI", "GCRS", None, time), ("GCRS", "GEI", time, None), ("GSE", "GEI", time, None),
    ]  # fmt: skip
    answers = candidate(refused, cases)
    assert answers == ["ConvertError"] * len(cases), list(zip(cases, answers, strict=True))
