"""Readers: the same data in every container, and each broken container by its fault."""

from __future__ import annotations

import io
import json
import os
import pickle
import warnings
import zipfile

import h5py
import numpy as np
import pytest
from evidence_cases import FORMATS, array_name, evidence_in, write_columns
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.evidence.fault import EvidenceError, EvidenceFault, EvidenceLimit, EvidenceMissing
from referee.evidence.jsonfile import JsonFile, parse_json
from referee.evidence.limits import Limits
from referee.evidence.read import open_arrays

DATA = {"wavelength": [0.1, 1e-300, 1550.0, 3.0], "power": [1.0, -0.0, 2 / 3, 1e308]}


def numbers(root, path, name):
    with open_arrays(root, path) as arrays:
        return arrays.numbers(name)


@pytest.mark.parametrize("form", FORMATS)
def test_every_container_gives_the_same_numbers(evidence, outputs, form):
    write_columns(outputs / f"data.{form}", DATA)
    root = evidence.roots["outputs"]
    for column, expected in DATA.items():
        got = numbers(root, f"data.{form}", array_name(form, column))
        assert got.dtype == np.float64
        assert got.tolist() == expected
        assert not got.flags.writeable
    with open_arrays(root, f"data.{form}") as arrays:
        infos = arrays.infos()
        assert sorted(i.name.strip("/") for i in infos) == ["power", "wavelength"]
        assert {(i.kind, i.shape) for i in infos} == {("real", (4,))}
        with pytest.raises(EvidenceMissing):
            arrays.numbers("/no")


def test_a_container_is_known_by_its_bytes_and_not_by_its_name(evidence, outputs):
    for form in FORMATS:
        write_columns(outputs / f"data.{form}", DATA)
        (outputs / f"data.{form}").rename(outputs / f"{form}.dat")
        got = numbers(evidence.roots["outputs"], f"{form}.dat", array_name(form, "power"))
        assert got.tolist() == DATA["power"]


def test_types_become_float64_or_complex128(evidence, outputs):
    arrays = {
        "i": np.arange(3, dtype=">i4"),
        "f": np.ones((2, 2), np.float32, order="F"),
        "c": np.array([1 + 2j], np.complex64),
        "zero_d": np.float64(3.0),
    }
    np.savez(outputs / "a.npz", **arrays)
    with h5py.File(outputs / "a.hdf5", "w") as file:
        for name, values in arrays.items():
            file[f"group/{name}"] = values
    np.save(outputs / "a.npy", np.asfortranarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    root = evidence.roots["outputs"]
    for name, values in arrays.items():
        for path, full in (("a.npz", name), ("a.hdf5", f"/group/{name}")):
            got = numbers(root, path, full)
            assert got.dtype in (np.float64, np.complex128)
            np.testing.assert_array_equal(got, values)
            assert got.shape == np.shape(values)
    assert numbers(root, "a.npy", "").tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


# --- JSON -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ('{"b": {"a": 1, "a": 1}}', "twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("[1e999]", "larger"),
        ("[1,]", "line 1"),
        ("[" + "9" * 5000 + "]", "digits"),
        ("", "line 1"),
    ],
)
def test_broken_json_is_an_error(text, word):
    with pytest.raises(EvidenceError, match=word):
        parse_json("a.json", text)


@pytest.mark.parametrize("deep", [70, 100_000])
def test_deep_json_is_an_error_and_no_crash(deep):
    with pytest.raises(EvidenceError, match="deeper"):
        parse_json("a.json", "[" * deep + "]" * deep)
    assert parse_json("a.json", "[" * 60 + "]" * 60) != 0


