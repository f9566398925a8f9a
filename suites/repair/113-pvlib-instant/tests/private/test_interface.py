# referee-canary 113 f357072c-de26-4c9b-ad62-c0d8fe5050db
"""What callers rely on: their own labels, the kinds of input, and all that was right before."""

import datetime

import numpy as np
import pytest

from referee.wall import contract, probe


@probe
def labels(seconds, zone, quantity):
    import numpy as np
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    place = pvlib.location.Location(12.0, 77.0, altitude=900)
    ones = np.ones(len(times))
    if quantity == "spencer":
        result = pvlib.irradiance.get_extra_radiation(times)
    elif quantity == "nrel":
        result = pvlib.irradiance.get_extra_radiation(times, method="nrel", delta_t=None)
    elif quantity == "distance":
        result = pvlib.solarposition.nrel_earthsun_distance(times)
    elif quantity == "position":
        result = place.get_solarposition(times, delta_t=None)
    elif quantity == "daily-turbidity":
        result = pvlib.clearsky.lookup_linke_turbidity(times, 12.0, 77.0)
    elif quantity == "monthly-turbidity":
        result = pvlib.clearsky.lookup_linke_turbidity(times, 12.0, 77.0, interp_turbidity=False)
    elif quantity == "clear-sky":
        result = place.get_clearsky(times)
    else:
        result = getattr(pvlib.irradiance, quantity)(500 * ones, 40 * ones, times)
    return {
        "type": type(result).__name__,
        "labels": [time.isoformat() for time in result.index],
        "zone": str(result.index.tz),
        "values": np.asarray(result, dtype=float).reshape(len(times), -1),
    }


@probe
def without_zone(clock, kind, quantity):
    import datetime

    import numpy as np
    import pandas as pd
    import pvlib

    if kind == "index":
        time = pd.DatetimeIndex(clock)
    elif kind == "pandas":
        time = pd.Timestamp(clock[0])
    elif kind == "numpy":
        time = np.datetime64(clock[0])
    elif kind == "date":
        time = datetime.date.fromisoformat(clock[0][:10])
    else:
        time = datetime.datetime.fromisoformat(clock[0])
    if quantity == "turbidity":
        result = pvlib.clearsky.lookup_linke_turbidity(time, 28.6, 77.2)
    elif quantity == "distance":
        result = pvlib.solarposition.nrel_earthsun_distance(time, delta_t=None)
    else:
        result = pvlib.irradiance.get_extra_radiation(time, method=quantity)
    named = str(result.index.tz) if hasattr(result, "index") else None
    return {"zone": named, "values": np.atleast_1d(np.asarray(result, dtype=float))}


@probe
def by_day_number(numbers, form, method):
    import numpy as np
    import pvlib

    if form == "integer":
        numbers = int(numbers[0])
    elif form == "float":
        numbers = float(numbers[0])
    result = pvlib.irradiance.get_extra_radiation(numbers, method=method)
    return {"scalar": bool(np.isscalar(result)), "values": np.atleast_1d(np.asarray(result))}


@probe
def scalar_type(zone_seconds, kind):
    import datetime

    import numpy as np
    import pandas as pd
    import pvlib

    zone = datetime.timezone(datetime.timedelta(seconds=zone_seconds))
    time = datetime.datetime(2022, 10, 4, 1, 30, tzinfo=zone)
    if kind == "pandas":
        time = pd.Timestamp(time)
    result = pvlib.irradiance.get_extra_radiation(time)
    return {"scalar": bool(np.isscalar(result)), "value": float(result)}


@probe
def angle_of_the_hour(seconds, zone, longitude, equation):
    import numpy as np
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return np.asarray(pvlib.solarposition.hour_angle(times, longitude, equation), dtype=float)


@probe
def geometric_noon(seconds, zone, latitude, longitude, declination, equation):
    import numpy as np
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    result = pvlib.solarposition.sun_rise_set_transit_geometric(
        times, latitude, longitude, declination, equation
    )
    return [np.asarray(part.asi8, dtype=np.int64) / 1e9 for part in result]


@contract("exploration")
@pytest.mark.parametrize(
    ("quantity", "kind"),
    [
        ("spencer", "Series"),
        ("nrel", "Series"),
        ("distance", "Series"),
        ("position", "DataFrame"),
        ("daily-turbidity", "Series"),
        ("monthly-turbidity", "Series"),
        ("clear-sky", "DataFrame"),
        ("erbs", "DataFrame"),
        ("disc", "DataFrame"),
    ],
)
def test_callers_keep_their_own_labels(candidate, rng, quantity, kind):
    # In disorder and with repeats, across the turn of a year.
    start = np.datetime64("2023-12-31T00:00:00", "s").astype(np.int64)
    seconds = start + 900 * rng.integers(0, 192, 60)
    kolkata = datetime.timezone(datetime.timedelta(seconds=19800))
    here = candidate(labels, seconds, "Asia/Kolkata", quantity)
    there = candidate(labels, seconds, "UTC", quantity)
    assert here["type"] == there["type"] == kind
    assert (here["zone"], there["zone"]) == ("Asia/Kolkata", "UTC")
    moments = [datetime.datetime.fromtimestamp(s, kolkata).isoformat() for s in seconds.tolist()]
    assert here["labels"] == moments
    assert np.isfinite(there["values"]).all()
    assert np.ptp(there["values"], axis=0).max() > 0
    # The same moments, so the same values (rounding only).
    np.testing.assert_allclose(here["values"], there["values"], rtol=1e-12, atol=1e-9)


