# referee-canary 113 bb9994c1-bb25-4dab-9c20-13dbb7b2c14f
"""What else reads a date from a moment: climatology, delta T, single times, turns of the year."""

import datetime

import numpy as np
import pytest

from referee.wall import contract, probe

# Monthly Linke turbidity times 20, January to December, as the library's data file has it.
CLIMATE = {
    "Delhi": (28.6, 77.2, [60, 65, 74, 81, 86, 90, 102, 106, 86, 73, 65, 62]),
    "Beijing": (39.9, 116.4, [41, 39, 50, 66, 78, 79, 84, 85, 71, 60, 49, 40]),
    "Darwin": (-12.46, 130.84, [95, 82, 81, 71, 60, 62, 66, 72, 88, 90, 86, 81]),
    "Honolulu": (21.3, -157.85, [75, 77, 82, 91, 89, 93, 92, 92, 91, 87, 77, 73]),
}

# One division and one linear interpolation of small whole numbers: rounding only.
TURBIDITY = dict(rtol=1e-12)


@probe
def turbidity(seconds, zone, latitude, longitude, interpolate):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return pvlib.clearsky.lookup_linke_turbidity(
        times, latitude, longitude, interp_turbidity=interpolate
    ).to_numpy(dtype=float)


@probe
def extraterrestrial_of_one(second, kind, zone, method):
    import datetime
    import zoneinfo

    import pandas as pd
    import pvlib

    if isinstance(zone, str):
        zone = zoneinfo.ZoneInfo(zone)
    else:
        zone = datetime.timezone(datetime.timedelta(seconds=zone))
    time = datetime.datetime.fromtimestamp(second, datetime.timezone.utc).astimezone(zone)
    if kind == "pandas":
        time = pd.Timestamp(time)
    return float(pvlib.irradiance.get_extra_radiation(time, method=method))


@probe
def with_delta_t(seconds, zone, delta_t, quantity):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    if quantity == "distance":
        return pvlib.solarposition.nrel_earthsun_distance(times, delta_t=delta_t).to_numpy()
    if quantity == "irradiance":
        return pvlib.irradiance.get_extra_radiation(
            times, method="nrel", delta_t=delta_t
        ).to_numpy()
    position = pvlib.solarposition.get_solarposition(
        times, 35.0, -106.0, method="nrel_numpy", delta_t=delta_t
    )
    return position["zenith"].to_numpy()