DOCUMENT = {
    "grid": [[1, 2, 3], [4, 5, 6]],
    "t": [{"real": 1, "imag": -2}, {"real": 0.5, "imag": 0}],
    "r": {"real": [1, 2], "imag": [3, 4]},
    "rows": [{"q": 0.1, "name": "w30", "odd": 1}, {"q": 0.2, "name": "w50", "odd": "x"}],
    "mixed": [{"q": 1}, {"p": 1}],
    "a/b~c": 7,
    "ragged": [[1, 2], [3]],
    "flag": [True],
    "nothing": [],
    "null": [1, None],
    "huge": [10**400],
    "halves": {"real": [1, 2], "imag": [1]},
    "lambda": {"values": [1.0], "unit": "nm"},
}


def test_json_gives_arrays_by_pointer():
    arrays = JsonFile("a.json", json.loads(json.dumps(DOCUMENT)))
    assert arrays.numbers("/grid").shape == (2, 3)
    for single, value in (("/grid/1/2", 6.0), ("/t/0", 1 - 2j)):
        assert arrays.numbers(single).shape == ()
        assert arrays.numbers(single) == value
    assert arrays.numbers("/t").tolist() == [1 - 2j, 0.5]
    assert arrays.numbers("/r").tolist() == [1 + 3j, 2 + 4j]
    assert arrays.numbers("/rows/q").tolist() == [0.1, 0.2]
    assert arrays.texts("/rows/name") == ("w30", "w50")
    assert arrays.numbers("/a~1b~0c").shape == ()
    assert arrays.attribute("/lambda/values", "unit") == "nm"
    assert arrays.attribute("/lambda", "unit") == "nm"
    kinds = {info.name: info.kind for info in arrays.infos()}
    assert kinds["/rows/q"] == "real"
    assert kinds["/rows/name"] == "text"
    assert kinds["/t"] == kinds["/r"] == "complex"
    assert kinds["/flag"] == kinds["/nothing"] == "unusable"


@pytest.mark.parametrize(
    ("pointer", "fault"),
    [
        ("/no", EvidenceMissing),
        ("/rows/no", EvidenceMissing),
        ("/rows/odd", EvidenceError),
        ("/mixed/q", EvidenceError),
        ("/rows", EvidenceError),
        ("/ragged", EvidenceError),
        ("/flag", EvidenceError),
        ("/nothing", EvidenceError),
        ("/null", EvidenceError),
        ("/huge", EvidenceError),
        ("/halves", EvidenceError),
        ("/lambda/unit", EvidenceError),
        ("grid", EvidenceError),
    ],
)
def test_json_that_is_no_array_of_numbers(pointer, fault):
    with pytest.raises(fault):
        JsonFile("a.json", json.loads(json.dumps(DOCUMENT))).numbers(pointer)


@settings(max_examples=25)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
def test_json_and_csv_agree_to_the_last_bit(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("twins")
    root = evidence_in(folder).roots["outputs"]
    for form in ("csv", "json"):
        write_columns(root.folder / f"a.{form}", {"x": values})
    assert (
        numbers(root, "a.csv", "x").tobytes()
        == numbers(root, "a.json", "/x").tobytes()
        == np.array(values).tobytes()
    )


# --- CSV --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("\ufeff", "empty"),
        ("a,b\n1\n", "cells"),
        ("a,b\n1,2,3\n", "cells"),
        ("a,b\n1,2\n\n3,4\n", "cells"),
        ("a,\n1,2\n", "no name"),
        ("a, a\n1,2\n", "twice"),
        ("1,2\n3,4\n", "numbers"),
        ('a,b\n"1,2\n', "not valid CSV"),
        ("a\n1\0\n", "NUL"),
        ("a,b\n1,234,5\n", "cells"),
        ("a\n", "empty"),
        ("a\n1\n \n", "blank"),
        ("a\nnan\n", "not a number"),
        ("a\n1e999\n", "not finite"),
        ("a\n1.234,5\n", "cells"),
        ("a;b\n1,5;2\n", "cells"),
        ("a\n0x10\n", "not a number"),
        ("a\n1_000\n", "not a number"),
        ("a\n\u0661\n", "not a number"),
        ("a\n1d-3\n", "not a number"),
    ],
)
def test_a_broken_table_is_an_error(evidence, outputs, text, word):
    (outputs / "a.csv").write_text(text)
    with pytest.raises(EvidenceError, match=word):
        numbers(evidence.roots["outputs"], "a.csv", "a")


