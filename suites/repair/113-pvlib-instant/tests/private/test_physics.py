# referee-canary 113 40893166-b755-4b52-bb7d-ac022df18297
"""Values against formulas that are worked out on this side, under labels in many zones."""

import numpy as np
import pytest

from referee.wall import contract

PLACE = (-23.5, -46.6, 760)


def almanac(seconds, latitude, longitude):
    """Low-precision sun of the Astronomical Almanac: elevation (degrees) and distance (AU).

    Good to about 0.01 degrees and 0.00003 AU (the Moon's pull is left out) from 1950 to 2050.
    """
    n = np.asarray(seconds) / 86400 + 2440587.5 - 2451545.0
    g = np.radians(357.528 + 0.9856003 * n)
    ecliptic = np.radians(280.460 + 0.9856474 * n + 1.915 * np.sin(g) + 0.020 * np.sin(2 * g))
    obliquity = np.radians(23.439 - 4e-7 * n)
    ascension = np.arctan2(np.cos(obliquity) * np.sin(ecliptic), np.cos(ecliptic))
    declination = np.arcsin(np.sin(obliquity) * np.sin(ecliptic))
    sidereal = np.radians((280.46062 + 360.98564737 * n + longitude) % 360)
    hour = sidereal - ascension
    phi = np.radians(latitude)
    sine = np.sin(phi) * np.sin(declination)
    sine = sine + np.cos(phi) * np.cos(declination) * np.cos(hour)
    radius = 1.00014 - 0.01671 * np.cos(g) - 0.00014 * np.cos(2 * g)
    return np.degrees(np.arcsin(sine)), radius


@contract("knowledge")
@pytest.mark.parametrize("method", ["spencer", "asce"])
def test_annual_variation_follows_the_published_formula(candidate, sun, rng, method):
    seconds = sun.any_moments(rng, 400)
    constant = float(rng.uniform(1355, 1372))
    for zone in ("Pacific/Auckland", "America/St_Johns", "Asia/Kolkata"):
        actual = candidate(sun.extraterrestrial, seconds, zone, method, constant)
        # A handful of multiplications and cosines: rounding only.
        np.testing.assert_allclose(actual, sun.sunlight(seconds, method, constant), rtol=1e-12)


@contract("knowledge")
@pytest.mark.parametrize(
    ("model", "options"),
    [("ineichen", {"linke_turbidity": 2.7}), ("simplified_solis", {"aod700": 0.12})],
    ids=["ineichen", "solis"],
)
def test_clear_sky_is_proportional_to_the_sunlight_above_it(candidate, sun, rng, model, options):
    # Three days of every month of a year.
    month = rng.integers(1990, 2037) - 1970
    starts = (12 * month + np.arange(12)).astype("datetime64[M]").astype("datetime64[s]")
    seconds = (starts.astype(np.int64)[:, None] + 1800 * np.arange(3 * 48)).ravel()
    unit = candidate(sun.clear_sky, seconds, "UTC", PLACE, model, {**options, "dni_extra": 1.0})
    assert all(np.isfinite(values).all() for values in unit.values())
    assert unit["ghi"].max() > 0.5
    factor = sun.sunlight(seconds)
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        actual = candidate(sun.clear_sky, seconds, zone, PLACE, model, options)
        for name in ("ghi", "dni", "dhi"):
            # Proportional up to rounding; dhi is a difference of larger numbers, hence atol.
            np.testing.assert_allclose(actual[name], factor * unit[name], rtol=1e-9, atol=1e-8)


@contract("knowledge")
@pytest.mark.parametrize("model", ["erbs", "disc", "boland"])
def test_clearness_index_of_known_sunlight(candidate, sun, rng, model):
    seconds = sun.any_moments(rng, 300)
    zenith = rng.uniform(5, 70, seconds.size)
    clearness = rng.uniform(0.3, 0.79, seconds.size)
    # DISC was published with a solar constant of its own.
    constant = 1370.0 if model == "disc" else 1366.1
    ghi = clearness * sun.sunlight(seconds, constant=constant) * np.cos(np.radians(zenith))
    for zone in ("Asia/Kathmandu", "Pacific/Honolulu"):
        actual = candidate(sun.split, seconds, zone, ghi, zenith, model)
        np.testing.assert_allclose(actual["kt"], clearness, rtol=1e-11)
        if model == "erbs":
            k = clearness
            diffuse = 0.9511 - 0.1604 * k + 4.388 * k**2 - 16.638 * k**3 + 12.336 * k**4
            dni = ghi * (1 - diffuse) / np.cos(np.radians(zenith))
            np.testing.assert_allclose(actual["dni"], dni, rtol=1e-9)


@contract("knowledge")
@pytest.mark.parametrize("method", ["nrel_numpy", "ephemeris"])
def test_sun_stands_where_the_almanac_says(candidate, sun, rng, method):
    seconds = sun.any_moments(rng, 400)
    latitude, longitude = float(rng.uniform(-60, 60)), float(rng.uniform(-180, 180))
    expected, _ = almanac(seconds, latitude, longitude)
    for zone in ("UTC", "Pacific/Auckland", "America/Vancouver"):
        actual = candidate(sun.elevation, seconds, zone, latitude, longitude, {"method": method})
        # 0.01 degrees of the almanac, and 0.01 more for the simple ephemeris.
        np.testing.assert_allclose(actual, expected, rtol=0, atol=0.03)


@contract("knowledge")
def test_distance_of_the_sun_follows_the_almanac(candidate, sun, rng):
    seconds = sun.any_moments(rng, 400)
    _, expected = almanac(seconds, 0.0, 0.0)
    for zone in ("UTC", "Asia/Kathmandu", "Pacific/Pago_Pago"):
        actual = candidate(sun.distance, seconds, zone, {})
        # Three times the error of the almanac formula; half a day is up to 0.00015 AU.
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4)


# Estimated from the date, the difference of the clocks is near 60 to 90 s; these are far from it.
CLOCKS = (3700.0, 100.0)
TURN = 360.98564737 / 86400  # degrees that the Earth turns in a second


@contract("knowledge")
def test_distance_depends_on_the_dynamical_time_alone(candidate, sun, rng):
    seconds, later = sun.any_moments(rng, 200), int(CLOCKS[0] - CLOCKS[1])
    for zone in ("UTC", "Asia/Kathmandu"):
        one = candidate(sun.distance, seconds, zone, {"delta_t": CLOCKS[0]})
        other = candidate(sun.distance, seconds + later, zone, {"delta_t": CLOCKS[1]})
        # The same time of the almanac by two ways: rounding of Julian days (1e-9 days, 3e-13 AU).
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)


@contract("knowledge")
def test_a_later_clock_and_a_turned_earth_see_the_same_sun(candidate, sun, rng):
    seconds, later = sun.any_moments(rng, 200), int(CLOCKS[0] - CLOCKS[1])
    latitude, longitude = float(rng.uniform(-60, 60)), float(rng.uniform(-150, 150))
    for zone in ("UTC", "Asia/Kathmandu"):
        options = {"method": "nrel_numpy", "delta_t": CLOCKS[0]}
        one = candidate(sun.elevation, seconds, zone, latitude, longitude, options)
        options["delta_t"] = CLOCKS[1]
        turned = longitude - TURN * later
        other = candidate(sun.elevation, seconds + later, zone, latitude, turned, options)
        # Declination would move by up to 0.016 degrees in this hour. Digits left out of TURN count
        # for 1e-10 degrees, rounding of the sidereal angle (1e9 degrees) for 1e-6.
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)
