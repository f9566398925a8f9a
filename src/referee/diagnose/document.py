"""JSON files of agents read strictly: what is wrong is said with the file and the key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from referee.record.canonical import canonical_json
from referee.record.fault import BadInput
from referee.record.text import bounded_text
from referee.task.strict import read_text

_NOTE_CHARS = 4000
_MAX_BYTES = 64_000_000


def read_small(path: Path, limit: int) -> str:
    """The UTF-8 text of a file of at most `limit` bytes.

    Raises:
        BadInput: the file is larger, absent, unreadable or not UTF-8.
    """
    if path.is_file() and (size := path.stat().st_size) > limit:
        raise BadInput(f"the file has {size} bytes, and {limit} are allowed", where=path)
    return read_text(path)


class _Refused(ValueError):
    """A JSON text that says something no number can be read from."""


def load_document(path: Path) -> Any:
    """The value of a JSON file.

    Raises:
        BadInput: the file is absent, too large, not UTF-8, not JSON, nested too deeply, gives a key
            twice, or holds NaN, an infinity or a number beyond the range of a double.
    """
    return parse_document(read_small(path, _MAX_BYTES), path)


def parse_document(text: str, path: Path) -> Any:
    """The value of a JSON text that stands, or stood, in a file of this name.

    Raises:
        BadInput: as `load_document`, of a text.
    """
    try:
        return json.loads(
            text,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
            object_pairs_hook=_object,
        )
    except _Refused as error:
        raise BadInput(str(error), where=path) from None
    except json.JSONDecodeError as error:
        raise BadInput(f"not valid JSON: {error}", where=path) from None
    except RecursionError:
        raise BadInput("the JSON is nested too deeply", where=path) from None


def _constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is no number in JSON: write null where there is no value")


def _float(text: str) -> float:
    if not isfinite(value := float(text)):
        raise _Refused(f"the number {text[:40]} is beyond the range of a double")
    return value


def _int(text: str) -> int:
    _float(text)  # Python refuses to read thousands of digits, and no count needs them
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"the key {bounded_text(twice, 80)} stands twice in one object")
    return value


class Row:
    """One JSON object, whose keys are taken one by one; what nobody took is a note."""

    def __init__(self, value: Any, path: Path, key: str = ""):
        """Take a JSON object; `key` says where in the file it stands.

        Raises:
            BadInput: the value is no object.
        """
        self.path = path
        self.key = key
        if not isinstance(value, dict):
            self.fail("", f"an object is wanted and this is {kind(value)}")
        self._left: dict[str, Any] = dict(value)

    def fail(self, name: str, what: str) -> NoReturn:
        """Raise a BadInput that names the file and the key."""
        key = bounded_text(".".join(part for part in (self.key, name) if part), 120)
        raise BadInput(f"{key or 'the document'}: {what}", where=self.path)

    def first(self, names: Iterable[str]) -> tuple[str, Any]:
        """Take the first of the names that is there; ("", None) if none is."""
        for name in names:
            if name in self._left:
                return name, self._left.pop(name)
        return "", None

    def text(self, names: Iterable[str]) -> str | None:
        """Take a text; None if it is absent or null.

        Raises:
            BadInput: it is something else, or holds what UTF-8 cannot.
        """
        name, value = self.first(names)
        if value is None:
            return None
        if not isinstance(value, str):
            self.fail(name, f"a text is wanted and this is {kind(value)}")
        return self._utf8(name, value)

    def number(self, names: Iterable[str]) -> float | None:
        """Take a number; None if it is absent or null.

        Raises:
            BadInput: it is something else.
        """
        name, value = self.first(names)
        return None if value is None else self.as_number(name, value)

    def count(self, names: Iterable[str]) -> int | None:
        """Take a whole number, which may be written as 250.0; None if it is absent or null.

        Raises:
            BadInput: it is something else.
        """
        name, value = self.first(names)
        if value is None:
            return None
        number = self.as_number(name, value)
        if number != int(number):
            self.fail(name, "a whole number is wanted")
        return int(number)

    def as_number(self, name: str, value: Any) -> float:
        """A JSON number as a float.

        Raises:
            BadInput: it is none.
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(name, f"a number is wanted and this is {kind(value)}")
        return float(value)

    def numbers(self, name: str, value: Any) -> tuple[float | None, ...]:
        """A list of numbers and nulls.

        Raises:
            BadInput: it is something else.
        """
        if not isinstance(value, list):
            self.fail(name, f"a list of numbers is wanted and this is {kind(value)}")
        return tuple(
            None if v is None else self.as_number(f"{name}[{i}]", v) for i, v in enumerate(value)
        )

    def numbers_by_name(self, names: Iterable[str]) -> dict[str, float]:
        """Take an object of numbers; nulls in it are left out.

        Raises:
            BadInput: it is something else.
        """
        name, value = self.first(names)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fail(name, f"an object of numbers is wanted and this is {kind(value)}")
        return {
            self._utf8(name, k): self.as_number(f"{name}.{k}", v)
            for k, v in value.items()
            if v is not None
        }

    def starting(self, prefix: str) -> dict[str, float]:
        """Take all numbers whose keys start with `prefix`."""
        names = [name for name in self._left if name.startswith(prefix)]
        found = {name: self.number((name,)) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that nobody took yet."""
        return tuple(self._left)

    def put_back(self, name: str, value: Any) -> None:
        """Leave a value for the notes."""
        self._left[name] = value

    def notes(self) -> dict[str, str]:
        """Everything that nobody took, as text; taking it empties the row."""
        left, self._left = self._left, {}
        return {self._utf8("", name): self._note(name, value) for name, value in left.items()}

    def _note(self, name: str, value: Any) -> str:
        text = value if isinstance(value, str) else self._json(name, value)
        return bounded_text(text, _NOTE_CHARS)

    def _json(self, name: str, value: Any) -> str:
        try:
            return canonical_json(value).decode("utf-8")
        except (UnicodeEncodeError, RecursionError):
            self.fail(name, "it holds what UTF-8 cannot, or is nested too deeply")

    def _utf8(self, name: str, value: str) -> str:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            self.fail(name, "a text is not UTF-8 (half of a surrogate pair)")
        return value


def rows_of(value: Any, path: Path, lists: Iterable[str], name_key: str) -> list[Row]:
    """The objects of a table: a list of them, a list under one of the keys `lists`, or an object
    whose keys are names and whose values are the rows (the name is put under `name_key`).

    Raises:
        BadInput: it is none of these.
    """
    if isinstance(value, Mapping):
        for key in lists:
            if isinstance(value.get(key), list):
                return [Row(v, path, f"{key}[{i}]") for i, v in enumerate(value[key])]
        return [_named(v, path, name, name_key) for name, v in value.items()]
    if not isinstance(value, list):
        raise BadInput(f"a list of rows is wanted and this is {kind(value)}", where=path)
    return [Row(v, path, f"[{i}]") for i, v in enumerate(value)]


def _named(value: Any, path: Path, name: str, name_key: str) -> Row:
    inner = value if isinstance(value, dict) else {"value": value}
    return Row({name_key: name, **inner}, path, name)


def kind(value: Any) -> str:
    """What a JSON value is, in a word for a sentence."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
