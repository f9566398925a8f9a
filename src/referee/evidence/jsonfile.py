"""JSON as evidence: no doubled key, no NaN, no deep nesting; arrays by JSON pointer.

A rectangular list of numbers is an array, an object with exactly `real` and `imag` a complex number
(of single values or of whole arrays), and a list of records with the same keys a table whose
columns have the pointer of the list plus the key.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.evidence.arrays import ArrayInfo, Numbers, finite, require_count, require_size
from referee.evidence.fault import EvidenceError, EvidenceMissing
from referee.evidence.limits import LIMITS, Limits
from referee.record.pointer import at_pointer, escaped

_COMPLEX = {"real", "imag"}


def parse_json(where: str, text: str, limits: Limits = LIMITS) -> Any:
    """The value of a JSON text.

    Raises:
        EvidenceError: bad syntax, a doubled key, NaN, an infinity, a number beyond a float, or
            deeper nesting than any array needs.
    """

    def objects(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            keys = [key for key, _ in pairs]
            doubled = next(key for key in keys if keys.count(key) > 1)
            raise EvidenceError(where, f"the key {doubled[:80]!r} is there twice")
        return made

    def constant(name: str) -> float:
        raise EvidenceError(where, f"{name} is not a JSON number")

    def number(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise EvidenceError(where, f"{digits[:40]} is larger than any float")
        return value

    try:
        value = json.loads(
            text, object_pairs_hook=objects, parse_constant=constant, parse_float=number
        )
    except json.JSONDecodeError as error:
        told = f"line {error.lineno}: not valid JSON: {error.msg}"
        raise EvidenceError(where, told) from None
    except RecursionError:
        raise EvidenceError(where, f"is nested deeper than {limits.json_depth}") from None
    except ValueError:
        raise EvidenceError(where, "a whole number has thousands of digits") from None
    if not _shallow(value, limits.json_depth):
        raise EvidenceError(where, f"is nested deeper than {limits.json_depth}")
    return value


@dataclass(frozen=True)
class JsonFile:
    """A parsed JSON document as arrays."""

    where: str
    value: Any
    limits: Limits = LIMITS

    def infos(self) -> tuple[ArrayInfo, ...]:
        """All arrays and single values, by pointer.

        Raises:
            EvidenceLimit: more than are read.
        """
        found: list[ArrayInfo] = []
        for info in _infos(self.value, ""):
            found.append(info)
            require_count(self.where, len(found), self.limits)
        return tuple(found)

    def numbers(self, name: str) -> Numbers:
        """The finite numbers at a pointer.

        Raises:
            EvidenceMissing: nothing is there.
            EvidenceError: not a rectangular list of finite numbers.
            EvidenceLimit: more bytes than an array may have.
        """
        where = f"{self.where}#{name}"
        value = self._at(name)
        if isinstance(value, Mapping) and set(value) == _COMPLEX:
            real = _array(where, value["real"], self.limits)
            imag = _array(where, value["imag"], self.limits)
            if real.shape != imag.shape:
                raise EvidenceError(where, "real and imag do not have the same shape")
            return finite(where, real + 1j * imag, self.limits)
        return finite(where, _array(where, value, self.limits), self.limits)

    def texts(self, name: str) -> tuple[str, ...]:
        """The text, or list of texts, at a pointer.

        Raises:
            EvidenceMissing: nothing is there.
            EvidenceError: not text.
        """
        value = self._at(name)
        items = value if isinstance(value, list) else [value]
        if not items or not all(isinstance(item, str) for item in items):
            raise EvidenceError(f"{self.where}#{name}", "is not text")
        return tuple(items)

    def attribute(self, name: str, key: str) -> str:
        """The text at `key` beside or below the value at the pointer `name`.

        Raises:
            EvidenceMissing: no such text.
        """
        parent = name.rpartition("/")[0]
        for pointer in (f"{name}/{escaped(key)}", f"{parent}/{escaped(key)}"):
            try:
                value = at_pointer(self.value, pointer)
            except KeyError:
                continue
            if isinstance(value, str):
                return value
        raise EvidenceMissing(f"{self.where}#{name}", f"has no attribute {key}")

    def _at(self, name: str) -> Any:
        where = f"{self.where}#{name}"
        try:
            return at_pointer(self.value, name)
        except KeyError:
            parent, _, key = name.rpartition("/")
        except ValueError as error:
            raise EvidenceError(where, str(error)) from None
        try:
            records = at_pointer(self.value, parent)
        except KeyError:
            raise EvidenceMissing(where, "there is no such value") from None
        if not _is_records(records):
            raise EvidenceMissing(where, "there is no such value")
        if len({frozenset(record) for record in records}) != 1:
            raise EvidenceError(where, "the records do not have the same keys")
        columns = {escaped(column): column for column in records[0]}
        if key not in columns:
            raise EvidenceMissing(where, "the records have no such key")
        return [record[columns[key]] for record in records]


def _array(where: str, value: Any, limits: Limits) -> NDArray[Any]:
    shape: list[int] = []
    level = [value]
    while level and isinstance(level[0], list):
        width = len(level[0])
        if not all(isinstance(item, list) and len(item) == width for item in level):
            raise EvidenceError(where, "the list is not rectangular")
        shape.append(width)
        level = [part for item in level for part in item]
    require_size(where, len(level), 8, limits)
    if any(isinstance(item, Mapping) for item in level):
        numbers: list[Any] = [_complex(where, item) for item in level]
    else:
        plain = all(type(item) is float for item in level)
        numbers = level if plain else [_real(where, item) for item in level]
    return np.array(numbers, dtype=None if numbers else np.float64).reshape(shape)


def _real(where: str, item: Any) -> float:
    if type(item) is not float and type(item) is not int:
        raise EvidenceError(where, f"a value of the type {_named(item)} is not a number")
    try:
        return float(item)
    except OverflowError:
        raise EvidenceError(where, "a whole number is larger than any float") from None


def _complex(where: str, item: Any) -> complex:
    if isinstance(item, Mapping):
        if set(item) != _COMPLEX:
            raise EvidenceError(where, "a record is not a number")
        return complex(_real(where, item["real"]), _real(where, item["imag"]))
    return complex(_real(where, item))


def _named(item: Any) -> str:
    names = {bool: "truth value", str: "text", type(None): "null", list: "list"}
    return names.get(type(item), "object")


def _is_records(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, Mapping) and set(item) != _COMPLEX for item in value)
    )


def _infos(value: Any, pointer: str) -> Iterator[ArrayInfo]:
    if isinstance(value, Mapping) and set(value) != _COMPLEX:
        for key, part in value.items():
            yield from _infos(part, f"{pointer}/{escaped(key)}")
    elif _is_records(value):
        for key in value[0]:
            column = [record.get(key) for record in value]
            yield from _infos(column, f"{pointer}/{escaped(key)}")
    else:
        yield _info(value, pointer)


def _info(value: Any, pointer: str) -> ArrayInfo:
    shape: list[int] = []
    part = value
    if isinstance(part, Mapping):
        part = part["real"]
        inner = _info(part, pointer)
        return ArrayInfo(pointer, "complex" if inner.kind == "real" else "unusable", inner.shape)
    while isinstance(part, list):
        shape.append(len(part))
        if not part:
            return ArrayInfo(pointer, "unusable", tuple(shape))
        part = part[0]
    if isinstance(part, Mapping):
        kind = "complex" if set(part) == _COMPLEX else "unusable"
    elif isinstance(part, bool) or part is None:
        kind = "unusable"
    else:
        kind = "text" if isinstance(part, str) else "real"
    return ArrayInfo(pointer, kind, tuple(shape))  # type: ignore[arg-type]


def _shallow(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth + 1):
        inside: list[Any] = []
        for item in level:
            if isinstance(item, Mapping):
                inside += item.values()
            elif isinstance(item, list):
                inside += item
        level = [item for item in inside if isinstance(item, list | Mapping)]
        if not level:
            return True
    return False
