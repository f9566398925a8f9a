"""Units: a closed table of what is allowed, and pint for the arithmetic (extra `reproduction`).

A conversion stays in one dimension of the table, which keeps apart what a computer algebra of units
would let through: an angle is no plain number, and a surface tension no energy per area. Nothing is
inferred: no unit, no phase, no normalisation.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from referee.evidence.arrays import Numbers
from referee.record.fault import Infrastructure


class UnitError(ValueError):
    """A unit that is not in the table, or two that measure different things."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An allowed unit: what it measures, its name in pint, and the words by which a text names
    it beside its symbol."""

    dimension: str
    pint: str
    words: tuple[str, ...] = ()


UNITS: Mapping[str, Unit] = {
    "m": Unit("length", "meter", ("metre", "metres", "meter", "meters")),
    "mm": Unit("length", "millimeter", ("millimetres", "millimeters", "millimetre", "millimeter")),
    "um": Unit(
        "length",
        "micrometer",
        ("µm", "μm", "micron", "microns", "micrometre", "micrometres", "micrometer", "micrometers"),
    ),
    "nm": Unit("length", "nanometer", ("nanometre", "nanometres", "nanometer", "nanometers")),
    "Å": Unit("length", "angstrom", ("Å", "Angstrom", "angstrom", "ångström", "Ang")),
    "1/um": Unit("wavenumber", "1/micrometer", ("1/µm", "1/μm", "um^-1", "µm^-1", "μm^-1")),
    "Hz": Unit("frequency", "hertz", ("hertz",)),
    "GHz": Unit("frequency", "gigahertz", ("gigahertz",)),
    "THz": Unit("frequency", "terahertz", ("terahertz",)),
    "s": Unit("time", "second", ("second", "seconds")),
    "ps": Unit("time", "picosecond", ("picosecond", "picoseconds")),
    "fs": Unit("time", "femtosecond", ("femtosecond", "femtoseconds")),
    "rad": Unit("angle", "radian", ("radian", "radians")),
    "deg": Unit("angle", "degree", ("degree", "degrees", "°")),
    "1": Unit(
        "number",
        "dimensionless",
        ("dimensionless", "fraction", "ratio", "unitless", "normalised", "normalized"),
    ),
    "%": Unit("number", "percent", ("percent", "per cent")),
    "W": Unit("power", "watt", ("watt", "watts")),
    "mW": Unit("power", "milliwatt", ("milliwatt", "milliwatts")),
    "eV": Unit("energy", "electron_volt", ("electronvolt", "electronvolts", "electron volts")),
    "meV": Unit("energy", "millielectron_volt", ("millielectronvolt", "millielectronvolts")),
    "Ha": Unit("energy", "hartree", ("hartree", "Hartree")),
    "Ry": Unit("energy", "rydberg", ("rydberg", "Rydberg")),
    "GPa": Unit("pressure", "gigapascal", ("gigapascal", "gigapascals")),
    "kbar": Unit("pressure", "kilobar", ("kilobar", "kilobars")),
    "N/m": Unit("force per length", "newton/meter", ("newton per metre", "newton per meter")),
    "amu": Unit("mass", "unified_atomic_mass_unit", ("Da", "dalton", "atomic mass unit")),
    "K": Unit("temperature", "kelvin", ("kelvin", "Kelvin")),
}
_ALIASES = {
    "\N{MICRO SIGN}m": "um",
    "\N{GREEK SMALL LETTER MU}m": "um",
    "\N{ANGSTROM SIGN}": "Å",
    "1/\N{MICRO SIGN}m": "1/um",
    "1/\N{GREEK SMALL LETTER MU}m": "1/um",
}
_NOT_BEFORE = r"(?<![^\W\d_])(?<!1/)(?<!N/)(?<!W/)(?<!eV/)"
_NOT_AFTER = r"(?![^\W_])(?!\s*(/|\^|\*\*|⁻|²))"


def unit_named(symbol: str) -> tuple[str, Unit]:
    """The symbol of the table and its unit.

    Raises:
        UnitError: the table does not have it.
    """
    name = _ALIASES.get(symbol, symbol)
    if name not in UNITS:
        raise UnitError(f"{symbol[:40]!r} is not one of the units {', '.join(UNITS)}")
    return name, UNITS[name]


def factor(source: str, target: str) -> float:
    """By what a number in `source` is multiplied to be in `target`.

    Raises:
        UnitError: an unknown unit, or the two do not measure the same.
        Infrastructure: `no_units`, pint is not installed.
    """
    (from_name, one), (to_name, other) = unit_named(source), unit_named(target)
    if one.dimension != other.dimension:
        raise UnitError(f"{source} measures {one.dimension}, and {target} {other.dimension}")
    return 1.0 if from_name == to_name else _ratio(one.pint, other.pint)


def convert(values: Numbers, source: str, target: str) -> Numbers:
    """An array in another unit of the same dimension, read only.

    Raises:
        UnitError: as `factor`, or a converted value is not finite.
    """
    ratio = factor(source, target)
    if ratio == 1.0:
        return values
    converted = np.empty_like(values)  # a product would turn a 0-d array into no array
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply(values, ratio, out=converted)
    if not bool(np.all(np.isfinite(converted))):
        raise UnitError(f"a value is no longer finite in {target}")
    converted.flags.writeable = False
    return converted


def names_unit(text: str, symbol: str) -> bool:
    """Whether a text names a unit, by symbol or word, on its own: `nm` is in `wavelength_nm` and in
    `lambda/nm`, and neither in `nmax` nor in `1/nm`. A plain number is named by a word only.

    Raises:
        UnitError: the table does not have the unit.
    """
    name, unit = unit_named(symbol)
    symbols = () if unit.pint == "dimensionless" else (name, symbol)
    spelled = "|".join(re.escape(word) for word in (*symbols, *unit.words))
    return re.search(f"{_NOT_BEFORE}({spelled}){_NOT_AFTER}", text) is not None


@cache
def _ratio(source: str, target: str) -> float:
    registry = _registry()
    return float(registry.Quantity(1.0, source).to(target).magnitude)


@cache
def _registry() -> Any:
    try:
        pint = importlib.import_module("pint")
    except ImportError as error:
        raise Infrastructure("no_units", f"{error}; install referee[reproduction]") from None
    return pint.UnitRegistry()
