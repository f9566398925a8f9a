"""Typed roots: the only way to a file of evidence.

A path is relative to a root, in its normal form, and no part of it may be a link: each folder on
the way is opened by itself, so a link cannot be slipped in between check and use.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from referee.evidence.fault import EvidenceError, EvidenceLimit, EvidenceMissing
from referee.evidence.limits import LIMITS, Limits

Candidate = Literal["source", "inputs", "outputs"]
Trusted = Literal["paper", "refs", "diagnostic"]
RootKind = Candidate | Trusted
CANDIDATE_ROOTS: tuple[str, ...] = get_args(Candidate)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing below a root: a regular file with its size in bytes, or what is no evidence: a
    link, or something special such as a pipe. `path` is relative, with `/`."""

    path: str
    kind: Literal["file", "link", "special"]
    size: int


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a listing in the order of the paths; `next_offset` is None at the end."""

    entries: tuple[Entry, ...]
    offset: int
    next_offset: int | None
    total_files: int


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of evidence and what it holds: the candidate's, or the evaluator's own."""

    kind: RootKind
    folder: Path
    limits: Limits = LIMITS

    @property
    def is_candidate(self) -> bool:
        """Whether a candidate wrote what is in it."""
        return self.kind in CANDIDATE_ROOTS

    def where(self, path: str) -> str:
        """How a file is named in messages: `outputs:results/a.csv`."""
        return f"{self.kind}:{path}"

    @contextmanager
    def open(self, path: str, limit: int | None = None) -> Iterator[BinaryIO]:
        """A regular file, read only.

        Raises:
            EvidenceMissing: nothing is at `path`.
            EvidenceError: the path is not allowed, or a link or no regular file is on its way.
            EvidenceLimit: the file has more than `limit` bytes (default: the limit of a file).
        """
        descriptor = self._descriptor(path)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise EvidenceError(self.where(path), "is not a regular file")
            cap = self.limits.file if limit is None else limit
            if status.st_size > cap:
                told = f"has {status.st_size} bytes, and {cap} are read at most"
                raise EvidenceLimit(self.where(path), told)
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                yield stream
        finally:
            os.close(descriptor)

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The bytes of a file; raises as `open`."""
        with self.open(path, limit) as stream:
            return stream.read()

    def text(self, path: str, limit: int | None = None) -> str:
        """The UTF-8 text of a file, without a byte order mark.

        Raises:
            EvidenceFault: as `open` (default limit: that of a text), or the bytes are not UTF-8.
        """
        data = self.read(path, self.limits.text if limit is None else limit)
        return decoded(self.where(path), data)

    def sha256(self, path: str) -> str:
        """SHA-256 of a file; raises as `open`."""
        digest = sha256()
        with self.open(path) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def size(self, path: str) -> int:
        """Bytes of a file; raises as `open`."""
        with self.open(path) as stream:
            return stream.seek(0, os.SEEK_END)

    def has(self, path: str) -> bool:
        """Whether a regular file is at `path`.

        Raises:
            EvidenceError: the path is not allowed, or a link or a special file is on its way.
        """
        try:
            with self.open(path, limit=1 << 62):
                return True
        except EvidenceMissing:
            return False

    def entries(self) -> tuple[Entry, ...]:
        """Everything below the root that is no folder, in the order of the paths.

        Raises:
            EvidenceLimit: there are more files than are listed.
        """
        found: list[Entry] = []
        pending = [""]
        while pending:
            prefix = pending.pop()
            for entry in self._scan(prefix):
                if isinstance(entry, str):
                    pending.append(entry)
                else:
                    found.append(entry)
                if len(found) + len(pending) > self.limits.listed_files:
                    told = f"has more than {self.limits.listed_files} files and folders"
                    raise EvidenceLimit(f"{self.kind} root", told)
        return tuple(sorted(found, key=lambda entry: entry.path))

    def page(self, offset: int = 0, count: int = 1000) -> Page:
        """Up to `count` entries from `offset` on.

        Raises:
            ValueError: `offset` is negative, or `count` is not in 1 to 1000.
        """
        if offset < 0 or not 1 <= count <= 1000:
            raise ValueError(f"offset {offset}, count {count}")
        entries = self.entries()
        end = offset + count
        after = end if end < len(entries) else None
        return Page(entries[offset:end], offset, after, len(entries))

    def _scan(self, prefix: str) -> list[Entry | str]:
        descriptor = self._descriptor(prefix, folder=True)
        try:
            with os.scandir(descriptor) as found:
                return [_entry(prefix, item) for item in found]
        finally:
            os.close(descriptor)

    def _descriptor(self, path: str, *, folder: bool = False) -> int:
        parts = self._parts(path) if path or not folder else ()
        try:
            current = os.open(self.folder, _FOLDER)
        except OSError as error:
            raise EvidenceMissing(f"{self.kind} root", f"cannot be opened: {error}") from None
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            try:
                step = self._step(current, path, part, _FOLDER if folder or not last else _FILE)
            finally:
                os.close(current)
            current = step
        return current

    def _step(self, at: int, path: str, part: str, flags: int) -> int:
        where = self.where(path)
        try:
            mode = os.stat(part, dir_fd=at, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                raise EvidenceError(where, f"{part} is a link")
            if flags == _FOLDER and not stat.S_ISDIR(mode):
                raise EvidenceMissing(where, f"{part} is not a folder")
            if flags == _FILE and not stat.S_ISREG(mode):
                raise EvidenceError(where, "is not a regular file")
            return os.open(part, flags, dir_fd=at)
        except FileNotFoundError:
            raise EvidenceMissing(where, "there is no such file") from None
        except OSError as error:
            raise EvidenceError(where, f"cannot be opened: {error.strerror}") from None

    def _parts(self, path: str) -> tuple[str, ...]:
        if problem := path_problem(path):
            raise EvidenceError(f"{self.kind} path", f"{path[:200]!r} {problem}")
        return tuple(path.split("/"))


@dataclass(frozen=True)
class Evidence:
    """The roots of one grading. The candidate's three are laid out as its submission was: what was
    `outputs/a.csv` there has that path in the root `outputs`."""

    roots: Mapping[RootKind, Root]
    limits: Limits = LIMITS

    def root(self, kind: RootKind) -> Root:
        """The root of a kind.

        Raises:
            EvidenceMissing: there is none.
        """
        if kind not in self.roots:
            raise EvidenceMissing(f"{kind} root", "there is none")
        return self.roots[kind]

    def locate(self, logical: str) -> tuple[Root, str]:
        """The root and path of a rubric's `submission/...` or `refs/...`.

        Raises:
            EvidenceMissing: no root has the file.
            EvidenceError: neither prefix, a path that is not allowed, or more than one root has it.
        """
        head, _, path = logical.partition("/")
        kinds: dict[str, tuple[RootKind, ...]] = {
            "submission": ("outputs", "source", "inputs"),
            "refs": ("refs",),
        }
        if head not in kinds or not path:
            raise EvidenceError(logical[:200], "does not begin with submission/ or refs/")
        there = [self.roots[k] for k in kinds[head] if k in self.roots and self.roots[k].has(path)]
        if len(there) > 1:
            raise EvidenceError(logical, f"is in {there[0].kind} and in {there[1].kind}")
        if not there:
            raise EvidenceMissing(logical, "there is no such file")
        return there[0], path


def path_problem(path: str) -> str | None:
    """Why a path may not be used below a root; None if it may."""
    if not path:
        return "is empty"
    if not path.isprintable():
        return "has a control character"
    if path.startswith("/"):
        return "is absolute"
    parts = path.split("/")
    if ".." in parts:
        return "leaves the root"
    if any(part in ("", ".") for part in parts):
        return "is not in its normal form"
    if len(path) > 1024:
        return "is longer than 1024 characters"
    return None


def decoded(where: str, data: bytes) -> str:
    """UTF-8 text, without a byte order mark.

    Raises:
        EvidenceError: the bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EvidenceError(where, f"byte {error.start} is not UTF-8") from None


def _entry(prefix: str, item: os.DirEntry[str]) -> Entry | str:
    path = f"{prefix}/{item.name}" if prefix else item.name
    if item.is_dir(follow_symlinks=False) and path_problem(path) is None:
        return path
    if item.is_symlink():
        return Entry(path, "link", 0)
    status = item.stat(follow_symlinks=False)
    regular = stat.S_ISREG(status.st_mode) and path_problem(path) is None
    return Entry(path, "file" if regular else "special", status.st_size)
