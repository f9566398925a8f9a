"""Facts that the trusted checks of a task hand to the rules through the components of its measure.

| component | what it says |
| --- | --- |
| `probe.NAME` | what a probing check measured; the names are in `PROBES` |
| `probe.swapped.WHAT`, `probe.phase.WHAT` | the score with inputs swapped, a phase term changed |
| `probe.limits.WHAT` | the value at a known limit, with `expected.WHAT` and `tolerance.WHAT` |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from referee.diagnose.case import Limit, Probes

_PROBE, _EXPECTED, _TOLERANCE = "probe.", "expected.", "tolerance."
_LIMITS = "limits."

_Read = Callable[[float], Any]

PROBES: Mapping[str, tuple[str, _Read]] = {
    "conjugated": ("conjugate_loss", float),
    "constant": ("constant", lambda v: v != 0),
    "repeat_difference": ("repeat_difference", float),
    "expression_difference": ("expression_difference", float),
    "saved_bytes": ("saved_bytes", int),
    "stored_floats": ("stored_floats", int),
    "shared_samples": ("shared_samples", int),
    "native_grid": ("native_grid", lambda v: v != 0),
    "grid_step": ("grid_step", float),
    "phase_rate": ("phase_rate", float),
    "peak_time": ("peak_time", float),
    "tail_rate": ("tail_rate", float),
    "turns": ("turns", int),
    "turns_allowed": ("turns_allowed", int),
    "median_near_extremal": ("median_near_extremal", float),
    "median_elsewhere": ("median_elsewhere", float),
}
"""What comes after `probe.`, the field of `Probes` that it becomes, and how."""

FAMILIES: Mapping[str, str] = {"swapped": "convention_losses", "phase": "phase_losses"}
"""Probes with a name of their own behind: `probe.swapped.masses`."""


@dataclass(frozen=True)
class Handed:
    """The probes in a measure's components; `rest` are the other components that have a value, and
    `unread` names probes that no rule knows, or that lack a part."""

    probes: Probes
    rest: dict[str, float]
    unread: tuple[str, ...]


def probes_of(components: Mapping[str, float | None]) -> Handed:
    """Read the components of a measure. A probe without a value says nothing, but for a limit: what
    is not finite there does not meet it."""
    fields: dict[str, Any] = {}
    families: dict[str, dict[str, float]] = {field: {} for field in FAMILIES.values()}
    limits: dict[str, Limit] = {}
    rest: dict[str, float] = {}
    unread: list[str] = []
    for name, value in sorted(components.items()):
        probe = name.removeprefix(_PROBE)
        family, _, what = probe.partition(".")
        if name.startswith((_EXPECTED, _TOLERANCE)):
            if f"{_PROBE}{_LIMITS}{name.partition('.')[2]}" not in components:
                unread.append(name)
        elif probe == name:
            if value is not None:
                rest[name] = value
        elif family == _LIMITS[:-1] and what:
            if (limit := _limit(what, value, components)) is None:
                unread.append(name)
            else:
                limits[what] = limit
        elif probe in PROBES or probe in FAMILIES or (family in FAMILIES and what):
            if value is not None and isfinite(value):
                if probe in PROBES:
                    field, read = PROBES[probe]
                    fields[field] = read(value)
                else:
                    families[FAMILIES[family]][_named(family, what)] = value
        else:
            unread.append(name)
    probes = Probes.model_validate({**fields, **families, "limits": limits})
    return Handed(probes, rest, tuple(unread))


def _named(family: str, what: str) -> str:
    """`probe.swapped` alone is about the masses, `probe.phase` about the phase."""
    return what or {"swapped": "masses swapped", "phase": "phase changed"}[family]


def _limit(what: str, value: float | None, components: Mapping[str, float | None]) -> Limit | None:
    expected = components.get(f"{_EXPECTED}{what}")
    tolerance = components.get(f"{_TOLERANCE}{what}")
    if expected is None or tolerance is None or not tolerance >= 0:
        return None
    return Limit(value=value, expected=expected, tolerance=tolerance)