@contract("exploration")
@pytest.mark.parametrize("kind", ["pandas", "standard-library"])
def test_one_time_gives_one_number(candidate, sun, kind):
    # 01:30 at +09:00 on 4 October is still 3 October in UTC, day 276.
    answer = candidate(scalar_type, 32400, kind)
    assert answer["scalar"]
    np.testing.assert_allclose(answer["value"], sun.SOLAR_CONSTANT * sun.variation(276), rtol=1e-12)


@contract("regression")
@pytest.mark.parametrize("form", ["integer", "float", "array"])
def test_day_numbers_are_used_as_they_are(candidate, sun, rng, form):
    numbers = rng.integers(1, 367, 50)
    if form != "array":
        numbers = numbers[:1]
    for method in ("spencer", "asce"):
        answer = candidate(by_day_number, numbers, form, method)
        assert answer["scalar"] == (form != "array")
        expected = sun.SOLAR_CONSTANT * sun.variation(numbers, method)
        np.testing.assert_allclose(answer["values"], expected, rtol=1e-12)


@contract("regression")
@pytest.mark.parametrize("kind", ["index", "pandas", "numpy", "date", "standard-library"])
def test_times_without_a_zone_are_read_as_utc(candidate, sun, rng, kind):
    seconds = sun.any_moments(rng, 40)
    clock = [str(s.astype("datetime64[s]")) for s in seconds]
    expected = sun.sunlight(seconds)[: None if kind == "index" else 1]
    answer = candidate(without_zone, clock, kind, "spencer")
    assert answer["zone"] == ("None" if kind == "index" else None)
    np.testing.assert_allclose(answer["values"], expected, rtol=1e-12)


@contract("regression")
@pytest.mark.parametrize("quantity", ["turbidity", "distance"])
def test_other_results_for_times_without_a_zone(candidate, sun, rng, quantity):
    seconds = sun.any_moments(rng, 60)
    clock = [str(s.astype("datetime64[s]")) for s in seconds]
    answer = candidate(without_zone, clock, "index", quantity)
    assert answer["zone"] == "None"
    marked = candidate(without_zone, [f"{c}+00:00" for c in clock], "index", quantity)
    assert marked["zone"] == "UTC"
    assert np.isfinite(marked["values"]).all()
    np.testing.assert_allclose(answer["values"], marked["values"], rtol=1e-12)


@contract("regression")
@pytest.mark.parametrize("method", ["spencer", "asce"])
def test_results_in_utc_are_unchanged(candidate, sun, rng, method):
    seconds = sun.any_moments(rng, 500)
    np.testing.assert_allclose(
        candidate(sun.extraterrestrial, seconds, "UTC", method),
        sun.sunlight(seconds, method),
        rtol=1e-12,
    )


@contract("regression")
def test_hour_angle_of_a_moment(candidate, sun, rng):
    seconds = sun.any_moments(rng, 200)
    longitude, equation = float(rng.uniform(-180, 180)), float(rng.uniform(-15, 15))
    expected = 15 * (seconds % 86400 / 3600 - 12) + longitude + equation / 4
    # Zones whose clocks never changed in these years.
    for zone in ("UTC", "Asia/Kolkata", "Asia/Dubai"):
        actual = candidate(angle_of_the_hour, seconds, zone, longitude, equation)
        # An angle: whole turns do not count. Rounding of hours times 15.
        turned = (actual - expected + 180) % 360 - 180
        np.testing.assert_allclose(turned, 0, atol=1e-8)


@contract("regression")
def test_geometric_day_is_the_day_of_the_label(candidate, sun, rng):
    # Sunrise, sunset and noon of the local date: a repair of moments must not move them.
    seconds = sun.any_moments(rng, 100)
    offset, longitude, latitude = 19800, 77.2, 28.6
    declination, equation = float(rng.uniform(-0.4, 0.4)), float(rng.uniform(-15, 15))
    midnight = (seconds + offset) // 86400 * 86400 - offset
    noon = midnight + offset + 3600 * (12 - longitude / 15 - equation / 60)
    half = np.arccos(-np.tan(declination) * np.tan(np.radians(latitude)))
    half = np.degrees(half) / 15 * 3600
    actual = candidate(
        geometric_noon, seconds, "Asia/Kolkata", latitude, longitude, declination, equation
    )
    for got, expected in zip(actual, (noon - half, noon + half, noon), strict=True):
        # Times are kept in nanoseconds and read here as floats: far below a millisecond.
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-3)
