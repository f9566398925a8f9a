"""HDF5 as evidence (extra `reproduction`): hard links, plain storage, filters of the library alone.

A file with a soft or external link, a virtual dataset, storage in another file, a group inside
itself or a filter that is not one of HDF5's own six is refused as a whole.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np

from referee.evidence.arrays import (
    ArrayInfo,
    Numbers,
    finite,
    kind_of,
    require_count,
    require_size,
)
from referee.evidence.fault import EvidenceError, EvidenceLimit, EvidenceMissing
from referee.evidence.limits import LIMITS, Limits
from referee.record.fault import Infrastructure

_LAST_OWN_FILTER = 6
_DEEPEST = 32


@dataclass(frozen=True)
class Hdf5File:
    """The datasets of an HDF5 file by path, without the first slash, read when asked for."""

    where: str
    stream: BinaryIO
    limits: Limits = LIMITS

    @cached_property
    def _file(self) -> Any:
        h5py = _h5py()
        try:
            return h5py.File(self.stream, "r")
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            told = f"not a readable HDF5 file: {str(error)[:120]}"
            raise EvidenceError(self.where, told) from None

    @cached_property
    def _datasets(self) -> Mapping[str, Any]:
        try:
            found = dict(_walk(_h5py(), self.where, self._file, self.limits))
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            told = f"not a readable HDF5 file: {str(error)[:120]}"
            raise EvidenceError(self.where, told) from None
        for name, dataset in found.items():
            _require_plain(f"{self.where}#{name}", dataset)
        return found

    def close(self) -> None:
        """Let go of the stream, which must still be open."""
        if "_file" in self.__dict__:
            self._file.close()

    def infos(self) -> tuple[ArrayInfo, ...]:
        """All datasets, by path.

        Raises:
            EvidenceError: not HDF5, or something in it that is refused.
            EvidenceLimit: too many datasets.
        """
        return tuple(
            ArrayInfo(name, kind_of(_type(dataset)), tuple(dataset.shape or ()))
            for name, dataset in self._datasets.items()
        )

    def numbers(self, name: str) -> Numbers:
        """A dataset as finite numbers.

        Raises:
            EvidenceMissing: no such dataset.
            EvidenceError: as `infos`; no plain numbers, empty, or not finite.
            EvidenceLimit: more bytes than an array may have.
        """
        where, dataset = f"{self.where}#{name}", self._dataset(name)
        dtype = _type(dataset)
        if kind_of(dtype) == "unusable" or dataset.shape is None:
            raise EvidenceError(where, f"values of the type {dtype} are not numbers")
        stored = int(dataset.id.get_storage_size())
        require_size(where, int(dataset.size), dtype.itemsize, self.limits, stored=stored)
        try:
            return finite(where, np.asarray(dataset[()]), self.limits, stored=stored)
        except (OSError, RuntimeError, MemoryError) as error:
            raise EvidenceError(where, f"cannot be read: {str(error)[:120]}") from None

    def texts(self, name: str) -> tuple[str, ...]:
        """Never read: labels belong in a table or in JSON.

        Raises:
            EvidenceMissing: always.
        """
        raise EvidenceMissing(f"{self.where}#{name}", "text in HDF5 is not read")

    def attribute(self, name: str, key: str) -> str:
        """A text attribute of a dataset.

        Raises:
            EvidenceMissing: no such dataset or text attribute.
            EvidenceError: as `infos`.
        """
        dataset = self._dataset(name)
        try:
            value = dataset.attrs.get(key)
        except (OSError, RuntimeError, TypeError, ValueError):
            value = None
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str):
            raise EvidenceMissing(f"{self.where}#{name}", f"has no text attribute {key}")
        return value

    def _dataset(self, name: str) -> Any:
        path = name.removeprefix("/")
        if path not in self._datasets:
            raise EvidenceMissing(f"{self.where}#{name}", "there is no such dataset")
        return self._datasets[path]


def _h5py() -> Any:
    try:
        return importlib.import_module("h5py")
    except ImportError as error:
        raise Infrastructure("no_hdf5_reader", f"{error}; install referee[reproduction]") from None


def _type(dataset: Any) -> np.dtype[Any]:
    try:
        found: np.dtype[Any] = dataset.dtype
    except TypeError:
        return np.dtype(object)
    return found


def _walk(h5py: Any, where: str, file: Any, limits: Limits) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    pending: list[tuple[str, Any, tuple[int, ...]]] = [("", file, (_address(h5py, file),))]
    visited = 0
    while pending:
        prefix, group, above = pending.pop()
        for key in group:
            visited += 1
            require_count(where, visited, limits)
            path = f"{prefix}/{key}" if prefix else key
            link = type(group.get(key, getlink=True)).__name__
            if link != "HardLink":
                raise EvidenceError(where, f"{path[:120]} is a {link}")
            item = group[key]
            if isinstance(item, h5py.Dataset):
                found.append((path, item))
            elif isinstance(item, h5py.Group):
                address = _address(h5py, item)
                if address in above:
                    raise EvidenceError(where, f"the group {path[:120]} is inside itself")
                if len(above) > _DEEPEST:
                    raise EvidenceLimit(where, f"groups are nested deeper than {_DEEPEST}")
                pending.append((path, item, (*above, address)))
    return found


def _address(h5py: Any, item: Any) -> int:
    return int(h5py.h5o.get_info(item.id).addr)


def _require_plain(where: str, dataset: Any) -> None:
    if dataset.is_virtual:
        raise EvidenceError(where, "is a virtual dataset")
    if dataset.external is not None:
        raise EvidenceError(where, "has its data in another file")
    created = dataset.id.get_create_plist()
    for number in range(created.get_nfilters()):
        code = created.get_filter(number)[0]
        if code > _LAST_OWN_FILTER:
            raise EvidenceError(where, f"is packed by the filter {code}")
