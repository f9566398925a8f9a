"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

# 24 hours from 2022-03-14 00:00 UTC, as seconds since 1970-01-01 00:00 UTC.
SECONDS = 1647216000 + 3600 * np.arange(24)


@probe
def extraterrestrial(seconds, zone):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return pvlib.irradiance.get_extra_radiation(times).to_numpy()


@probe
def clear_sky(seconds, zone):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    place = pvlib.location.Location(-27.47, 153.03, tz="Australia/Brisbane", altitude=30)
    return place.get_clearsky(times, linke_turbidity=3.5)["ghi"].to_numpy()


@probe
def by_day_number(day):
    import pvlib

    return float(pvlib.irradiance.get_extra_radiation(day))


@contract("coverage")
def test_extraterrestrial_irradiance_in_brisbane(candidate):
    expected = candidate(extraterrestrial, SECONDS, "UTC")
    actual = candidate(extraterrestrial, SECONDS, "Australia/Brisbane")
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


@contract("coverage")
def test_clear_sky_irradiance_in_brisbane(candidate):
    expected = candidate(clear_sky, SECONDS, "UTC")
    actual = candidate(clear_sky, SECONDS, "Australia/Brisbane")
    assert expected.max() > 500
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-9)


@contract("regression")
def test_a_day_number_is_used_as_it_is(candidate):
    # 14 March 2022 is day 73.
    series = candidate(extraterrestrial, SECONDS, "UTC")
    np.testing.assert_allclose(series, candidate(by_day_number, 73), rtol=1e-12)
