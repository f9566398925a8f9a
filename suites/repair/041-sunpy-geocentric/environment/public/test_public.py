"""Public checks: two instants, equator of date to the Sun's direction and back."""

import numpy as np

from referee.wall import contract, probe

TIMES = ("2004-02-29T03:00", "2021-09-17T12:00")

# One rotation in double precision.
ROUNDING = 1e-13


@probe
def turn(time, length_km, there):
    """Three vectors along the axes, of the given length, from GEI to GSE or from GSE to GEI."""
    import warnings

    import astropy.units as u
    import numpy as np
    from astropy.coordinates import CartesianRepresentation
    from astropy.utils import iers

    from sunpy.coordinates import GeocentricEarthEquatorial, GeocentricSolarEcliptic

    iers.conf.auto_download = False
    warnings.simplefilter("ignore")
    frames = [
        GeocentricEarthEquatorial(obstime=time, equinox=time),
        GeocentricSolarEcliptic(obstime=time),
    ]
    start, end = frames if there else frames[::-1]
    vectors = start.realize_frame(CartesianRepresentation(np.eye(3) * length_km * u.km))
    return vectors.transform_to(end).cartesian.xyz.to_value(u.km) / length_km


@contract("coverage")
def test_a_metre_is_turned_and_not_bent(candidate):
    for time in TIMES:
        for there in (True, False):
            matrix = candidate(turn, time, 0.001, there)
            assert np.abs(matrix.T @ matrix - np.eye(3)).max() <= ROUNDING
            assert abs(np.linalg.det(matrix) - 1) <= ROUNDING


@contract("coverage")
def test_a_metre_turns_like_the_distance_of_the_moon(candidate):
    for time in TIMES:
        short = candidate(turn, time, 0.001, True)
        long = candidate(turn, time, 400000.0, True)
        assert np.abs(short - long).max() <= 2 * ROUNDING


@contract("regression")
def test_equator_and_ecliptic_are_tilted_by_the_obliquity(candidate):
    for time in TIMES:
        matrix = candidate(turn, time, 400000.0, True)
        # 23.44 degrees, less 0.013 degrees in a century
        assert abs(np.degrees(np.arccos(matrix[2, 2])) - 23.438) <= 0.002
