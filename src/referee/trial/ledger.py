"""The ledger: an append-only list of what happened in a run, each line linked to the one before.

A line is the canonical JSON of {"body", "hash", "kind", "prev", "seq"}: `seq` counts from 0,
`prev` is the hash of the line before (64 zeros at first), `hash` is the SHA-256 of the other four.
The hash of the last line is the head: whoever knows it can tell that no line was changed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from referee.record.atomic import fsync_directory, write_atomic
from referee.record.canonical import canonical_json, sha256_bytes, sha256_json
from referee.record.fault import BadInput
from referee.record.load import open_regular, read_regular

Kind = Literal["genesis", "trial", "interrupted", "regrade", "seal"]
KINDS: tuple[str, ...] = get_args(Kind)
LEDGER = "ledger.jsonl"
LOCK = "run.lock"
TORN = "ledger.torn-"
NO_LINE = "0" * 64
LEDGER_BYTES = 4 << 30
"""Largest ledger that is read, in bytes."""


@dataclass(frozen=True)
class Line:
    """One line of the ledger; `body` depends on `kind` (see `run_folder`)."""

    seq: int
    prev: str
    kind: Kind
    body: Mapping[str, Any]

    @cached_property
    def hash(self) -> str:
        """The hash that stands in the line and in the next line's `prev`."""
        return sha256_json(self._linked())

    def encode(self) -> bytes:
        """The line's bytes, with its newline."""
        return canonical_json({**self._linked(), "hash": self.hash}) + b"\n"

    def _linked(self) -> dict[str, Any]:
        return {"body": self.body, "kind": self.kind, "prev": self.prev, "seq": self.seq}


@dataclass(frozen=True)
class LedgerText:
    """What a reader found: the good lines, the bytes after the last newline, and the first fault.

    `torn` is what an append that was cut off leaves. `fault` says what is wrong with the first bad
    line; lines after it are not trusted and not returned. `size` is the bytes of the good lines.
    """

    lines: tuple[Line, ...]
    torn: bytes
    fault: str | None
    size: int

    @property
    def head(self) -> str:
        """The hash of the last good line."""
        return self.lines[-1].hash if self.lines else NO_LINE


def parse_ledger(data: bytes) -> LedgerText:
    """Check every line of a ledger, byte for byte. Never raises for bad content."""
    whole, newline, torn = data.rpartition(b"\n")
    rows = (whole + newline).split(b"\n")[:-1] if newline else []
    lines: list[Line] = []
    prev, size = NO_LINE, 0
    for seq, row in enumerate(rows):
        line, fault = _parse_line(row + b"\n", seq, prev)
        if line is None:
            return LedgerText(tuple(lines), torn, f"line {seq + 1}: {fault}", size)
        lines.append(line)
        prev, size = line.hash, size + len(row) + 1
    return LedgerText(tuple(lines), torn, None, size)


def read_ledger(run: Path) -> LedgerText:
    """Read a run's ledger without changing it; a missing ledger has no lines.

    Raises:
        BadInput: the file cannot be read.
    """
    path = run / LEDGER
    try:
        return parse_ledger(read_regular(path, LEDGER_BYTES))
    except FileNotFoundError:
        return LedgerText((), b"", None, 0)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=path) from error


def ledger_head(run: Path) -> str:
    """The hash that the last whole line claims, without a check of the chain (for caches).

    Raises:
        BadInput: there is no ledger, or its last line is not one.
    """
    path = run / LEDGER
    try:
        with open_regular(path) as stream:
            end = stream.seek(0, os.SEEK_END)
            block = 1 << 16
            while True:
                start = max(0, end - block)
                stream.seek(start)
                rows = stream.read(end - start).split(b"\n")
                if len(rows) >= 3 or start == 0:
                    break
                block *= 4
        head = json.loads(rows[-2])["hash"]
    except OSError as error:
        raise BadInput(
            f"cannot be read ({error.strerror})", where=path, hint="name the folder of a run"
        ) from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise BadInput(
            "has no readable last line", where=path, hint="run `referee audit` on the run"
        ) from None
    return str(head)


