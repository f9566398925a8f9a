"""A git-style patch as data, and its strict parser. Patches are bytes, never text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from referee.record.tree import REGULAR
from referee.submission.gitcode import BadCode, decode_block
from referee.submission.patchheader import (
    ChangeKind,
    Header,
    default_name,
    no_carriage_return,
    take_header_line,
)
from referee.submission.refusal import Refused

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_BLOCK = re.compile(rb"(literal|delta) (\d{1,12})")
_NO_DATA = re.compile(rb"(?:Binary files|Files) .* differ$")
_COMBINED = (b"diff --cc ", b"diff --combined ")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `old`, expected from line `start` on (counted from 1), become lines `new`; `leading`
    and `trailing` are the numbers of unchanged lines around the change."""

    start: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    leading: int
    trailing: int


@dataclass(frozen=True, slots=True)
class BinaryData:
    """Decoded bytes of a binary block: the new content, or a delta that makes it."""

    form: Literal["literal", "delta"]
    data: bytes


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a patch does to one file. Paths are relative and POSIX; bytes that are not UTF-8 are
    kept by `surrogateescape`. `old` is None for an added file, `new` for a deleted one."""

    kind: ChangeKind
    old: str | None
    new: str | None
    old_mode: str | None = None
    new_mode: str | None = None
    old_id: str | None = None
    new_id: str | None = None
    hunks: tuple[Hunk, ...] = ()
    binary: BinaryData | None = None

    @property
    def path(self) -> str:
        """The path to name in a message."""
        return self.new or self.old or ""


@dataclass(frozen=True, slots=True)
class Patch:
    """The file changes in their order; `repaired` says that the last newline was missing."""

    changes: tuple[FileChange, ...]
    repaired: bool = False


def parse_patch(patch: bytes, *, max_bytes: int) -> Patch:
    """Read a patch; text before, between and after the file changes is passed over as git does.

    `max_bytes` bounds what one binary block may unpack to.

    Raises:
        Refused: the patch breaks the format, or lacks the data of a binary change.
    """
    if not patch.strip():
        return Patch(())
    repaired = not patch.endswith(b"\n")
    lines = patch.split(b"\n")
    if not repaired:
        lines.pop()
    parser = _Parser(lines, max_bytes)
    changes = parser.run()
    if not changes:
        raise Refused("malformed_patch", None, "the patch has no file change that can be read")
    return Patch(tuple(changes), repaired)


class _Parser:
    """A cursor over the lines of one patch."""

    def __init__(self, lines: list[bytes], max_bytes: int):
        self.lines = lines
        self.at = 0
        self.max_bytes = max_bytes
        self.after_hunks = False

    def peek(self, ahead: int = 0) -> bytes | None:
        at = self.at + ahead
        return self.lines[at] if at < len(self.lines) else None

    def run(self) -> list[FileChange]:
        changes: list[FileChange] = []
        while (line := self.peek()) is not None:
            if line.startswith(b"diff --git "):
                changes.append(self.git_change(line))
            elif self.at_traditional():
                changes.append(self.traditional_change())
            else:
                self.pass_over(line)
        return changes

    def pass_over(self, line: bytes) -> None:
        if _HUNK.match(line):
            raise Refused("malformed_patch", None, f"line {self.at + 1}: a hunk without a header")
        if line.startswith(_COMBINED):
            raise Refused("malformed_patch", None, "a merge diff cannot be applied")
        if _NO_DATA.match(line):
            raise Refused("binary_without_data", None, "a binary change has no data")
        if line.rstrip() == b"--" or line.startswith(b"From "):
            self.after_hunks = False
        elif self.after_hunks and line.strip() and line.startswith((b"+", b"-", b" ", b"\\")):
            raise Refused("malformed_patch", None, f"line {self.at + 1}: a hunk is too long")
        self.at += 1

    # ---- headers

    def at_traditional(self) -> bool:
        old, new, hunk = self.peek(), self.peek(1), self.peek(2)
        if old is None or new is None or hunk is None:
            return False
        return old.startswith(b"--- ") and new.startswith(b"+++ ") and _HUNK.match(hunk) is not None

    def traditional_change(self) -> FileChange:
        header = Header(traditional=True)
        for _ in range(2):
            self.header_line(header)
        if header.kind == "modify" and header.old != header.new:
            raise Refused("malformed_patch", header.new, "the two names of a file differ")
        return self.body(header)

    def git_change(self, line: bytes) -> FileChange:
        no_carriage_return(line)
        header = Header(default=default_name(line[len(b"diff --git ") :]))
        self.at += 1
        while self.header_line(header):
            pass
        if header.kind in ("rename", "copy") and not (header.old and header.new):
            raise Refused("malformed_patch", header.default, f"half of a {header.kind}")
        if header.old is None and header.kind != "add":
            header.old = header.default
        if header.new is None and header.kind != "delete":
            header.new = header.default
        if header.old is None and header.new is None:
            raise Refused("malformed_patch", None, "a file header without a name")
        if header.kind in ("modify", "add", "delete"):
            names = {header.old, header.new, header.default} - {None}
            if len(names) != 1 or (header.kind == "modify" and not (header.old and header.new)):
                raise Refused("malformed_patch", header.new, "the names of a file differ")
        return self.body(header)

    def header_line(self, header: Header) -> bool:
        """Take one header line; False when the next line belongs to the body."""
        line = self.peek()
        if line is None or not take_header_line(header, line):
            return False
        self.at += 1
        return True

    # ---- bodies

    def body(self, header: Header) -> FileChange:
        line = self.peek() or b""
        hunks: list[Hunk] = []
        binary = None
        name = header.new or header.old
        if line.startswith(b"GIT binary patch"):
            binary = self.binary(name)
        elif _NO_DATA.match(line):
            raise Refused("binary_without_data", name, "a binary change has no data")
        else:
            while _HUNK.match(self.peek() or b""):
                hunks.append(self.hunk(name))
            self.after_hunks = bool(hunks)
        if header.marks != ("-+" if hunks else ""):
            raise Refused("malformed_patch", name, "a file needs `---`, `+++` and a hunk, or none")
        if header.kind == "modify" and not hunks and binary is None and "new" not in header.seen:
            raise Refused("malformed_patch", name, "a file header that changes nothing")
        return _change(header, tuple(hunks), binary)

    def hunk(self, name: str | None) -> Hunk:
        found = _HUNK.match(self.lines[self.at])
        assert found is not None
        start = int(found[1])
        old_left = 1 if found[2] is None else int(found[2])
        new_left = 1 if found[4] is None else int(found[4])
        self.at += 1
        body = _HunkBody(name, old_left, new_left)
        while body.open or (self.peek() or b"").startswith(b"\\ "):
            line = self.peek()
            if line is None:
                raise Refused("malformed_patch", name, "the patch ends inside a hunk")
            body.take(line)
            self.at += 1
        return Hunk(start, tuple(body.old), tuple(body.new), body.leading or 0, body.trailing)

    def binary(self, name: str | None) -> BinaryData:
        self.at += 1
        forward = self.block(name)
        if forward is None:
            raise Refused("malformed_patch", name, "a binary change without a block")
        if _BLOCK.fullmatch(self.peek() or b""):
            self.block(name)
        return forward

    def block(self, name: str | None) -> BinaryData | None:
        found = _BLOCK.fullmatch(self.peek() or b"")
        if found is None:
            return None
        size = int(found[2])
        if size > self.max_bytes:
            raise Refused("too_large", name, f"a binary block of {size} bytes")
        self.at += 1
        start = self.at
        while self.peek():
            self.at += 1
        rows = self.lines[start : self.at]
        if self.peek() is None:
            raise Refused("malformed_patch", name, "a binary block does not end in an empty line")
        self.at += 1
        try:
            data = decode_block(rows, size)
        except BadCode as error:
            raise Refused("malformed_patch", name, str(error)) from error
        return BinaryData("literal" if found[1] == b"literal" else "delta", data)


class _HunkBody:
    """Collects the lines of one hunk and holds them against the counts of its header."""

    def __init__(self, name: str | None, old_left: int, new_left: int):
        self.name = name
        self.old: list[bytes] = []
        self.new: list[bytes] = []
        self.old_left, self.new_left = old_left, new_left
        self.leading: int | None = None
        self.trailing = 0
        self.last = b""

    @property
    def open(self) -> bool:
        return self.old_left > 0 or self.new_left > 0

    def take(self, line: bytes) -> None:
        tag, text = (line[:1] or b" "), line[1:] + b"\n"
        if tag == b"\\" and line.startswith(b"\\ ") and self.last:
            self.no_newline()
            return
        if tag not in (b" ", b"-", b"+"):
            raise Refused("malformed_patch", self.name, "a line inside a hunk has no sign")
        if tag != b"+":
            self.old.append(text)
            self.old_left -= 1
        if tag != b"-":
            self.new.append(text)
            self.new_left -= 1
        if self.old_left < 0 or self.new_left < 0:
            raise Refused("malformed_patch", self.name, "a hunk does not have the stated lines")
        if tag == b" ":
            self.trailing += 1
        else:
            self.leading = self.trailing if self.leading is None else self.leading
            self.trailing = 0
        self.last = tag

    def no_newline(self) -> None:
        sides = {b" ": (self.old, self.new), b"-": (self.old,), b"+": (self.new,)}[self.last]
        if (self.last != b"+" and self.old_left) or (self.last != b"-" and self.new_left):
            raise Refused("malformed_patch", self.name, "a missing newline before the last line")
        for side in sides:
            side[-1] = side[-1][:-1]
        self.last = b""


def _change(header: Header, hunks: tuple[Hunk, ...], binary: BinaryData | None) -> FileChange:
    seen = header.seen
    kind = header.kind
    default_mode = REGULAR if kind == "add" else None
    return FileChange(
        kind=kind,
        old=None if kind == "add" else header.old,
        new=None if kind == "delete" else header.new,
        old_mode=seen.get("old", seen.get("index mode")),
        new_mode=None if kind == "delete" else seen.get("new", default_mode),
        old_id=seen.get("old id"),
        new_id=seen.get("new id"),
        hunks=hunks,
        binary=binary,
    )
