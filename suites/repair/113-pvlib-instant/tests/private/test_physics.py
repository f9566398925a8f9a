# referee-canary 113 40893166-b755-4b52-bb7d-ac022df18297
"""Values against formulas that are worked out on this side, under labels in many zones."""

import numpy as np
import pytest

from referee.wall import contract, probe


@probe
def extraterrestrial(seconds, zone, method, constant):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return pvlib.irradiance.get_extra_radiation(
        times, method=method, solar_constant=constant
    ).to_numpy()


@probe
def clear_sky(seconds, zone, model, options):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    place = pvlib.location.Location(-23.5, -46.6, altitude=760)
    sky = place.get_clearsky(times, model=model, **options)
    return {name: sky[name].to_numpy() for name in ("ghi", "dni", "dhi")}


@probe
def split(seconds, zone, ghi, zenith, model):
    import numpy as np
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    result = getattr(pvlib.irradiance, model)(ghi, zenith, times)
    return {name: np.asarray(result[name], dtype=float) for name in ("dni", "kt")}


@probe
def elevation_angle(seconds, zone, latitude, longitude, method):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    position = pvlib.solarposition.get_solarposition(times, latitude, longitude, method=method)
    return position["elevation"].to_numpy()


@probe
def distance(seconds, zone):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return pvlib.solarposition.nrel_earthsun_distance(times).to_numpy()


def day_number(seconds):
    days = np.asarray(seconds).astype("datetime64[s]").astype("datetime64[D]")
    return (days - days.astype("datetime64[Y]").astype("datetime64[D]")).astype(np.int64) + 1


def spencer(seconds):
    """Own Spencer factor (1)."""
    x = 2 * np.pi / 365 * (day_number(seconds) - 1)
    year = 1.00011 + 0.034221 * np.cos(x) + 0.00128 * np.sin(x)
    return year + 0.000719 * np.cos(2 * x) + 7.7e-5 * np.sin(2 * x)


def asce(seconds):
    """Own ASCE factor (1)."""
    return 1 + 0.033 * np.cos(2 * np.pi / 365 * day_number(seconds))


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


def any_moments(rng, count):
    first, last = (np.datetime64(t, "s").astype(np.int64) for t in ("1990-01-01", "2038-01-01"))
    return rng.integers(first, last, count)


@contract("physics")
@pytest.mark.parametrize("method", ["spencer", "asce"])
def test_annual_variation_follows_the_published_formula(candidate, rng, method):
    own = {"spencer": spencer, "asce": asce}[method]
    seconds = any_moments(rng, 400)
    constant = float(rng.uniform(1355, 1372))
    for zone in ("Pacific/Auckland", "America/St_Johns", "Asia/Kolkata"):
        actual = candidate(extraterrestrial, seconds, zone, method, constant)
        # A handful of multiplications and cosines: rounding only.
        np.testing.assert_allclose(actual, constant * own(seconds), rtol=1e-12)


@contract("physics")
@pytest.mark.parametrize(
    ("model", "options"),
    [("ineichen", {"linke_turbidity": 2.7}), ("simplified_solis", {"aod700": 0.12})],
    ids=["ineichen", "solis"],
)
def test_clear_sky_is_proportional_to_the_sunlight_above_it(candidate, rng, model, options):
    # Three days of every month of a year.
    month = rng.integers(1990, 2037) - 1970
    starts = (12 * month + np.arange(12)).astype("datetime64[M]").astype("datetime64[s]")
    seconds = (starts.astype(np.int64)[:, None] + 1800 * np.arange(3 * 48)).ravel()
    unit = candidate(clear_sky, seconds, "UTC", model, {**options, "dni_extra": 1.0})
    assert all(np.isfinite(values).all() for values in unit.values())
    assert unit["ghi"].max() > 0.5
    factor = 1366.1 * spencer(seconds)
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        actual = candidate(clear_sky, seconds, zone, model, options)
        for name in ("ghi", "dni", "dhi"):
            # Proportional up to rounding; dhi is a difference of larger numbers, hence atol.
            np.testing.assert_allclose(actual[name], factor * unit[name], rtol=1e-9, atol=1e-8)


@contract("physics")
@pytest.mark.parametrize("model", ["erbs", "disc", "boland"])
def test_clearness_index_of_known_sunlight(candidate, rng, model):
    seconds = any_moments(rng, 300)
    zenith = rng.uniform(5, 70, seconds.size)
    clearness = rng.uniform(0.3, 0.79, seconds.size)
    # DISC was published with a solar constant of its own.
    constant = 1370.0 if model == "disc" else 1366.1
    ghi = clearness * constant * spencer(seconds) * np.cos(np.radians(zenith))
    for zone in ("Asia/Kathmandu", "Pacific/Honolulu"):
        actual = candidate(split, seconds, zone, ghi, zenith, model)
        np.testing.assert_allclose(actual["kt"], clearness, rtol=1e-11)
        if model == "erbs":
            k = clearness
            diffuse = 0.9511 - 0.1604 * k + 4.388 * k**2 - 16.638 * k**3 + 12.336 * k**4
            dni = ghi * (1 - diffuse) / np.cos(np.radians(zenith))
            np.testing.assert_allclose(actual["dni"], dni, rtol=1e-9)


@contract("physics")
@pytest.mark.parametrize("method", ["nrel_numpy", "ephemeris"])
def test_sun_stands_where_the_almanac_says(candidate, rng, method):
    seconds = any_moments(rng, 400)
    latitude, longitude = float(rng.uniform(-60, 60)), float(rng.uniform(-180, 180))
    expected, _ = almanac(seconds, latitude, longitude)
    for zone in ("UTC", "Pacific/Auckland", "America/Vancouver"):
        actual = candidate(elevation_angle, seconds, zone, latitude, longitude, method)
        # 0.01 degrees of the almanac, and 0.01 more for the simple ephemeris.
        np.testing.assert_allclose(actual, expected, rtol=0, atol=0.03)


@contract("physics")
def test_distance_of_the_sun_follows_the_almanac(candidate, rng):
    seconds = any_moments(rng, 400)
    _, expected = almanac(seconds, 0.0, 0.0)
    for zone in ("UTC", "Asia/Kathmandu", "Pacific/Pago_Pago"):
        actual = candidate(distance, seconds, zone)
        # Three times the error of the almanac formula; half a day is up to 0.00015 AU.
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4)
