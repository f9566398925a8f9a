"""The evaluator's own slabs: Airy's sum, and the wave equation through the graded one."""

from functools import lru_cache

import numpy as np

from referee.evidence.measure import Operation, Quantity

INDEX, FRONT, BACK = 2.0, 1.5, 2.0
_WAVES, _POWER = Quantity(unit="um", ndim=1), Quantity(unit="1", ndim=1)
_AXIS = np.array([1.0, 1.1, 1.3, 1.6, 2.0, 2.5])

OPERATIONS = {
    "power_error": Operation(
        quantities={
            "wavelength": _WAVES,
            "power": _POWER,
            "thickness": Quantity(unit="um", ndim=0),
        }
    ),
    "amplitude_error": Operation(
        quantities={
            "wavelength": _WAVES,
            "amplitude": Quantity(unit="1", ndim=1, complex_allowed=True),
        },
        context=("thickness",),
    ),
    "refinement": Operation(
        quantities={
            "coarse_wavelength": _WAVES,
            "coarse_power": _POWER,
            "fine_wavelength": _WAVES,
            "fine_power": _POWER,
        }
    ),
    "band_mean": Operation(
        quantities={
            "wavelength": _WAVES,
            "power": _POWER,
            "mean": Quantity(unit="1", ndim=0),
        }
    ),
    "axis": Operation(quantities={"wavelength": _WAVES}),
}


def derive(operation, quantities, context):
    """Differences between the submitted numbers and the evaluator's, at the submitted points."""
    if operation == "axis":
        waves = quantities["wavelength"]
        return {"offset": float(np.abs(_aligned(np.sort(waves), _AXIS) - _AXIS).max())}
    if operation == "power_error":
        waves, power = quantities["wavelength"], quantities["power"]
        thickness = float(quantities["thickness"])
        exact = np.abs(_airy(waves, thickness)) ** 2
        return {
            "error": float(np.abs(_aligned(power, exact) - exact).max()),
            "count": int(waves.size),
            "offset": float(np.abs(_aligned(np.sort(waves), _AXIS) - _AXIS).max()),
            "thickness": thickness,
        }
    if operation == "amplitude_error":
        exact = _airy(quantities["wavelength"], context["thickness"])
        error = np.abs(_aligned(quantities["amplitude"], exact) - exact).max()
        return {"error": float(error), "count": int(exact.size)}
    if operation == "refinement":
        return _refinement(**quantities)
    waves, power = quantities["wavelength"], quantities["power"]
    order = np.argsort(waves)
    x, y = waves[order], _aligned(power, waves)[order]
    mean = np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) / np.ptp(x)
    return {"difference": float(abs(quantities["mean"] - mean)), "mean": float(mean)}


def _refinement(coarse_wavelength, coarse_power, fine_wavelength, fine_power):
    coarse = np.abs(_aligned(coarse_power, coarse_wavelength) - _through(coarse_wavelength))
    fine = np.abs(_aligned(fine_power, fine_wavelength) - _through(fine_wavelength))
    shared = np.isin(fine_wavelength, coarse_wavelength)
    return {
        "error": float(fine.max()),
        "ratio": float(coarse.max() / fine[shared].max()),
        "shared": int(shared.sum()),
        "new": int((~shared).sum()),
    }


def _aligned(values, like):
    if values.shape != like.shape:
        raise ValueError(f"{values.size} values at {like.size} points")
    return values


def _airy(waves, thickness):
    phase = np.exp(2j * np.pi * INDEX * thickness / waves)
    inward, outward = 2 / (1 + INDEX), 2 * INDEX / (1 + INDEX)
    reflected = (INDEX - 1) / (INDEX + 1)
    return inward * outward * phase / (1 - (reflected * phase) ** 2)


def _through(waves):
    return np.array(_graded(tuple(waves.tolist())))


@lru_cache(maxsize=64)
def _graded(waves):
    """Power through the graded slab: E'' = -(k n)^2 E from the back face, by Runge and Kutta."""
    k = 2 * np.pi / np.array(waves)
    steps = 200
    h = -1.0 / steps

    def slope(z, field):
        n = FRONT + (BACK - FRONT) * z
        return np.array([field[1], -((k * n) ** 2) * field[0]])

    z, field = 1.0, np.array([np.ones_like(k) + 0j, 1j * k])
    for _ in range(steps):
        a = slope(z, field)
        b = slope(z + h / 2, field + h / 2 * a)
        c = slope(z + h / 2, field + h / 2 * b)
        d = slope(z + h, field + h * c)
        z, field = z + h, field + h / 6 * (a + 2 * b + 2 * c + d)
    incident = (field[0] + field[1] / (1j * k)) / 2
    return tuple((1 / np.abs(incident) ** 2).tolist())
