"""The strict reader of NPY files: what NumPy writes of plain numbers, and nothing else."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from referee.wall.npy import read_npy

DTYPES = ["<f8", ">f8", "<f4", "<c16", "<i8", "<i4", "<u2", "|b1"]


def written(array: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


@given(
    st.sampled_from(DTYPES).flatmap(
        lambda name: arrays.arrays(np.dtype(name), arrays.array_shapes(min_dims=0, max_dims=4))
    ),
    st.booleans(),
)
def test_what_numpy_writes_is_read(array: np.ndarray, fortran: bool) -> None:
    given_array = np.asfortranarray(array) if fortran and array.ndim else array
    got = read_npy(written(given_array))
    assert got.shape == array.shape
    assert got.dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(got, array)
    assert got.flags.c_contiguous


@given(st.binary(max_size=300))
def test_any_bytes_are_an_array_or_one_error(data: bytes) -> None:
    for tried in (data, b"\x93NUMPY\x01\x00" + data):
        with contextlib.suppress(ValueError):
            assert read_npy(tried).dtype.kind in "biufc"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (written(np.array([{}], dtype=object), allow_pickle=True), "not numbers"),
        (written(np.array(["text"])), "not numbers"),
        (written(np.zeros(3, dtype=[("a", "f8")])), "not numbers"),
        (written(np.zeros(3)) + b"more", "declares 24 bytes"),
        (written(np.zeros(3))[:-1], "declares 24 bytes"),
        (b"PK\x03\x04 an archive of arrays", "not an NPY array"),
        (b"", "not an NPY array"),
        (written(np.zeros(3)).replace(b"(3,)", b"(-3)"), "NPY array|negative"),
        (written(np.zeros(3)).replace(b"'shape': (3,)", b"'shape': 1/0 "), "not an NPY array"),
        (written(np.zeros(3)).replace(b"<f8", b"<q9"), "not an NPY array"),
    ],
    ids=["object", "text", "record", "more", "less", "npz", "empty", "shape", "code", "type"],
)
def test_what_is_not_plain_numbers_is_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_npy(data)


CUT_OFF = [b"{'descr': (", b"((((", b"'''", b"{ 1", b"[" * 300]


@pytest.mark.parametrize("header", CUT_OFF)
def test_a_header_that_is_cut_off_is_refused(header: bytes) -> None:
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(ValueError, match="not an NPY array"):
        read_npy(data)


def test_a_huge_shape_allocates_nothing() -> None:
    data = written(np.zeros(3)).replace(b"(3,), }      ", b"(9999999999,)")
    with pytest.raises(ValueError):
        read_npy(data)
