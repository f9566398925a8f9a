"""Families 6 and 7: numbers as they are written, their units and conventions."""

from __future__ import annotations

import io
import json
import math
import os
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import h5py
import numpy as np
from repro_registry import Act, elsewhere, infra, invalid, twin
from repro_world import World

from referee.evidence.limits import LIMITS
from referee.record.fault import Infrastructure

THIN, FINE = "all but A2 C1 C2", "all but C3 C4"
"""What stands if the file of the thin slab, or of the fine curve, is no evidence."""

Columns = Mapping[str, Any]


def columns(w: World, case: str) -> dict[str, Any]:
    """Arrays of a case, by column."""
    data = w.data(case)
    return {
        name: np.array([complex(x["real"], x["imag"]) for x in value])
        if name == "amplitude"
        else np.asarray(value)
        for name, value in data.items()
    }


# -- containers


def as_table(of: Columns, comma: str = ",") -> bytes:
    rows = zip(*(map(repr, map(float, values)) for values in of.values()), strict=True)
    return "\n".join([comma.join(of), *(comma.join(row) for row in rows), ""]).encode()


def as_npz(of: Columns) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **of)
    return buffer.getvalue()


def as_hdf5(of: Columns) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        for name, values in of.items():
            packed = {"chunks": True, "compression": "gzip"} if values.ndim else {}
            file.create_dataset(name, data=values, **packed)
    return buffer.getvalue()


def put_arrays(w: World, case: str, data: bytes, name: str) -> None:
    """A container whose arrays have plain names."""
    w.put(case, data, name)
    key = "slab" if case in ("thin", "thick") else "graded"
    w.entry(case, key, columns={column: column for column in w.data(case)})


FORMS: dict[str, Callable[[Columns], bytes]] = {
    "csv": as_table,
    "tsv": lambda of: as_table(of, "\t"),
    "npz": as_npz,
    "hdf5": as_hdf5,
}


def contained(form: str, case: str) -> Act:
    return lambda w: put_arrays(w, case, FORMS[form](columns(w, case)), f"data.{form}")


TABLE = twin("the fine curve as CSV", "frozen")(contained("csv", "fine"))
TABS = twin("the fine curve as TSV", "frozen")(contained("tsv", "fine"))
ARCHIVE = twin("the thin slab as NPZ", "frozen")(contained("npz", "thin"))
PACKED = twin("the thin slab as HDF5 in compressed chunks", "frozen")(contained("hdf5", "thin"))


# -- 6: JSON


@twin("a column that nobody asked for, and blanks", "frozen")
def more_json(w: World) -> None:
    w.put("thin", json.dumps({**w.data("thin"), "note": "x", "more": [1, 2]}, indent=1).encode())


def in_json(old: str, new: str) -> Act:
    def change(w: World) -> None:
        text = json.dumps(w.data("thin"))
        assert old in text
        w.put("thin", text.replace(old, new, 1).encode())

    return change


for name, act in {
    "a key twice": in_json('"power"', '"power": [], "power"'),
    "NaN": in_json('"power": [', '"more": NaN, "power": ['),
    "an infinity": in_json('"power": [', '"more": Infinity, "power": ['),
    "a number beyond all floats": in_json('"power": [', '"more": 1e999, "power": ['),
    "brackets in brackets": in_json('"power": [', f'"more": {"[" * 9000}{"]" * 9000}, "power": ['),
    "half a file": lambda w: w.put("thin", json.dumps(w.data("thin")).encode()[:-20]),
    "bytes that are no text": lambda w: w.put("thin", b'{"wavelength": "\xff\xfe"}'),
}.items():
    invalid(6, f"JSON with {name}", "frozen", code="no_evidence", keeps=THIN, twin=more_json)(act)


# -- 6: tables


@twin("CSV with a byte order mark", "frozen")
def marked_table(w: World) -> None:
    put_arrays(w, "fine", b"\xef\xbb\xbf" + as_table(columns(w, "fine")), "fine.csv")


def in_table(change: Callable[[str], str]) -> Act:
    def act(w: World) -> None:
        text = as_table(columns(w, "fine")).decode()
        assert change(text) != text
        put_arrays(w, "fine", change(text).encode(), "fine.csv")

    return act


def last_cell(new: str) -> Callable[[str], str]:
    return lambda text: text.rstrip("\n").rpartition(",")[0] + f",{new}\n"


