"""Reading records back: bounded, strict, of this version only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.record.verdict import RECORD_VERSION

M = TypeVar("M", bound=Frozen)

RECORD_BYTES = 256 << 20
"""Largest record file that is read, in bytes."""


def encode_record(record: Frozen) -> bytes:
    """The bytes of a record on disk: canonical JSON and a newline."""
    return record.canonical() + b"\n"


def load_record(path: Path, model: type[M]) -> M:
    """Read one record file.

    Raises:
        BadInput: the file is missing, unreadable, of another record version, or not a `model`.
    """
    try:
        if path.stat().st_size > RECORD_BYTES:
            raise BadInput("the file is too large for a record", where=path)
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadInput("no such file", where=path, hint="name the folder of a run") from None
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=path) from error
    return parse_record(data, model, where=path)


def parse_record(data: bytes, model: type[M], *, where: Path | str) -> M:
    """Parse the bytes of one record; raises as `load_record` does."""
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        _check_version(data, where)
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        what = f"`{key}`: {first['msg']}" if key else str(first["msg"])
        raise BadInput(
            f"is not a valid record ({what})", where=where, hint="run `referee audit` on the run"
        ) from None


def _check_version(data: bytes, where: Path | str) -> None:
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise BadInput("is not JSON", where=where, hint="run `referee audit` on the run") from None
    version = value.get("record_version") if isinstance(value, dict) else None
    if type(version) is not int:
        raise BadInput("is not a record of referee (no record_version)", where=where)
    if version != RECORD_VERSION:
        raise BadInput(
            f"was written with record version {version}, and this referee reads {RECORD_VERSION}",
            where=where,
            hint="use the version of referee that wrote it, or start a new run folder",
        )
