"""Family 6: numbers as they are written, in five containers."""

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


for (name, words), act in {
    ("a key twice", "is there twice"): in_json('"power"', '"power": [], "power"'),
    ("NaN", "NaN is not"): in_json('"power": [', '"more": NaN, "power": ['),
    ("an infinity", "Infinity is not"): in_json('"power": [', '"more": Infinity, "power": ['),
    ("a number beyond all floats", "larger than any float"): in_json(
        '"power": [', '"more": 1e999, "power": ['
    ),
    ("brackets in brackets", "nested deeper"): in_json(
        '"power": [', f'"more": {"[" * 9000}{"]" * 9000}, "power": ['
    ),
    ("half a file", "not valid JSON"): lambda w: w.put(
        "thin", json.dumps(w.data("thin")).encode()[:-20]
    ),
    ("bytes that are no text", "not UTF-8"): lambda w: w.put("thin", b'{"wavelength": "\xff\xfe"}'),
}.items():
    invalid(
        6, f"JSON with {name}", "frozen", code="no_evidence", keeps=THIN, twin=more_json, says=words
    )(act)


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


for (name, words), change in {
    ("a row of another width", "has 3 cells"): last_cell("1.0,1.0"),
    ("a blank cell", "the cell is blank"): last_cell(""),
    ("a cell that is no number", "'none' is not a number"): last_cell("none"),
    ("NaN", "'nan' is not a number"): last_cell("nan"),
    ("a thousands separator", "is not a number"): last_cell("1'000.0"),
    ("decimal commas", "has 3 cells"): lambda text: text.replace(",", ";").replace(".", ","),
    ("a column twice", "is there twice"): lambda text: text.replace("wavelength", "power", 1),
    ("a column without a name", "has no name"): lambda text: text.replace("power", "", 1),
    ("no header", "must name the columns"): lambda text: text.partition("\n")[2],
    ("a byte order mark alone", "is empty"): lambda text: "\ufeff",
}.items():
    invalid(
        6, f"CSV with {name}", "frozen", code="no_evidence", keeps=FINE,
        says=words, twin=marked_table if "mark" in name else TABS if "separator" in name else TABLE,
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
for (name, words), edit in {
    ("a pickle", "type object"): wavelengths(TRAP),
    ("text for numbers", "type <U3"): wavelengths(npy(np.array(["1.0"] * 6))),
    ("an array of records", "are not numbers"): wavelengths(npy(np.ones(6, dtype=[("a", float)]))),
    ("an empty array", "the array is empty"): wavelengths(npy(np.ones(0))),
    ("a header that lies about the shape", "declares 56 bytes"): wavelengths(LYING),
    ("an infinite number", "is not finite"): wavelengths(npy(np.full(6, math.inf))),
    ("a bomb", "unpack to"): wavelengths(npy(np.zeros(40_000_000, dtype=np.int8))),
    ("a text among its members", "is not an array"): lambda members: [
        *members.items(),
        ("readme.txt", b"x"),
    ],
    ("a member twice", "same name"): lambda members: [
        *members.items(),
        ("power.npy", members["power.npy"]),
    ],
}.items():
    invalid(
        6, f"NPZ with {name}", "frozen", code="no_evidence", keeps=THIN, twin=ARCHIVE,
        slow=name == "a bomb", says=words,
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


TRICKS: dict[tuple[str, str], Callable[[Any, str], None]] = {
    ("a soft link", "SoftLink"): lambda file, away: file.__setitem__(
        "wavelength", h5py.SoftLink("/power")
    ),
    ("a link to another file", "ExternalLink"): lambda file, away: file.__setitem__(
        "wavelength", h5py.ExternalLink(away, "/wavelength")
    ),
    ("data that are views of another file", "virtual dataset"): virtual,
    ("data stored in another file", "data in another file"): lambda file, away: file.create_dataset(
        "wavelength", (6,), float, external=[(away, 0, 48)]
    ),
    ("a filter that is not HDF5's own", "filter 32000"): lambda file, away: file.create_dataset(
        "wavelength", data=np.ones(6), chunks=(6,), compression="lzf"
    ),
    ("a group inside itself", "inside itself"): cycle,
}
for (name, words), trick in TRICKS.items():
    invalid(
        6, f"HDF5 with {name}", "frozen", code="no_evidence", keeps=THIN, twin=PACKED, says=words
    )(in_hdf5(trick))


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
    twin=parts_apart, says="do not have the same shape",
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


@invalid(6, "an empty array", "frozen", code="no_evidence", keeps=THIN, says="is empty")
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
