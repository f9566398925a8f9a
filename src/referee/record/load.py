"""Reading records back: bounded, strict, of this version only."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import ValidationError

from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.record.text import bounded_text
from referee.record.verdict import RECORD_VERSION

M = TypeVar("M", bound=Frozen)

RECORD_BYTES = 256 << 20
"""Largest record file that is read, in bytes."""


def encode_record(record: Frozen) -> bytes:
    """The bytes of a record on disk: canonical JSON and a newline."""
    return record.canonical() + b"\n"


@contextlib.contextmanager
def open_regular(path: Path) -> Iterator[IO[bytes]]:
    """Open a regular file to read. Whoever sends a run folder may put anything in a file's place:
    a pipe would keep a reader waiting, a device would never end.

    Raises:
        OSError: it cannot be opened, or is a link or no regular file at all (EINVAL).
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise OSError(errno.EINVAL, "not a regular file", str(path)) from error
        raise
    with os.fdopen(fd, "rb") as stream:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        yield stream


def read_regular(path: Path, limit: int = RECORD_BYTES) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; raises as `open_regular`, or EFBIG."""
    with open_regular(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit} bytes", str(path))
    return data


def load_record(path: Path, model: type[M]) -> M:
    """Read one record file.

    Raises:
        BadInput: the file is missing, unreadable, of another record version, or not a `model`.
    """
    try:
        data = read_regular(path)
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
        what = bounded_text(f"`{key}`: {first['msg']}" if key else str(first["msg"]), 300)
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
