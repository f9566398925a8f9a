"""One way into every array file: by what the bytes are, not by what the name says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from referee.evidence.arrays import ArrayFile
from referee.evidence.csvfile import parse_csv
from referee.evidence.fault import EvidenceLimit
from referee.evidence.hdf5file import Hdf5File
from referee.evidence.jsonfile import JsonFile, parse_json
from referee.evidence.npyfile import NpyFile, NpzFile
from referee.evidence.roots import Root, decoded

_HDF5 = b"\x89HDF\r\n\x1a\n"
_NPY = b"\x93NUMPY"
_ZIP = b"PK"


@contextmanager
def open_arrays(root: Root, path: str) -> Iterator[ArrayFile]:
    """The arrays of a file: JSON, CSV, TSV, NPY, NPZ or HDF5.

    HDF5, NPY and NPZ are known by their first bytes; text that begins with `{` or `[` is JSON
    unless its name says that it is a table, and any other text a table, with tabs if its first line
    has one.

    Raises:
        EvidenceFault: as `Root.open` and the reader of the format.
    """
    where, limits = root.where(path), root.limits
    with root.open(path) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        head = stream.read(8)
        stream.seek(0)
        if head == _HDF5:
            hdf5 = Hdf5File(where, stream, limits)
            try:
                yield hdf5
            finally:
                hdf5.close()
        elif head.startswith(_NPY):
            yield NpyFile(where, stream, size, limits)
        elif head.startswith(_ZIP):
            yield NpzFile(where, stream, limits)
        else:
            yield _text_arrays(root, path, stream, size)


def _text_arrays(root: Root, path: str, stream: BinaryIO, size: int) -> ArrayFile:
    where, limits = root.where(path), root.limits
    if size > limits.text:
        told = f"has {size} bytes, and {limits.text} of a text are read at most"
        raise EvidenceLimit(where, told)
    text = decoded(where, stream.read())
    if text.lstrip()[:1] in ("{", "[") and not path.lower().endswith((".csv", ".tsv")):
        return JsonFile(where, parse_json(where, text, limits), limits)
    tabs = "\t" in text.partition("\n")[0]
    delimiter = "\t" if tabs else ","
    return parse_csv(where, text, delimiter=delimiter, trusted=not root.is_candidate, limits=limits)
