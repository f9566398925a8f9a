"""TOML and JSON files read strictly: every fault is one sentence with the file, line and key."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from referee.record.fault import BadInput

M = TypeVar("M", bound=BaseModel)


def read_text(path: Path) -> str:
    """The UTF-8 text of a file.

    Raises:
        BadInput: the file is absent, unreadable or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise BadInput("the file is missing", where=path) from None
    except UnicodeDecodeError as error:
        raise BadInput(
            f"byte {error.start} is not UTF-8", where=path, hint="save it as UTF-8"
        ) from None
    except OSError as error:
        raise BadInput(f"the file cannot be read ({error.strerror})", where=path) from None


def read_toml(path: Path, model: type[M]) -> M:
    """A TOML file as a closed model.

    Raises:
        BadInput: bad syntax, an unknown key, a missing key or a value of the wrong type.
    """
    text = read_text(path)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"not valid TOML: {error}", where=path) from None
    return _validate(path, text, json.dumps(value, default=str), model)


def read_json(path: Path, model: type[M]) -> M:
    """A JSON file as a closed model; the faults are those of `read_toml`."""
    text = read_text(path)
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"not valid JSON: {error}", where=path) from None
    return _validate(path, text, text, model)


def validated(path: Path, value: Any, model: type[M]) -> M:
    """A value that was read from a file in another way, as a closed model.

    Raises:
        BadInput: an unknown key, a missing key or a value of the wrong type.
    """
    return _validate(path, "", json.dumps(value, default=str), model)


def _validate(path: Path, text: str, document: str, model: type[M]) -> M:
    try:
        return model.model_validate_json(document)
    except ValidationError as error:
        # A misspelt key is also a missing one: the misspelling is what helps.
        faults = error.errors(include_url=False)
        first = next((f for f in faults if f["type"] == "extra_forbidden"), faults[0])
        key = ".".join(str(part) for part in first["loc"]) or "the document"
        line = _line_of(text, [str(part) for part in first["loc"]])
        where = f"{path}:{line}" if line else str(path)
        what, hint = _explain(first, key, model)
        raise BadInput(what, where=where, hint=hint) from None


def _explain(error: Any, key: str, model: type[BaseModel]) -> tuple[str, str | None]:
    kind = error["type"]
    if kind == "extra_forbidden":
        known = _known_keys(model, [str(part) for part in error["loc"][:-1]])
        near = difflib.get_close_matches(str(error["loc"][-1]), known, n=1, cutoff=0.0)
        return f"unknown key {key}", f"did you mean {near[0]}?" if near else "remove it"
    if kind == "missing":
        return f"the key {key} is missing", "add it"
    shown = repr(error.get("input"))
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{key} = {shown}: {error['msg'][0].lower()}{error['msg'][1:]}", None


def _known_keys(model: type[BaseModel], path: list[str]) -> list[str]:
    current: Any = model
    for part in path:
        field = current.model_fields.get(part) if _is_model(current) else None
        current = _model_in(field.annotation) if field is not None else None
        if current is None:
            return []
    return [f.alias or name for name, f in current.model_fields.items()]


def _model_in(annotation: Any) -> Any:
    if _is_model(annotation):
        return annotation
    return next((found for a in get_args(annotation) if (found := _model_in(a))), None)


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _line_of(text: str, path: list[str]) -> int | None:
    """The line of the last named key, as far as a search for the word can tell."""
    names = [part for part in path if not part.isdigit()]
    while names:
        word = re.escape(names.pop())
        pattern = re.compile(rf"""(^\s*["']?{word}["']?\s*[=:])|(^\s*\[+[^\]]*\b{word}\]+)""", re.M)
        if found := pattern.search(text):
            return text.count("\n", 0, found.start() + len(found.group()) - 1) + 1
    return None