def interpolated(sun, seconds, monthly):
    """Own interpolation of monthly values, which stand for the middles of the months."""
    years, _, number = sun.date_parts(seconds)
    values = []
    for year, day in zip(years.tolist(), number.tolist(), strict=True):
        starts = [datetime.date(year + m // 12, m % 12 + 1, 1).toordinal() for m in range(13)]
        ends = np.array(starts) - (datetime.date(year, 1, 1).toordinal())
        middles = (ends[:-1] + ends[1:]) / 2
        middles = np.concatenate([[-15.5], middles, [ends[-1] + 15.5]])
        values.append(np.interp(day, middles, [monthly[-1], *monthly, monthly[0]]))
    return np.array(values) / 20


def near_month_ends(rng, count):
    """Moments at most nine hours from the turn of a month in UTC, 1990 to 2037."""
    months = rng.integers(240, 816, count).astype("datetime64[M]").astype("datetime64[s]")
    return months.astype(np.int64) + rng.integers(-9 * 3600, 9 * 3600, count)


def around_new_year(year):
    """Every half hour for two days on either side of the start of a year in UTC."""
    start = np.datetime64(f"{year}-01-01T00:00:00", "s").astype(np.int64)
    return start + 1800 * np.arange(-96, 96)


@contract("generalization")
@pytest.mark.parametrize("place", sorted(CLIMATE))
def test_turbidity_interpolated_to_the_day(candidate, sun, rng, place):
    latitude, longitude, monthly = CLIMATE[place]
    seconds = near_month_ends(rng, 200)
    for zone in ("UTC", "Asia/Kathmandu", "Pacific/Honolulu"):
        actual = candidate(turbidity, seconds, zone, latitude, longitude, True)
        np.testing.assert_allclose(actual, interpolated(sun, seconds, monthly), **TURBIDITY)


@contract("generalization")
@pytest.mark.parametrize("place", sorted(CLIMATE))
def test_turbidity_of_the_month(candidate, sun, rng, place):
    latitude, longitude, monthly = CLIMATE[place]
    seconds = near_month_ends(rng, 200)
    expected = np.array(monthly)[sun.date_parts(seconds)[1] - 1] / 20
    for zone in ("UTC", "Asia/Tokyo", "America/Bogota"):
        actual = candidate(turbidity, seconds, zone, latitude, longitude, False)
        np.testing.assert_allclose(actual, expected, **TURBIDITY)


@contract("exploration")
@pytest.mark.parametrize("year", [2000, 2024, 2025, 2100, 2101])
def test_turbidity_at_the_turn_of_a_year(candidate, sun, year):
    # Into and out of leap years (2000, 2024), and around a century that is none (2100).
    latitude, longitude, monthly = CLIMATE["Delhi"]
    seconds = around_new_year(year)
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        actual = candidate(turbidity, seconds, zone, latitude, longitude, True)
        np.testing.assert_allclose(actual, interpolated(sun, seconds, monthly), **TURBIDITY)


@contract("exploration")
@pytest.mark.parametrize("year", [2023, 2024, 2025])
def test_extraterrestrial_irradiance_at_the_turn_of_a_year(candidate, sun, year):
    seconds = around_new_year(year)
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        actual = candidate(sun.extraterrestrial, seconds, zone, "spencer")
        np.testing.assert_allclose(actual, sun.sunlight(seconds), rtol=1e-12)


@contract("exploration")
@pytest.mark.parametrize("zone", ["America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"])
def test_clock_changes_do_not_move_the_day(candidate, sun, zone):
    # A whole year in half hours holds both clock changes: the hour that is missing and the hour
    # that comes twice. Lord Howe Island moves its clocks by half an hour only.
    start = np.datetime64("2022-01-01T00:00:00", "s").astype(np.int64)
    seconds = start + 1800 * np.arange(365 * 48)
    actual = candidate(sun.extraterrestrial, seconds, zone, "asce")
    np.testing.assert_allclose(actual, sun.sunlight(seconds, "asce"), rtol=1e-12)


@contract("generalization")
@pytest.mark.parametrize("kind", ["pandas", "standard-library"])
@pytest.mark.parametrize("method", ["spencer", "asce"])
def test_single_times_with_a_zone(candidate, sun, rng, kind, method):
    for zone, hour in (("Asia/Tokyo", 20), ("America/Bogota", 2), (45900, 14), (-34200, 5)):
        # At this UTC hour the clock of the zone is on another date.
        day = rng.integers(7305, 24837)
        second = int(day * 86400 + hour * 3600 + rng.integers(0, 3600))
        actual = candidate(extraterrestrial_of_one, second, kind, zone, method)
        np.testing.assert_allclose(actual, sun.sunlight(second, method), rtol=1e-12)


@contract("generalization")
@pytest.mark.parametrize("quantity", ["distance", "irradiance", "zenith"])
def test_estimated_delta_t_is_that_of_the_moment(candidate, rng, quantity):
    # A month more or less is 0.03 s of delta T or more: above 1e-10 of the distance near April and
    # October and 3e-7 degrees of zenith, so rounding (1e-15, 1e-13) and error are far apart.
    tolerance = dict(rtol=0, atol=1e-9) if quantity == "zenith" else dict(rtol=1e-12)
    seconds = near_month_ends(rng, 300)
    expected = candidate(with_delta_t, seconds, "UTC", None, quantity)
    assert np.isfinite(expected).all()
    assert np.ptp(expected) > 0.02
    for zone in ("Asia/Tokyo", "Pacific/Honolulu"):
        actual = candidate(with_delta_t, seconds, zone, None, quantity)
        np.testing.assert_allclose(actual, expected, **tolerance)


@contract("generalization")
@pytest.mark.parametrize("quantity", ["distance", "zenith"])
def test_estimated_delta_t_follows_the_published_polynomial(candidate, rng, quantity):
    # As above: a month more or less is seen, rounding is not.
    tolerance = dict(rtol=0, atol=1e-9) if quantity == "zenith" else dict(rtol=1e-12)
    for year in rng.integers(2006, 2049, 4).tolist():
        # First and last nine hours of an April or an October, when the distance changes fastest.
        month = int(rng.choice([4, 10]))
        first = np.datetime64(f"{year}-{month:02d}-01T00:00:00", "s").astype(np.int64)
        last = np.datetime64(f"{year}-{month + 1:02d}-01T00:00:00", "s").astype(np.int64)
        seconds = np.concatenate([first + 600 * np.arange(54), last - 600 * np.arange(1, 55)])
        t = year + (month - 0.5) / 12 - 2000
        delta_t = 62.92 + 0.32217 * t + 0.005589 * t**2
        expected = candidate(with_delta_t, seconds, "UTC", delta_t, quantity)
        assert np.isfinite(expected).all()
        for zone in ("Asia/Tokyo", "Pacific/Honolulu"):
            actual = candidate(with_delta_t, seconds, zone, None, quantity)
            np.testing.assert_allclose(actual, expected, **tolerance)
