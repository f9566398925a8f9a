# referee-canary 041 b4bb3c42-b2e2-45d1-b4a2-ca6b62810b54
"""Own geometry of the Earth-centred frames, with NumPy and published polynomials only."""

import numpy as np

from referee.wall import probe

ARCSECOND = np.pi / 648000.0

# Instant (UTC): days of terrestrial time since J2000.0, and where the Earth and the Sun are (km,
# equatorial axes of the ICRS, seen from the barycentre of the solar system). The positions are
# those of the analytical series that the library uses by default, from SOFA's `epv00`.
EPHEMERIS = {
    "1979-11-05T06:17:21": (
        -7362.237370555556,
        (110470877.58394255, 91835217.81455866, 39785153.09693548),
        (1150619.0110964708, -139079.27934856486, -96605.73734556776),
    ),
    "1985-03-21T00:00:00": (
        -5399.49937287037,
        (-149115857.58052477, -62937.841143514575, -43583.13948757968),
        (-93082.62816121387, 1219721.0838709034, 512585.620823367),
    ),
    "1990-08-14T19:42:10": (
        -3426.678389074074,
        (119292367.0389058, -85741520.99569249, -37183663.054958425),
        (76443.06948434569, 66055.8953587835, 20787.709016115623),
    ),
    "1996-08-28T16:46:00": (
        -1220.8006691666667,
        (136887194.3062772, -56144304.54737805, -24322461.05341291),
        (-801437.6150657074, 910025.2145099487, 414123.7661832166),
    ),
    "2000-01-01T12:00:00": (
        0.0007428703703703543,
        (-27568540.665805478, 132361107.11880435, 57418504.65800225),
        (-1067598.6370983927, -395988.42460720503, -138072.67302373456),
    ),
    "2003-10-29T06:11:00": (
        1396.7583817592592,
        (121666929.23668753, 78469613.1513416, 34011830.0744436),
        (470094.5705462315, -441135.27259552816, -199556.41502131568),
    ),
    "2004-02-29T03:00:00": (
        1519.6257428703705,
        (-138551162.0924812, 46584794.90070463, 20184873.912873607),
        (547035.1818735793, -332721.54181518604, -155598.0899869724),
    ),
    "2009-07-22T02:35:19": (
        3489.608624814815,
        (73936489.27572745, -121084708.64399599, -52495106.613272384),
        (-470644.2300141884, 516240.8342354387, 222420.5193762454),
    ),
    "2012-12-21T11:12:00": (
        4737.9674442592595,
        (258084.50969155392, 134686802.09441432, 58382026.53396019),
        (-201797.8607397666, -332575.86839869537, -150825.22950909802),
    ),
    "2015-03-17T04:45:00": (
        5553.698694259259,
        (-148016150.04160386, 9328744.461218443, 4020728.5558003075),
        (466840.9830141942, -52039.69741744089, -46085.46423815009),
    ),
    "2017-09-06T12:02:00": (
        6458.002189629629,
        (145185410.05334765, -37720167.979632966, -16374321.12648373),
        (363256.1590026204, 763396.6401222232, 308964.7526772181),
    ),
    "2021-06-20T23:59:59.5": (
        7841.500794953704,
        (-2295097.257057495, -138816490.4044203, -60153850.25672036),
        (-1153228.6585158983, 662391.247346604, 310025.69877200085),
    ),
    "2024-05-10T17:05:00": (
        8896.212606296296,
        (-97819456.77839711, -107009607.67305796, -46354074.9783307),
        (-1087293.2204831874, -528350.0319808425, -196074.2692862789),
    ),
}
INSTANTS = sorted(EPHEMERIS)

ORIGIN_DAYS = 0.0
"""J2000.0 itself, the equinox that is used when none is named."""


def centuries(instant):
    """Julian centuries of terrestrial time since J2000.0."""
    return (ORIGIN_DAYS if instant == "J2000" else EPHEMERIS[instant][0]) / 36525.0


