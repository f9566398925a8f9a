# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Random stable columns over terrain, and isentropic surfaces in them, with NumPy alone."""

import numpy as np

from referee.wall import probe

KAPPA = 2 / 7
"""Of a diatomic gas, which the library takes dry air for."""

DIMS = ("time", "lev", "y", "x")

# The solver's own last place is 1e-13; the library's iteration stops below 1e-6 in ln p, and
# converges so fast that 1e-8 of the pressure is what it reaches.
PRESSURE_HPA = 2e-5
TEMPERATURE_K = 2e-6


@probe
def isentropic(job):
    """Pressure, temperature and extras under the labels of `levels`, axes level, time, y, x."""
    import warnings

    import numpy as np
    import xarray as xr

    import metpy.calc as mpcalc
    from metpy.units import units

    warnings.simplefilter("ignore")
    arrays = {}
    for name, field in job["fields"].items():
        arrays[name] = xr.DataArray(
            field["values"], dims=field["dims"], attrs={"units": field["units"]}, name=name
        )
    coords = {"lev": ("lev", job["lev"], {"axis": "Z", **job["lev_attrs"]})}
    if job.get("time"):
        coords["time"] = np.arange(job["time"])
    auxiliary = {name: arrays[name] for name in job.get("auxiliary", [])}
    data = [arrays[name].assign_coords({**coords, **auxiliary}) for name in job["data"]]
    options = dict(job.get("options", {}))
    if job.get("pressure"):
        pressure = arrays[job["pressure"]]
        if job.get("pressure_coords", True):
            pressure = pressure.assign_coords(
                {n: c for n, c in coords.items() if n in pressure.dims}
            )
        options["pressure"] = pressure
    levels = units.Quantity(np.asarray(job["levels"], dtype=float), job.get("level_units", "K"))
    result = mpcalc.isentropic_interpolation_as_dataset(levels, *data, **options)

    answer = {"dims": {}, "left": sorted({d for v in result.variables.values() for d in v.dims})}
    answer["coords"] = sorted(str(name) for name in result.coords)
    answer["attrs"] = {
        str(n): {k: str(x) for k, x in v.attrs.items()} for n, v in result.variables.items()
    }
    labels = list(result["isentropic_level"].values)
    places = [int(np.argmin(np.abs(np.array(labels) - level))) for level in levels.m]
    answer["labels"] = [float(labels[place]) for place in places]
    order = [d for d in ("isentropic_level", "time", "y", "x") if d in result["pressure"].dims]
    for name, unit in (("pressure", "hPa"), ("temperature", "K"), *job.get("out", {}).items()):
        field = result[name]
        answer["dims"][name] = [str(d) for d in field.dims]
        field = field.metpy.convert_units(unit).metpy.dequantify()
        answer[name] = field.transpose(*order).isel(isentropic_level=places).values
    return answer


def theta(p, t):
    """Potential temperature (K) from pressure (hPa) and temperature (K)."""
    return t * (1000.0 / p) ** KAPPA


def terrain(rng, nt, ny, nx):
    """Surface pressure, hPa, for each time, row and column."""
    return 1010.0 - rng.uniform(0, 250, size=(1, ny, nx)) - rng.uniform(0, 30, size=(nt, ny, nx))


def sigma_pressure(rng, nt=2, nz=14, ny=3, nx=4, top=25.0):
    """Sigma values and pressure on sigma levels, hPa."""
    sigma = np.sort(rng.uniform(0.1, 0.97, size=nz))[::-1]
    sigma[0], sigma[-1] = 0.995, 0.07
    ground = terrain(rng, nt, ny, nx)
    return sigma, top + sigma[None, :, None, None] * (ground[:, None] - top)


