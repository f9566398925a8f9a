"""NPY and NPZ as evidence: the header is read first, and no object is ever unpickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from referee.evidence.arrays import (
    PLAIN,
    ArrayInfo,
    Numbers,
    finite,
    kind_of,
    require_count,
    require_size,
)
from referee.evidence.fault import EvidenceError, EvidenceMissing
from referee.evidence.limits import LIMITS, Limits

_HEADER = 64 * 1024
_DENSE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Header:
    """Shape, memory order and type that an NPY header declares."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


def read_header(where: str, stream: BinaryIO) -> Header:
    """The header of an NPY stream, version 1 or 2.

    Raises:
        EvidenceError: no NPY data, another version, or a header that says nothing usable.
    """
    try:
        version = npy.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise EvidenceError(where, f"NPY version {version[0]}.{version[1]} is not read")
        reads = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = reads(stream, max_header_size=_HEADER)
    except EvidenceError:
        raise
    except Exception as error:  # NumPy's reader raises what its tokenizer and parser happen to
        raise EvidenceError(where, f"not an NPY array: {str(error)[:120]}") from None
    if any(n < 0 for n in shape):
        raise EvidenceError(where, "the header has a negative length")
    return Header(tuple(int(n) for n in shape), bool(fortran), dtype)


def read_plain(
    where: str, stream: BinaryIO, size: int, limits: Limits = LIMITS, kinds: str = PLAIN
) -> NDArray[Any]:
    """The array of an NPY stream of `size` bytes as it was written, of a type whose kind is one of
    `kinds`, with exactly as many bytes as its header declares, so that nothing hides behind them.

    Raises:
        EvidenceError: another type, or a header that does not fit the data.
        EvidenceLimit: more bytes than an array may have.
    """
    header = read_header(where, stream)
    if header.dtype.kind not in kinds or header.dtype.hasobject:
        raise EvidenceError(where, f"values of the type {header.dtype} are not numbers")
    count = prod(header.shape)
    declared = count * header.dtype.itemsize
    there = size - stream.tell()
    if there != declared:
        raise EvidenceError(where, f"the header declares {declared} bytes, and {there} follow")
    require_size(where, count, header.dtype.itemsize, limits)
    data = stream.read(declared + 1)
    if len(data) != declared:
        raise EvidenceError(where, "the data end before the header says")
    order = "F" if header.fortran else "C"
    plain: NDArray[Any] = np.frombuffer(data, header.dtype).reshape(header.shape, order=order)  # type: ignore[call-overload]
    return plain


def read_npy(
    where: str, stream: BinaryIO, size: int, limits: Limits, stored: int | None = None
) -> Numbers:
    """The finite numbers of an NPY stream of `size` bytes, of which a file has `stored`.

    Raises:
        EvidenceError: as `read_plain`, an empty array, or a value that is not finite.
        EvidenceLimit: more bytes than an array may have.
    """
    return finite(where, read_plain(where, stream, size, limits), limits, stored=stored)


@dataclass(frozen=True)
class NpyFile:
    """One array in a file of its own; its name is empty."""

    where: str
    stream: BinaryIO
    size: int
    limits: Limits = LIMITS

    def infos(self) -> tuple[ArrayInfo, ...]:
        """The one array; raises as `read_header`."""
        self.stream.seek(0)
        header = read_header(self.where, self.stream)
        return (ArrayInfo("", kind_of(header.dtype), header.shape),)

    def numbers(self, name: str) -> Numbers:
        """The array; raises as `read_npy`, or EvidenceMissing for any name but the empty one."""
        if name:
            raise EvidenceMissing(f"{self.where}#{name}", "an NPY file has one array, without name")
        self.stream.seek(0)
        return read_npy(self.where, self.stream, self.size, self.limits)

    def texts(self, name: str) -> tuple[str, ...]:
        """Never there: raises EvidenceMissing."""
        raise EvidenceMissing(f"{self.where}#{name}", "an NPY file has no text")

    def attribute(self, name: str, key: str) -> str:
        """Never there: raises EvidenceMissing."""
        raise EvidenceMissing(f"{self.where}#{name}", "an NPY file has no attributes")


@dataclass(frozen=True)
class NpzFile:
    """The arrays of an NPZ archive by name, each read when it is asked for."""

    where: str
    stream: BinaryIO
    limits: Limits = LIMITS

    @cached_property
    def _members(self) -> Mapping[str, zipfile.ZipInfo]:
        try:
            members = zipfile.ZipFile(self.stream).infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise EvidenceError(self.where, f"not an NPZ archive: {error}") from None
        require_count(self.where, len(members), self.limits)
        for member in members:
            self._require_plain(member)
        named = {m.filename.removesuffix(".npy"): m for m in members}
        if len(named) != len(members):
            raise EvidenceError(self.where, "two arrays have the same name")
        return named

    def _require_plain(self, member: zipfile.ZipInfo) -> None:
        shown = repr(member.filename[:80])
        if not member.filename.endswith(".npy"):
            raise EvidenceError(self.where, f"the member {shown} is not an array")
        if member.flag_bits & 1 or member.compress_type not in _DENSE:
            raise EvidenceError(self.where, f"the member {shown} is encrypted or oddly packed")

    def infos(self) -> tuple[ArrayInfo, ...]:
        """All arrays in the order of the archive.

        Raises:
            EvidenceError: no archive, a member that is no array, or two of one name.
            EvidenceLimit: too many arrays.
        """
        return tuple(self._info(name, member) for name, member in self._members.items())

    def numbers(self, name: str) -> Numbers:
        """An array by name; raises as `infos` and `read_npy`, or EvidenceMissing."""
        where = f"{self.where}#{name}"
        if name not in self._members:
            raise EvidenceMissing(where, "there is no such array")
        member = self._members[name]
        unpacked = max(member.file_size - _HEADER, 0)
        require_size(where, unpacked, 1, self.limits, stored=member.compress_size)
        try:
            with zipfile.ZipFile(self.stream).open(member) as stream:
                packed = member.compress_size
                return read_npy(
                    where, cast(BinaryIO, stream), member.file_size, self.limits, packed
                )
        except _BROKEN as error:
            raise EvidenceError(where, f"cannot be unpacked: {error}") from None

    def texts(self, name: str) -> tuple[str, ...]:
        """Never there: raises EvidenceMissing."""
        raise EvidenceMissing(f"{self.where}#{name}", "an NPZ archive has no text")

    def attribute(self, name: str, key: str) -> str:
        """Never there: raises EvidenceMissing."""
        raise EvidenceMissing(f"{self.where}#{name}", "an NPZ archive has no attributes")

    def _info(self, name: str, member: zipfile.ZipInfo) -> ArrayInfo:
        try:
            with zipfile.ZipFile(self.stream).open(member) as stream:
                header = read_header(self.where, cast(BinaryIO, stream))
        except (EvidenceError, *_BROKEN):
            return ArrayInfo(name, "unusable", ())
        return ArrayInfo(name, kind_of(header.dtype), header.shape)
