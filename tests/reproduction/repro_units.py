"""Family 7: units, conventions and axes."""

from __future__ import annotations

import math

from repro_parsing import FINE
from repro_registry import elsewhere, infra, invalid, twin
from repro_world import World

from referee.record.fault import Infrastructure


def times(w: World, case: str, column: str, factor: float) -> None:
    data = w.data(case)
    value = data[column]
    scaled = [x * factor for x in value] if isinstance(value, list) else value * factor
    w.put(case, {**data, column: scaled})


def stating(w: World, case: str, **units: str) -> None:
    key = "slab" if case in ("thin", "thick") else "graded"
    w.entry(case, key, units={**w.entry(case, key)["units"], **units})


@twin("wavelengths in nm that say so", "frozen")
def nanometres(w: World) -> None:
    times(w, "fine", "wavelength", 1000)
    times(w, "coarse", "wavelength", 1000)
    stating(w, "fine", wavelength="nm")
    stating(w, "coarse", wavelength="nm")


@invalid(7, "nm that say um", "frozen", code="code", keeps=FINE, twin=nanometres)
def assumed(w: World) -> None:
    times(w, "fine", "wavelength", 1000)
    times(w, "coarse", "wavelength", 1000)


for (name, words), unit in {
    ("no unit", "with its unit"): None,
    ("a unit of another dimension", "measures frequency"): "THz",
    ("a unit that nobody knows", "is not one of the units"): "furlong",
    ("no number as a unit", "measures number"): "1",
}.items():

    @invalid(
        7,
        f"wavelengths with {name}",
        "frozen",
        code="no_evidence",
        keeps=FINE,
        twin=nanometres,
        says=words,
    )
    def other_unit(w: World, unit: str | None = unit) -> None:
        units = w.entry("fine", "graded")["units"]
        changed = {**units, "wavelength": unit}
        w.entry("fine", "graded", units={k: v for k, v in changed.items() if v is not None})


@twin("powers in percent that say so", "frozen")
def percent(w: World) -> None:
    times(w, "thick", "power", 100)
    stating(w, "thick", power="%")


@invalid(7, "percent that say 1", "frozen", code="code", keeps="all but C1", twin=percent)
def assumed_percent(w: World) -> None:
    times(w, "thick", "power", 100)


@invalid(7, "a fraction that says %", "frozen", code="code", keeps="all but C1", twin=percent)
def said_percent(w: World) -> None:
    stating(w, "thick", power="%")


@invalid(7, "amplitudes of the other sign of time", "frozen", code="code", keeps="all but C2")
def conjugated(w: World) -> None:
    data = w.data("thin")
    other = [{"real": x["real"], "imag": -x["imag"]} for x in data["amplitude"]]
    w.put("thin", {**data, "amplitude": other})


@invalid(7, "wavelengths over 2 pi", "frozen", code="code", keeps=FINE)
def angular(w: World) -> None:
    times(w, "fine", "wavelength", 1 / (2 * math.pi))
    times(w, "coarse", "wavelength", 1 / (2 * math.pi))


@invalid(7, "half of a column in nm", "frozen", code="code", keeps=FINE, twin=nanometres)
def spliced(w: World) -> None:
    data = w.data("fine")
    waves = [x * 1000 if i < 5 else x for i, x in enumerate(data["wavelength"])]
    w.put("fine", {**data, "wavelength": waves})


@invalid(7, "cases that change places at one wavelength", "frozen", code="code", keeps="all but C1")
def changed_places(w: World) -> None:
    thin, thick = w.data("thin"), w.data("thick")
    thin["power"][1], thick["power"][1] = thick["power"][1], thin["power"][1]
    w.put("thin", thin)
    w.put("thick", thick)


@infra(7, "no library of units is installed", "frozen", code="no_units", keeps="all but C3 C4")
def no_units(w: World) -> None:
    nanometres(w)

    def absent(*_: object) -> None:
        raise Infrastructure("no_units", "install referee[reproduction]")

    w.patch.setattr("referee.evidence.units._ratio", absent)


elsewhere(
    7, "a quote of a unit must stand in the candidate's text",
    "evidence/test_evidence_measure.py::test_a_quote_must_stand_in_the_candidates_text",
)  # fmt: skip
elsewhere(
    7, "every pair of units across dimensions",
    "evidence/test_evidence_measure.py::test_nothing_is_converted_across_dimensions_or_from_unknown_units",
)  # fmt: skip
