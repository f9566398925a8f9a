# referee-canary 113 b96db8a4-4ae4-4131-9a29-d2896c766180
"""What several checks ask of the library, and the published formulas on this side.

Moments are seconds since 1970-01-01 00:00 UTC; a zone is a name, or an offset in seconds.
"""

import numpy as np

from referee.wall import probe

SOLAR_CONSTANT = 1366.1


@probe
def extraterrestrial(seconds, zone, method="spencer", constant=1366.1):
    import datetime

    import pandas as pd
    import pvlib

    if isinstance(zone, int):
        zone = datetime.timezone(datetime.timedelta(seconds=zone))
    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return pvlib.irradiance.get_extra_radiation(
        times, method=method, solar_constant=constant
    ).to_numpy()


@probe
def clear_sky(seconds, zone, place, model, options):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    latitude, longitude, altitude = place
    place = pvlib.location.Location(latitude, longitude, altitude=altitude)
    sky = place.get_clearsky(times, model=model, **options)
    return {name: sky[name].to_numpy() for name in ("ghi", "dni", "dhi")}


@probe
def split(seconds, zone, ghi, zenith, model):
    import datetime

    import numpy as np
    import pandas as pd
    import pvlib

    if isinstance(zone, int):
        zone = datetime.timezone(datetime.timedelta(seconds=zone))
    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    ghi, zenith = pd.Series(ghi, index=times), pd.Series(zenith, index=times)
    result = getattr(pvlib.irradiance, model)(ghi, zenith, times)
    if model == "dirint":
        return {"dni": np.asarray(result, dtype=float)}
    return {name: np.asarray(result[name], dtype=float) for name in ("dni", "kt")}


@probe
def distance(seconds, zone, options):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    return pvlib.solarposition.nrel_earthsun_distance(times, **options).to_numpy()


@probe
def elevation(seconds, zone, latitude, longitude, options):
    import pandas as pd
    import pvlib

    times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(zone)
    position = pvlib.solarposition.get_solarposition(times, latitude, longitude, **options)
    return position["elevation"].to_numpy()


def date_parts(seconds):
    """UTC year, month and day number."""
    days = np.asarray(seconds).astype("datetime64[s]").astype("datetime64[D]")
    years = days.astype("datetime64[Y]")
    number = (days - years.astype("datetime64[D]")).astype(np.int64) + 1
    month = (days.astype("datetime64[M]") - years.astype("datetime64[M]")).astype(np.int64) + 1
    return years.astype(np.int64) + 1970, month, number


def variation(number, method="spencer"):
    """Factor of the sunlight on a day number, by Spencer's or ASCE's formula (1)."""
    number = np.asarray(number)
    if method == "asce":
        return 1 + 0.033 * np.cos(2 * np.pi / 365 * number)
    x = 2 * np.pi / 365 * (number - 1)
    year = 1.00011 + 0.034221 * np.cos(x) + 0.00128 * np.sin(x)
    return year + 0.000719 * np.cos(2 * x) + 7.7e-5 * np.sin(2 * x)


def sunlight(seconds, method="spencer", constant=SOLAR_CONSTANT):
    """Extraterrestrial irradiance at moments, W/m2."""
    return constant * variation(date_parts(seconds)[2], method)


def any_moments(rng, count):
    """Moments anywhere from 1990 to 2037."""
    first, last = (np.datetime64(t, "s").astype(np.int64) for t in ("1990-01-01", "2038-01-01"))
    return rng.integers(first, last, count)