def test_a_plain_table_is_read(evidence, outputs):
    (outputs / "a.csv").write_bytes(
        b'\xef\xbb\xbf a , label,"q, x"\r\n +1.5e-3,w30,.5\r\n2.,"w 50",-0\r\n'
    )
    root = evidence.roots["outputs"]
    assert numbers(root, "a.csv", "a").tolist() == [1.5e-3, 2.0]
    assert numbers(root, "a.csv", "q, x").tolist() == [0.5, 0.0]
    with open_arrays(root, "a.csv") as arrays:
        assert arrays.texts("label") == ("w30", "w 50")
        assert [info.kind for info in arrays.infos()] == ["real", "text", "real"]


def test_a_bad_cell_spoils_its_column_alone(evidence, outputs):
    (outputs / "a.csv").write_text("good,bad\n1,\n2,x\n")
    root = evidence.roots["outputs"]
    assert numbers(root, "a.csv", "good").tolist() == [1.0, 2.0]
    with pytest.raises(EvidenceError, match="row 1"):
        numbers(root, "a.csv", "bad")


def test_only_the_evaluators_tables_have_comments_and_notes(evidence, outputs):
    text = "# digitised from Fig. 2\nx,notes\n1,clear\n2\n"
    (evidence.roots["refs"].folder / "a.csv").write_text(text)
    assert numbers(evidence.roots["refs"], "a.csv", "x").tolist() == [1.0, 2.0]
    (outputs / "a.csv").write_text(text)
    with pytest.raises(EvidenceError):
        numbers(evidence.roots["outputs"], "a.csv", "x")


# --- NPY and NPZ ------------------------------------------------------------------------------


class Payload:
    """What a pickle would run."""

    def __init__(self, sentinel):
        self.sentinel = sentinel

    def __reduce__(self):
        return os.mkdir, (str(self.sentinel),)


def npy(values, **more):
    buffer = io.BytesIO()
    np.save(buffer, values, **more)
    return buffer.getvalue()


def test_no_pickle_ever_runs(evidence, outputs, tmp_path):
    sentinel = tmp_path / "executed"
    trap = np.array([Payload(sentinel)], dtype=object)
    (outputs / "a.npy").write_bytes(npy(trap, allow_pickle=True))
    with zipfile.ZipFile(outputs / "a.npz", "w") as archive:
        archive.writestr("trap.npy", npy(trap, allow_pickle=True))
        archive.writestr("good.npy", npy(np.arange(2.0)))
    (outputs / "a.dat").write_bytes(pickle.dumps(Payload(sentinel)))
    root = evidence.roots["outputs"]
    for path, name in (("a.npy", ""), ("a.npz", "trap"), ("a.dat", "x")):
        with pytest.raises(EvidenceError):
            numbers(root, path, name)
    assert not sentinel.exists()
    assert numbers(root, "a.npz", "good").tolist() == [0.0, 1.0], "the other array stays usable"


@pytest.mark.parametrize(
    "values",
    [
        np.array(["a"]),
        np.array([b"a"]),
        np.array([True]),
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        np.array(["2020"], dtype="datetime64[Y]"),
        np.array([]),
        np.array([1.0, np.nan]),
        np.array([complex(0, np.inf)]),
        np.zeros(1, dtype="V8"),
    ],
)
def test_what_is_no_finite_number_is_refused(evidence, outputs, values):
    (outputs / "a.npy").write_bytes(npy(values))
    with pytest.raises(EvidenceError):
        numbers(evidence.roots["outputs"], "a.npy", "")