def stable(rng, p):
    """Temperature (K) such that theta grows with height in each column, 280 to 300 K at the ground."""
    nt, nz, ny, nx = p.shape
    steps = rng.uniform(1.0, 6.0, size=p.shape)
    steps[:, 0] = rng.uniform(280.0, 300.0, size=(nt, ny, nx))
    rising = np.cumsum(steps, axis=1)
    # `p` falls along the vertical
    return rising * (p / 1000.0) ** KAPPA


def exact(rng, shape):
    """A and B of T = A + B ln(p / 1000 hPa) for columns of `shape`, stable up to 70 hPa.

    Theta is below 316 K on the highest ground (725 hPa) and above 345 K at 95 hPa.
    """
    return rng.uniform(286.0, 298.0, size=shape), rng.uniform(35.0, 45.0, size=shape)


def surfaces(levels, p, t, extra):
    """The three quantities with axes level, time, y, x, from fields with time, lev, y, x.

    Every column by itself, its levels from the ground up: the first pair of them that has the
    surface in between, and there a bisection in ln p, with temperature linear in ln p.
    """
    p, t, extra = np.broadcast_arrays(p, t, extra)
    order = np.argsort(-p, axis=1)
    p, t, extra = (np.take_along_axis(v, order, axis=1) for v in (p, t, extra))
    th = theta(p, t)
    out = np.full((3, len(levels), *p[:, 0].shape), np.nan)
    for i, wanted in enumerate(levels):
        between = (th[:, :-1] <= wanted) & (th[:, 1:] > wanted)
        found, first = between.any(axis=1), between.argmax(axis=1)[:, None]
        low, high, cold, warm, e0, e1, th0, th1 = (
            np.take_along_axis(v, first + k, axis=1)[:, 0][found]
            for v in (np.log(p), t, extra, th)
            for k in (0, 1)
        )
        slope = (warm - cold) / (high - low)
        a, b = low, high
        for _ in range(60):
            middle = 0.5 * (a + b)
            under = theta(np.exp(middle), cold + slope * (middle - low)) <= wanted
            a, b = np.where(under, middle, a), np.where(under, b, middle)
        out[0, i, found] = np.exp(0.5 * (a + b))
        out[1, i, found] = wanted * (out[0, i, found] / 1000.0) ** KAPPA
        out[2, i, found] = e0 + (wanted - th0) / (th1 - th0) * (e1 - e0)
    return out


def levels_within(rng, p, t, count=4):
    """Surfaces in rising order that each lie within some column of every row and of every file of
    columns, so that they lie within any plane that is cut out, too."""
    th = theta(p, t)
    lowest = max(th.min(axis=(1, 2)).max(), th.min(axis=(1, 3)).max())
    return np.sort(rng.uniform(lowest + 1, th.max(axis=1).min() - 2, size=count))


def field(values, units, dims=("time", "lev", "y", "x")):
    return {"values": values, "units": units, "dims": list(dims)}


def assert_same(answer, expected, extra=None):
    names = ["pressure", "temperature"] + ([extra] if extra else [])
    limits = [PRESSURE_HPA, TEMPERATURE_K, 1e-9]
    for name, want, limit in zip(names, expected, limits, strict=False):
        got = answer[name]
        assert got.shape == want.shape, (name, got.shape, want.shape)
        assert np.array_equal(np.isnan(got), np.isnan(want)), name
        error = np.abs(got - want)[np.isfinite(want)].max()
        ok = error <= limit
        assert ok, (name, error)


def sigma_job(rng, **shape):
    sigma, p = sigma_pressure(rng, **shape)
    t = stable(rng, p)
    q = rng.uniform(0.1, 12.0, size=p.shape)
    job = {
        "fields": {"T": field(t, "K"), "q": field(q, "g/kg"), "p": field(p, "hPa")},
        "data": ["T", "q"],
        "pressure": "p",
        "lev": sigma,
        "lev_attrs": {"units": "1", "standard_name": "atmosphere_sigma_coordinate"},
        "levels": levels_within(rng, p, t),
        "out": {"q": "g/kg"},
    }
    return job, p, t, q