@contextlib.contextmanager
def lock_run(run: Path) -> Iterator[None]:
    """Hold the run for this process until the block ends (or the process dies, however it dies).

    A child made by fork without exec would share the lock, so start children by exec.

    Raises:
        BadInput: another process holds it.
    """
    with writing_to(run):
        fd = os.open(run / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(
                "another process is writing this run",
                where=run,
                hint="wait for it to end, or choose another --out",
            ) from None
        except OSError as error:
            raise BadInput(
                f"the run cannot be locked ({error.strerror})",
                where=run,
                hint="choose --out on a file system with locks",
            ) from error
        yield
    finally:
        os.close(fd)


class LedgerWriter:
    """Appends to the ledger of a run whose lock this process holds."""

    def __init__(self, run: Path):
        """Read the ledger, and put the tail of an interrupted append aside.

        Raises:
            BadInput: a line is damaged, or the disk is full.
        """
        self._path = run / LEDGER
        with writing_to(run):
            text = read_ledger(run)
            if text.fault is not None:
                raise BadInput(
                    f"the ledger is damaged ({text.fault})",
                    where=self._path,
                    hint="run `referee audit` on it; a damaged run is never continued",
                )
            if text.torn:
                self._put_aside(text)
        self.lines = list(text.lines)
        self._size = text.size
        self._broken = False

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self.lines[-1].hash if self.lines else NO_LINE

    def append(self, kind: Kind, body: Mapping[str, Any]) -> Line:
        """Add one line; when this returns, the line is on the disk.

        Raises:
            BadInput: the disk is full or failed; the ledger is as it was, and this writer is shut.
        """
        if self._broken:
            raise BadInput("the ledger could not be written", where=self._path)
        line = Line(len(self.lines), self.head, kind, dict(body))
        data = line.encode()
        self._broken = True
        with writing_to(self._path):
            self._append_bytes(data)
        self._broken = False
        self.lines.append(line)
        self._size += len(data)
        return line

    def record_torn(self) -> None:
        """Give every tail that was put aside, now or before, its `interrupted` line."""
        recorded = {str(line.body.get("path")) for line in self.lines}
        for path in sorted(self._path.parent.glob(TORN + "*")):
            if path.name not in recorded:
                digest = sha256_bytes(read_regular(path))
                self.append(
                    "interrupted", {"what": "torn_line", "path": path.name, "digest": digest}
                )

    def _append_bytes(self, data: bytes) -> None:
        created = not self._path.exists()
        fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if os.fstat(fd).st_size != self._size:
                raise BadInput("was changed by another program during the run", where=self._path)
            try:
                written = os.write(fd, data)
                if written != len(data):
                    raise OSError(errno.ENOSPC, "short write")
                os.fsync(fd)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, self._size)
                raise
        finally:
            os.close(fd)
        if created:
            fsync_directory(self._path.parent)

    def _put_aside(self, text: LedgerText) -> None:
        run = self._path.parent
        number = 1
        while (run / f"{TORN}{number}").exists():
            number += 1
        write_atomic(run / f"{TORN}{number}", text.torn)
        with self._path.open("rb+") as stream:
            stream.truncate(text.size)
            os.fsync(stream.fileno())


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn a failure to write records into one sentence: a run that cannot be recorded must stop.

    Raises:
        BadInput: the disk is full, read-only or failed, or the folder is not ours.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BadInput(
                "the disk is full",
                where=path,
                hint="free some space and run the same command again: finished trials are kept",
            ) from error
        raise BadInput(
            f"cannot be written ({error.strerror})",
            where=path,
            hint="mend that and run the same command again: finished trials are kept",
        ) from error


def _parse_line(row: bytes, seq: int, prev: str) -> tuple[Line | None, str]:
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        return None, "is not JSON"
    if not isinstance(value, dict) or value.keys() != {"body", "hash", "kind", "prev", "seq"}:
        return None, "does not have the keys of a ledger line"
    if value["kind"] not in KINDS or not isinstance(value["body"], dict):
        return None, "has an unknown kind"
    if type(value["seq"]) is not int or value["seq"] != seq:
        return None, f"should have seq {seq}"
    if value["prev"] != prev:
        return None, "does not follow the line before it"
    line = Line(seq, prev, value["kind"], value["body"])
    try:
        same = line.encode() == row
    except ValueError:
        same = False
    return (line, "") if same else (None, "was edited: its hash does not hold")