for name, change in {
    "a row of another width": last_cell("1.0,1.0"),
    "a blank cell": last_cell(""),
    "a cell that is no number": last_cell("none"),
    "NaN": last_cell("nan"),
    "a thousands separator": last_cell("1'000.0"),
    "decimal commas": lambda text: text.replace(",", ";").replace(".", ","),
    "a column twice": lambda text: text.replace("wavelength", "power", 1),
    "a column without a name": lambda text: text.replace("power", "", 1),
    "no header": lambda text: text.partition("\n")[2],
    "a byte order mark alone": lambda text: "\ufeff",
}.items():
    invalid(
        6, f"CSV with {name}", "frozen", code="no_evidence", keeps=FINE,
        twin=marked_table if "mark" in name else TABS if "separator" in name else TABLE,
    )(in_table(change))  # fmt: skip


# -- 6: NPZ and HDF5


class Payload:
    """What a pickle would run: it would end the tests."""

    def __reduce__(self) -> tuple[Callable[[int], None], tuple[int]]:
        return os._exit, (3,)


def npy(values: Any, **more: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values, **more)
    return buffer.getvalue()


def in_archive(edit: Callable[[dict[str, bytes]], list[tuple[str, bytes]]]) -> Act:
    """The thin slab as NPZ, whose members are edited."""

    def act(w: World) -> None:
        members = {f"{name}.npy": npy(values) for name, values in columns(w, "thin").items()}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in edit(members):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # zipfile itself warns of a doubled name
                    archive.writestr(name, data)
        put_arrays(w, "thin", buffer.getvalue(), "thin.npz")

    return act


def wavelengths(data: bytes) -> Callable[[dict[str, bytes]], list[tuple[str, bytes]]]:
    return lambda members: list({**members, "wavelength.npy": data}.items())


TRAP = npy(np.array([Payload()] * 6, dtype=object), allow_pickle=True)
LYING = npy(np.ones(6)).replace(b"(6,)", b"(7,)")
for name, edit in {
    "a pickle": wavelengths(TRAP),
    "text for numbers": wavelengths(npy(np.array(["1.0"] * 6))),
    "an array of records": wavelengths(npy(np.ones(6, dtype=[("a", float)]))),
    "an empty array": wavelengths(npy(np.ones(0))),
    "a header that lies about the shape": wavelengths(LYING),
    "an infinite number": wavelengths(npy(np.full(6, math.inf))),
    "a bomb": wavelengths(npy(np.zeros(40_000_000, dtype=np.int8))),
    "a text among its members": lambda members: [*members.items(), ("readme.txt", b"x")],
    "a member twice": lambda members: [*members.items(), ("power.npy", members["power.npy"])],
}.items():
    invalid(
        6, f"NPZ with {name}", "frozen", code="no_evidence", keeps=THIN, twin=ARCHIVE,
        slow=name == "a bomb",
    )(in_archive(edit))  # fmt: skip


def in_hdf5(trick: Callable[[Any, str], None]) -> Act:
    def act(w: World) -> None:
        away = str(w.folder.parent / "away")
        buffer = io.BytesIO()
        with h5py.File(buffer, "w") as file:
            for name, values in columns(w, "thin").items():
                file.create_dataset(name, data=values)
            kept = file["wavelength"][:]
            del file["wavelength"]
            with h5py.File(away, "w") as other:
                other["wavelength"] = kept
            trick(file, away)
        put_arrays(w, "thin", buffer.getvalue(), "thin.h5")

    return act


def virtual(file: Any, away: str) -> None:
    layout = h5py.VirtualLayout((6,), float)
    layout[:] = h5py.VirtualSource(away, "wavelength", (6,))
    file.create_virtual_dataset("wavelength", layout)


def cycle(file: Any, _away: str) -> None:
    file.create_group("a")["up"] = file["/"]
    file["a/wavelength"] = np.ones(6)


TRICKS: dict[str, Callable[[Any, str], None]] = {
    "a soft link": lambda file, away: file.__setitem__("wavelength", h5py.SoftLink("/power")),
    "a link to another file": lambda file, away: file.__setitem__(
        "wavelength", h5py.ExternalLink(away, "/wavelength")
    ),
    "data that are views of another file": virtual,
    "data stored in another file": lambda file, away: file.create_dataset(
        "wavelength", (6,), float, external=[(away, 0, 48)]
    ),
    "a filter that is not HDF5's own": lambda file, away: file.create_dataset(
        "wavelength", data=np.ones(6), chunks=(6,), compression="lzf"
    ),
    "a group inside itself": cycle,
}
for name, trick in TRICKS.items():
    invalid(6, f"HDF5 with {name}", "frozen", code="no_evidence", keeps=THIN, twin=PACKED)(
        in_hdf5(trick)
    )