def lying(shape, data=b"\0" * 16):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def test_a_header_must_fit_its_data(evidence, outputs):
    root = evidence.roots["outputs"]
    (outputs / "a.npy").write_bytes(lying("(2,)"))
    assert numbers(root, "a.npy", "").tolist() == [0.0, 0.0]
    for shape in ("(3,)", "(1,)", "(0,)", "(-2,)", "(2.5,)", "__import__('os')", "('a',)"):
        (outputs / "a.npy").write_bytes(lying(shape))
        with pytest.raises(EvidenceError):
            numbers(root, "a.npy", "")
    (outputs / "a.npy").write_bytes(lying(f"({10**12},)"))
    with pytest.raises(EvidenceError, match="follow"):
        numbers(root, "a.npy", "")
    for data in (b"\x93NUMPY", b"\x93NUMPY\x09\x00", lying("(2,)")[:30]):
        (outputs / "a.npy").write_bytes(data)
        with pytest.raises(EvidenceError):
            numbers(root, "a.npy", "")


def test_an_archive_has_arrays_only_each_name_once(evidence, outputs):
    root = evidence.roots["outputs"]
    for extra in ("readme.txt", "a.npy"):
        with zipfile.ZipFile(outputs / "a.npz", "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile itself warns of a doubled name
            archive.writestr("a.npy", npy(np.arange(2.0)))
            archive.writestr(extra, npy(np.arange(3.0)))
        with pytest.raises(EvidenceError):
            numbers(root, "a.npz", "a")
    (outputs / "a.npz").write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(EvidenceError):
        numbers(root, "a.npz", "a")


def test_a_bomb_is_an_error_and_a_large_result_a_limit(tmp_path):
    small = Limits(array=100_000, inflation=100)
    root = evidence_in(tmp_path, limits=small).roots["outputs"]
    large = np.random.default_rng(1).random(30_000)
    np.savez_compressed(root.folder / "a.npz", bomb=np.zeros(30_000), large=large, small=large[:9])
    with pytest.raises(EvidenceError, match="unpack"):
        numbers(root, "a.npz", "bomb")
    with pytest.raises(EvidenceLimit):
        numbers(root, "a.npz", "large")
    assert numbers(root, "a.npz", "small").tolist() == large[:9].tolist()
    np.save(root.folder / "large.npy", large)
    with pytest.raises(EvidenceLimit):
        numbers(root, "large.npy", "")
    with h5py.File(root.folder / "a.h5", "w") as file:
        # of a dataset that nobody wrote to, nothing is stored
        file.create_dataset("bomb", (10**6, 10**6), float, chunks=(100, 100))
        file["large"], file["small"] = large, large[:9]
    with pytest.raises(EvidenceError, match="unpack"):
        numbers(root, "a.h5", "bomb")
    with pytest.raises(EvidenceLimit):
        numbers(root, "a.h5", "large")
    assert numbers(root, "a.h5", "small").tolist() == large[:9].tolist()


@pytest.mark.parametrize("form", ["npz", "hdf5"])
def test_a_bomb_of_narrow_numbers_is_an_error(tmp_path, form):
    small = Limits(array=100_000, inflation=100)
    root = evidence_in(tmp_path, limits=small).roots["outputs"]
    narrow = np.zeros(20_000, dtype=np.int8)  # 160,000 bytes as they are held
    if form == "npz":
        np.savez_compressed(root.folder / "a.npz", bomb=narrow)
    else:
        with h5py.File(root.folder / "a.hdf5", "w") as file:
            file.create_dataset("bomb", data=narrow, compression="gzip")
    with pytest.raises(EvidenceError, match="unpack"):
        numbers(root, f"a.{form}", "bomb")


def test_a_damaged_member_is_an_error(evidence, outputs):
    np.savez_compressed(outputs / "a.npz", a=np.arange(1000.0))
    data = bytearray((outputs / "a.npz").read_bytes())
    data[200:260] = b"\xff" * 60
    (outputs / "a.npz").write_bytes(bytes(data))
    with pytest.raises(EvidenceError):
        numbers(evidence.roots["outputs"], "a.npz", "a")


# --- HDF5 -------------------------------------------------------------------------------------


def soft(file, folder):
    file["other"] = h5py.SoftLink("/data")


def external(file, folder):
    file["other"] = h5py.ExternalLink("elsewhere.h5", "/data")


def virtual(file, folder):
    layout = h5py.VirtualLayout((2,), float)
    layout[:] = h5py.VirtualSource(str(folder / "elsewhere.h5"), "data", (2,))
    file.create_virtual_dataset("other", layout)


def stored_outside(file, folder):
    file.create_dataset("other", (2,), float, external=[(str(folder / "raw"), 0, 16)])


def cyclic(file, folder):
    below = file.create_group("a/b")
    below["up"] = file["a"]


def cyclic_through_the_root(file, folder):
    below = file.create_group("a")
    below["up"] = file["/"]


def custom_filter(file, folder):
    # lzf is the filter 32000 of h5py itself
    file.create_dataset("other", data=np.arange(2.0), chunks=(2,), compression="lzf")


@pytest.mark.parametrize(
    "trick",
    [soft, external, virtual, stored_outside, cyclic, cyclic_through_the_root, custom_filter],
)
def test_hdf5_tricks_are_refused(evidence, outputs, tmp_path, trick):
    with h5py.File(outputs / "a.h5", "w") as file:
        file["data"] = np.arange(2.0)
        trick(file, tmp_path)
    with pytest.raises(EvidenceError):
        numbers(evidence.roots["outputs"], "a.h5", "data")


def test_plain_hdf5_is_read(evidence, outputs):
    with h5py.File(outputs / "a.h5", "w") as file:
        data = file.create_dataset(
            "g/x",
            data=np.arange(8.0),
            chunks=(4,),
            compression="gzip",
            shuffle=True,
            fletcher32=True,
        )
        data.attrs["units"] = "nm"
        data.attrs["count"] = 3
        file["again"] = data
        file["text"] = "label"
        file["none"] = h5py.Empty("f8")
        file["flag"] = np.array([True])
    root = evidence.roots["outputs"]
    assert numbers(root, "a.h5", "g/x").tolist() == list(range(8))
    assert numbers(root, "a.h5", "/again").tolist() == list(range(8))
    with open_arrays(root, "a.h5") as arrays:
        assert arrays.attribute("g/x", "units") == "nm"
        for key in ("count", "no"):
            with pytest.raises(EvidenceMissing):
                arrays.attribute("g/x", key)
        assert {i.name: i.kind for i in arrays.infos()}["text"] == "unusable"
        for name in ("text", "none", "flag"):
            with pytest.raises(EvidenceError):
                arrays.numbers(name)


def test_many_hdf5_datasets_are_a_limit(tmp_path):
    root = evidence_in(tmp_path, limits=Limits(arrays=3)).roots["outputs"]
    with h5py.File(root.folder / "b.h5", "w") as file:
        below = file.create_group("g")
        for number in range(2):
            file[f"again{number}"] = below
    assert isinstance(_fault(root, "b.h5"), EvidenceMissing)
    with h5py.File(root.folder / "b.h5", "a") as file:
        file["more"] = [1.0]
    assert isinstance(_fault(root, "b.h5"), EvidenceLimit)


def test_a_damaged_hdf5_file_is_an_error(evidence, outputs):
    with h5py.File(outputs / "a.h5", "w") as file:
        file["x"] = np.arange(100.0)
    whole = (outputs / "a.h5").read_bytes()
    (outputs / "a.h5").write_bytes(whole[:600])
    assert isinstance(_fault(evidence.roots["outputs"], "a.h5"), EvidenceError)


def _fault(root, path):
    with pytest.raises(EvidenceFault) as caught:
        numbers(root, path, "x")
    return caught.value
