"""CSV and TSV as evidence: a header, rows of one width, numbers in one plain notation.

A candidate's cell that is blank or no finite number spoils its column, and nothing is filled in. In
the evaluator's own files, lines that begin with `#` are comments and a last column `notes` is
free text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from referee.evidence.arrays import ArrayInfo, Numbers, finite, require_count, require_size
from referee.evidence.fault import EvidenceError, EvidenceMissing
from referee.evidence.limits import LIMITS, Limits

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)


@dataclass(frozen=True)
class CsvFile:
    """A table. `header` has the trimmed names, `rows` the cells as they stand in the file."""

    where: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    limits: Limits = LIMITS

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.header)}

    def infos(self) -> tuple[ArrayInfo, ...]:
        """All columns in their order."""
        shape = (len(self.rows),)
        return tuple(
            ArrayInfo(n, "real" if self._is_numeric(n) else "text", shape) for n in self.header
        )

    def numbers(self, name: str) -> Numbers:
        """The finite numbers of a column, shape (rows,).

        Raises:
            EvidenceMissing: no such column.
            EvidenceError: no row, or a cell that is blank or no finite number.
            EvidenceLimit: more bytes than an array may have.
        """
        where, cells = f"{self.where}#{name}", self._cells(name)
        require_size(where, len(cells), 8, self.limits)
        if not all(map(_NUMBER.match, cells)):
            number, cell = next((i, x) for i, x in enumerate(cells, 1) if not _NUMBER.match(x))
            told = f"{cell[:40]!r} is not a number" if cell else "the cell is blank"
            raise EvidenceError(where, f"row {number}: {told}")
        return finite(where, np.array(list(map(float, cells))), self.limits)

    def texts(self, name: str) -> tuple[str, ...]:
        """The cells of a column as text.

        Raises:
            EvidenceMissing: no such column.
        """
        return tuple(self._cells(name))

    def attribute(self, name: str, key: str) -> str:
        """Never there: a table has no attributes.

        Raises:
            EvidenceMissing: always.
        """
        raise EvidenceMissing(f"{self.where}#{name}", "a CSV file has no attributes")

    def _cells(self, name: str) -> list[str]:
        if name not in self._index:
            raise EvidenceMissing(f"{self.where}#{name}", "there is no such column")
        at = self._index[name]
        return [row[at].strip() for row in self.rows]

    def _is_numeric(self, name: str) -> bool:
        return bool(self.rows) and all(map(_NUMBER.match, self._cells(name)))


def parse_csv(
    where: str, text: str, *, delimiter: str = ",", trusted: bool = False, limits: Limits = LIMITS
) -> CsvFile:
    """A table from text. `trusted` allows comments and a trailing column of notes.

    Raises:
        EvidenceError: no header, a name that is blank or there twice, a row of another width, a
            blank line between rows, a NUL, or broken quotes.
        EvidenceLimit: more columns than are read.
    """
    if "\0" in text:
        raise EvidenceError(where, "has a NUL character")
    if trusted:
        text = "".join(x for x in text.splitlines(keepends=True) if not x.startswith("#"))
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise EvidenceError(where, f"not valid CSV: {error}") from None
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise EvidenceError(where, "is empty; the first line must name the columns")
    header = _header(where, lines[0], limits)
    rows = lines[1:]
    if trusted and header[-1] == "notes":
        rows = [[*r, ""] if len(r) == len(header) - 1 else r for r in rows]
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            told = f"row {number} has {len(row)} cells, and the header {len(header)}"
            raise EvidenceError(where, told)
    return CsvFile(where, header, rows, limits)


def _header(where: str, line: Sequence[str], limits: Limits) -> tuple[str, ...]:
    require_count(where, len(line), limits)
    header = tuple(name.strip() for name in line)
    for name in header:
        if not name:
            raise EvidenceError(where, "a column has no name")
        if header.count(name) > 1:
            raise EvidenceError(where, f"the column {name[:80]!r} is there twice")
    if all(_NUMBER.match(name) for name in header):
        raise EvidenceError(where, "the first line is numbers; it must name the columns")
    return header