# -- 6: shapes and grids


@twin("real and imaginary parts apart", "frozen")
def parts_apart(w: World) -> None:
    data = w.data("thin")
    parts = data.pop("amplitude")
    w.put("thin", {**data, **{k: [x[k] for x in parts] for k in ("real", "imag")}})
    entry = w.entry("thin")
    w.entry("thin", columns={**entry["columns"], "amplitude": {"real": "/real", "imag": "/imag"}})


@invalid(
    6, "parts of different lengths", "frozen", code="no_evidence", keeps="all but C2",
    twin=parts_apart,
)  # fmt: skip
def uneven_parts(w: World) -> None:
    parts_apart(w)
    data = w.data("thin")
    w.put("thin", {**data, "imag": data["imag"][:-1]})


@invalid(6, "a magnitude alone", "frozen", code="code", keeps="all but C2", twin=parts_apart)
def magnitude(w: World) -> None:
    data = w.data("thin")
    sizes = [abs(complex(x["real"], x["imag"])) for x in data["amplitude"]]
    w.put("thin", {**data, "amplitude": sizes})


def rows(w: World, case: str, order: list[int]) -> None:
    data = w.data(case)
    w.put(case, {k: [v[i] for i in order] if isinstance(v, list) else v for k, v in data.items()})


SHUFFLED = twin("rows in another order", "frozen")(lambda w: rows(w, "thin", [3, 0, 5, 1, 4, 2]))
for name, order in {
    "a point is missing": [0, 1, 2, 4, 5],
    "a point is there twice": [0, 1, 2, 3, 4, 5, 5],
    "a point stands for another one": [0, 1, 2, 3, 4, 4],
    "the range is cut": [0, 1, 2, 3],
}.items():
    lost = THIN if len(set(order)) < 5 or len(order) != 6 else "all but A2 C1"
    invalid(6, name, "frozen", code="code" if len(order) == 6 else "no_evidence|code", keeps=lost,
            twin=SHUFFLED)(lambda w, order=order: rows(w, "thin", order))  # fmt: skip


@invalid(6, "an empty array", "frozen", code="no_evidence", keeps=THIN)
def empty(w: World) -> None:
    rows(w, "thin", [])


@invalid(6, "powers that are truth values", "frozen", code="code", keeps="all but C1")
def truth_values(w: World) -> None:
    w.put("thick", {**w.data("thick"), "power": [True] * 6})


@infra(6, "a file over the limit of the evaluator", "frozen", code="evaluator_limit",
       keeps="all but C3 C4")  # fmt: skip
def over_the_limit(w: World) -> None:
    w.limits = replace(LIMITS, text=100_000)
    w.put("fine", json.dumps(w.data("fine")).encode() + b" " * 100_000)


@infra(6, "no reader of HDF5 is installed", "frozen", code="no_hdf5_reader",
       keeps="all but A2 C1 C2")  # fmt: skip
def no_reader(w: World) -> None:
    contained("hdf5", "thin")(w)

    def absent(*_: object) -> None:
        raise Infrastructure("no_hdf5_reader", "install referee[reproduction]")

    w.patch.setattr("referee.evidence.hdf5file._h5py", absent)


elsewhere(
    6, "blocks of native logs, and numbers with D exponents",
    "evidence/test_evidence_logs.py::test_a_block_is_whole_or_nothing",
    "evidence/test_evidence_logs.py::test_fortran_numbers",
)  # fmt: skip
elsewhere(
    6, "contracts of grids", "evidence/test_evidence_grid.py::test_data_that_do_not",
    "evidence/test_evidence_grid.py::test_data_that_keep_a_contract",
)  # fmt: skip

# -- 7: units, conventions and axes


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


for name, unit in {
    "no unit": None,
    "a unit of another dimension": "THz",
    "a unit that nobody knows": "furlong",
    "no number as a unit": "1",
}.items():

    @invalid(
        7, f"wavelengths with {name}", "frozen", code="no_evidence", keeps=FINE, twin=nanometres
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
