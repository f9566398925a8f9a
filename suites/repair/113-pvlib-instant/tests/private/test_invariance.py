# referee-canary 113 6cba4973-12e4-444a-9b27-82ab0719de7e
"""The case of the report, and moments drawn at random: the zone of a label never moves a value."""

import numpy as np
import pytest

from referee.wall import contract, probe

# Far east and west, half and quarter hours, both hemispheres; numbers are offsets in seconds.
ZONES = [
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Pacific/Auckland",
    "America/Vancouver",
    -34200,
    45900,
]

# Both sides do the same arithmetic on the same day number, so only rounding may differ.
EXACT = dict(rtol=1e-12, atol=1e-9)


@probe
def tilted_plane(seconds, zone, zenith, azimuth, dni, ghi, dhi, extra, model):
    import datetime

    import pandas as pd
    import pvlib

    if isinstance(zone, int):
        zone = datetime.timezone(datetime.timedelta(seconds=zone))
    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)

    def series(values):
        return None if values is None else pd.Series(values, index=times)

    array = pvlib.pvsystem.Array(pvlib.pvsystem.FixedMount(35, 160))
    plane = array.get_irradiance(
        series(zenith),
        series(azimuth),
        series(dni),
        series(ghi),
        series(dhi),
        dni_extra=series(extra),
        model=model,
    )
    return plane["poa_global"].to_numpy()


def hours(start, count):
    """Seconds since 1970 of `count` hours from an ISO time in UTC."""
    return np.datetime64(start, "s").astype(np.int64) + 3600 * np.arange(count)


@contract("coverage")
@pytest.mark.parametrize("method", ["spencer", "asce"])
def test_extraterrestrial_irradiance_around_the_equinox(candidate, sun, method):
    seconds = hours("2021-09-21T00:00:00", 72)
    expected = candidate(sun.extraterrestrial, seconds, "UTC", method)
    assert np.ptp(expected) > 0.5
    for zone in ("Australia/Brisbane", "America/Bogota", "Asia/Tokyo", "Pacific/Honolulu"):
        actual = candidate(sun.extraterrestrial, seconds, zone, method)
        np.testing.assert_allclose(actual, expected, **EXACT)


@contract("coverage")
@pytest.mark.parametrize(
    ("model", "options"),
    [("ineichen", {"linke_turbidity": 3.1}), ("ineichen", {}), ("simplified_solis", {})],
    ids=["ineichen", "ineichen-with-climatology", "solis"],
)
def test_clear_sky_around_the_equinox(candidate, sun, model, options):
    seconds = hours("2021-09-20T00:00:00", 72)
    # Hilo: the sun is up across UTC midnight, so a wrong day number is seen in daylight.
    site = ((19.7, -155.1, 120), model, options)
    expected = candidate(sun.clear_sky, seconds, "UTC", *site)
    assert all(np.isfinite(values).all() for values in expected.values())
    assert expected["ghi"].max() > 700
    for zone in ("Pacific/Honolulu", "Pacific/Auckland", "Australia/Brisbane"):
        actual = candidate(sun.clear_sky, seconds, zone, *site)
        for name in ("ghi", "dni", "dhi"):
            np.testing.assert_allclose(actual[name], expected[name], **EXACT)


@contract("coverage")
@pytest.mark.parametrize("method", ["spencer", "asce", "nrel"])
def test_extraterrestrial_irradiance_of_any_moment(candidate, sun, rng, method):
    seconds = sun.any_moments(rng, 300)
    expected = candidate(sun.extraterrestrial, seconds, "UTC", method)
    assert np.ptp(expected) > 80
    for zone in ZONES:
        actual = candidate(sun.extraterrestrial, seconds, zone, method)
        np.testing.assert_allclose(actual, expected, **EXACT)


@contract("coverage")
@pytest.mark.parametrize(
    "model", ["disc", "erbs", "erbs_driesse", "boland", "orgill_hollands", "louche", "dirint"]
)
def test_split_of_global_irradiance(candidate, sun, rng, model):
    seconds = sun.any_moments(rng, 1)[0] // 3600 * 3600 + 3600 * np.arange(200 * 24)
    zenith = rng.uniform(5, 70, seconds.size)
    clearness = rng.uniform(0.3, 0.75, seconds.size)
    ghi = clearness * sun.sunlight(seconds) * np.cos(np.radians(zenith))
    expected = candidate(sun.split, seconds, "UTC", ghi, zenith, model)
    assert all(np.isfinite(values).all() for values in expected.values())
    assert expected["dni"].max() > 300
    # The same light on the ground is a brighter sky in summer than in winter.
    days = seconds[::24]
    steady = (np.full(days.size, 500.0), np.full(days.size, 40.0))
    assert np.ptp(candidate(sun.split, days, "UTC", *steady, model)["dni"]) > 1
    for zone in ("Asia/Kathmandu", "America/Bogota", 45900):
        actual = candidate(sun.split, seconds, zone, ghi, zenith, model)
        for name in expected:
            np.testing.assert_allclose(actual[name], expected[name], **EXACT)


@contract("coverage")
@pytest.mark.parametrize("model", ["haydavies", "perez"])
def test_irradiance_on_a_tilted_plane(candidate, sun, rng, model):
    seconds = sun.any_moments(rng, 300)
    size = seconds.size
    zenith, azimuth = rng.uniform(10, 65, size), rng.uniform(90, 270, size)
    dni, dhi = rng.uniform(300, 850, size), rng.uniform(60, 200, size)
    ghi = dni * np.cos(np.radians(zenith)) + dhi
    rays = (zenith, azimuth, dni, ghi, dhi)
    # The same library with the extraterrestrial irradiance worked out on this side.
    expected = candidate(tilted_plane, seconds, "UTC", *rays, sun.sunlight(seconds), model)
    assert np.isfinite(expected).all()
    assert expected.max() > 500
    for zone in ("Pacific/Auckland", "America/Vancouver"):
        actual = candidate(tilted_plane, seconds, zone, *rays, None, model)
        # dni / E enters a product of a few terms: rounding only.
        np.testing.assert_allclose(actual, expected, rtol=1e-11)