def about(axis, angle):
    """Matrix that turns the axes (not the vector) by `angle` radians about x, y or z."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = s, -s
    return matrix


def series(coefficients, t):
    return sum(c * t**k for k, c in enumerate(coefficients)) * ARCSECOND


def obliquity(instant):
    """Mean obliquity of date, IAU 2006, radians."""
    return series(
        (84381.406, -46.836769, -0.0001831, 0.00200340, -0.000000576, -0.0000000434),
        centuries(instant),
    )


def precession(instant):
    """ICRS axes to the mean equator and equinox of `instant`, with the frame bias (IAU 2006).

    The four Fukushima-Williams angles of Wallace and Capitaine (2006).
    """
    t = centuries(instant)
    gamma = series((-0.052928, 10.556378, 0.4932044, -0.00031238, -0.000002788, 0.0000000260), t)
    phi = series((84381.412819, -46.811016, 0.0511268, 0.00053289, -0.000000440, -0.0000000176), t)
    psi = series((-0.041775, 5038.481484, 1.5584175, -0.00018522, -0.000026452, -0.0000000148), t)
    return about("x", -obliquity(instant)) @ about("z", -psi) @ about("x", phi) @ about("z", gamma)


def earth(instant):
    """Position of the Earth from the barycentre, km."""
    return np.array(EPHEMERIS[instant][1])


def sun(instant):
    """Position of the Sun from the barycentre, km."""
    return np.array(EPHEMERIS[instant][2])


def to_solar_ecliptic(instant):
    """ICRS axes to GSE: x to the Sun, z as near to the pole of the ecliptic of date as can be."""
    to_ecliptic = about("x", obliquity(instant)) @ precession(instant)
    pole = to_ecliptic[2]
    x = sun(instant) - earth(instant)
    x = x / np.linalg.norm(x)
    y = np.cross(pole, x)
    y = y / np.linalg.norm(y)
    return np.array([x, y, np.cross(x, y)])


def axes(frame, instant, equinox=None):
    """Matrix from ICRS axes to those of an Earth-centred `frame`: GEI, GSE or GCRS."""
    if frame == "GCRS":
        return np.eye(3)
    if frame == "GSE":
        return to_solar_ecliptic(instant)
    return precession(equinox or instant)


def directions(rng, count):
    """Unit vectors, evenly spread over the sphere, as columns."""
    vectors = rng.normal(size=(3, count))
    return vectors / np.linalg.norm(vectors, axis=0)


def random_instant(rng, first=1975, last=2024):
    """A moment (UTC) for which the Earth's rotation is tabulated."""
    year = int(rng.integers(first, last + 1))
    start = np.datetime64(f"{year}-01-01T00:00:00")
    return str(start + np.timedelta64(int(rng.integers(0, 365 * 86400)), "s"))


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0:
        q[:, 0] = -q[:, 0]
    return q


def not_a_rotation(before, after):
    """How much `after` departs from `before` turned by some rotation, relative to the length.

    Columns are vectors. Lengths, mutual angles and handedness are compared.
    """
    scale = np.linalg.norm(before, axis=0)
    a, b = before / scale, np.asarray(after) / scale
    if not np.all(np.isfinite(b)):
        return np.inf
    triple = [np.linalg.det(v[:, :3]) for v in (a, b)]
    return max(np.abs(a.T @ a - b.T @ b).max(), abs(triple[0] - triple[1]))


@probe
def convert(jobs):
    """Vectors (3, N) from one frame to another, in the unit in which they are given."""
    import warnings

    import astropy.coordinates as ac
    import astropy.units as u
    import numpy as np
    from astropy.time import Time
    from astropy.utils import iers

    import sunpy.coordinates as sc

    warnings.simplefilter("ignore")
    # What is asked here holds for any table of the Earth's rotation; to read the true one takes
    # longer than all transformations of a check.
    table = iers.IERS()
    table["MJD"] = [40000.0, 65000.0] * u.day
    for name, unit in (("UT1_UTC", u.s), ("PM_x", u.arcsec), ("PM_y", u.arcsec)):
        table[name] = [0.1, 0.3] * unit
    iers.earth_orientation_table.set(table)
    classes = {
        "GEI": sc.GeocentricEarthEquatorial,
        "GSE": sc.GeocentricSolarEcliptic,
        "GEO": ac.ITRS,
        "MAG": sc.Geomagnetic,
        "SM": sc.SolarMagnetic,
        "GSM": sc.GeocentricSolarMagnetospheric,
        "HEE": sc.HeliocentricEarthEcliptic,
        "HGS": sc.HeliographicStonyhurst,
        "HCI": sc.HeliocentricInertial,
        "ECLIPTIC": ac.GeocentricMeanEcliptic,
        "HME": ac.HeliocentricMeanEcliptic,
    }

    def frame(name, time, equinox):
        cls = classes.get(name) or getattr(ac, name)
        known = {"obstime": time, "equinox": equinox}
        # Of plain frames without a time (ICRS) neither is asked for.
        return cls(
            **{k: Time(v) for k, v in known.items() if v is not None and k in cls.frame_attributes}
        )

    answers = []
    for job in jobs:
        unit = u.Unit(job.get("unit", "km"))
        start = frame(job["start"], job["time"], job.get("equinox", job["time"]))
        until = job.get("until", job["time"])
        end = frame(job["end"], until, job.get("to_equinox", until))
        if job.get("directions") == "angles":
            data = ac.CartesianRepresentation(job["xyz"]).represent_as(
                ac.UnitSphericalRepresentation
            )
        elif job.get("directions"):
            data = ac.CartesianRepresentation(job["xyz"])
        else:
            data = ac.CartesianRepresentation(job["xyz"] * unit)
        result = ac.SkyCoord(data, frame=start).transform_to(end)
        if job.get("angles"):
            result = result.represent_as(ac.SphericalRepresentation)
            answers.append(np.array([result.lon.to_value(u.rad), result.lat.to_value(u.rad)]))
            continue
        xyz = result.cartesian.xyz
        answers.append(xyz.to_value(u.one if job.get("directions") else unit))
    return answers
