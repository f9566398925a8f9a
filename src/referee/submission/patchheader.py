"""The header lines of one file in a patch: names, modes, ids and the kind of change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from referee.record.tree import EXECUTABLE, REGULAR, SYMLINK
from referee.submission.gitcode import BadCode, unquote
from referee.submission.refusal import Refused

ChangeKind = Literal["add", "modify", "delete", "rename", "copy"]
SUBMODULE = "160000"
_MODES = (REGULAR, EXECUTABLE, SYMLINK, SUBMODULE)
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?")


@dataclass
class Header:
    """What the header lines of one file said so far."""

    default: str | None = None
    kind: ChangeKind = "modify"
    old: str | None = None
    new: str | None = None
    seen: dict[str, str] = field(default_factory=dict)
    traditional: bool = False
    marks: str = ""

    def put(self, key: str, value: str) -> None:
        if self.seen.setdefault(key, value) != value:
            raise Refused("malformed_patch", self.default, f"the header states {key} twice")

    def become(self, kind: ChangeKind) -> None:
        if self.kind not in ("modify", kind):
            raise Refused("malformed_patch", self.default, "the header states two kinds of change")
        self.kind = kind


_TakeRest = Callable[[Header, bytes], None]


def no_carriage_return(line: bytes) -> None:
    if line.endswith(b"\r"):
        raise Refused("line_endings", None, "the patch itself has CRLF line ends")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _strip(name: bytes) -> str:
    """Without the first component (`a/` or `b/`)."""
    head, slash, tail = name.partition(b"/")
    if not slash or not tail or not head:
        raise Refused("bad_path", _text(name), "a name in a patch must start with a/ or b/")
    return _text(tail)


def default_name(rest: bytes) -> str | None:
    """The one name that both halves of a `diff --git` line have, or None if they differ."""
    try:
        if rest.startswith(b'"'):
            first, tail = unquote(rest)
            second = unquote(tail[1:])[0] if tail.startswith(b' "') else tail[1:]
            return _common(first, second)
        if rest.endswith(b'"'):
            first, _, tail = rest.partition(b' "')
            return _common(first, unquote(b'"' + tail)[0])
    except BadCode as error:
        raise Refused("malformed_patch", None, str(error)) from error
    at = rest.find(b" ")
    while at >= 0:
        if (name := _common(rest[:at], rest[at + 1 :])) is not None:
            return name
        at = rest.find(b" ", at + 1)
    return None


def _common(first: bytes, second: bytes) -> str | None:
    one, two = first.partition(b"/")[2], second.partition(b"/")[2]
    return _text(one) if one and one == two else None


def _file_name(rest: bytes) -> bytes:
    return unquote(rest)[0] if rest.startswith(b'"') else rest.partition(b"\t")[0]


def _take_old(header: Header, rest: bytes) -> None:
    name = _file_name(rest)
    header.marks += "-"
    if name == b"/dev/null":
        _absent(header, "add")
        return
    _set_name(header, "old", _strip(name))


def _take_new(header: Header, rest: bytes) -> None:
    name = _file_name(rest)
    header.marks += "+"
    if name == b"/dev/null":
        _absent(header, "delete")
        return
    _set_name(header, "new", _strip(name))


def _absent(header: Header, kind: ChangeKind) -> None:
    """`/dev/null` stands for a missing side; below `diff --git` a mode line must have said so."""
    if not header.traditional and header.kind != kind:
        raise Refused("malformed_patch", header.default, "a missing file without its mode line")
    header.become(kind)


def _set_name(header: Header, side: Literal["old", "new"], name: str) -> None:
    header.put(f"{side} name", name)
    setattr(header, side, name)


def _take_whole(side: Literal["old", "new"], kind: ChangeKind) -> _TakeRest:
    def take(header: Header, rest: bytes) -> None:
        header.become(kind)
        _set_name(header, side, _text(unquote(rest)[0] if rest.startswith(b'"') else rest))

    return take


def _take_mode(side: str, kind: ChangeKind) -> _TakeRest:
    def take(header: Header, rest: bytes) -> None:
        if kind != "modify":
            header.become(kind)
        mode = rest.decode("ascii", "replace")
        if mode not in _MODES:
            raise Refused("malformed_patch", header.default, "an unknown file mode")
        header.put(side, mode)

    return take


def _take_index(header: Header, rest: bytes) -> None:
    found = _INDEX.fullmatch(rest)
    if found is None:
        raise Refused("malformed_patch", header.default, "an index line that cannot be read")
    header.put("old id", found[1].decode())
    header.put("new id", found[2].decode())
    if found[3] is not None:
        mode = found[3].decode()
        if mode not in _MODES:
            raise Refused("malformed_patch", header.default, "an unknown file mode")
        header.put("index mode", mode)


def _take_nothing(header: Header, rest: bytes) -> None:
    """Similarity figures do not change what is applied."""


_HEADER_LINES = (
    (b"--- ", _take_old),
    (b"+++ ", _take_new),
    (b"old mode ", _take_mode("old", "modify")),
    (b"new mode ", _take_mode("new", "modify")),
    (b"deleted file mode ", _take_mode("old", "delete")),
    (b"new file mode ", _take_mode("new", "add")),
    (b"rename from ", _take_whole("old", "rename")),
    (b"rename to ", _take_whole("new", "rename")),
    (b"copy from ", _take_whole("old", "copy")),
    (b"copy to ", _take_whole("new", "copy")),
    (b"index ", _take_index),
    (b"similarity index ", _take_nothing),
    (b"dissimilarity index ", _take_nothing),
)


def take_header_line(header: Header, line: bytes) -> bool:
    """Note what `line` says; False if it is no header line.

    Raises:
        Refused: it contradicts an earlier line or cannot be read.
    """
    for prefix, take in _HEADER_LINES:
        if line.startswith(prefix):
            no_carriage_return(line)
            try:
                take(header, line[len(prefix) :])
            except BadCode as error:
                raise Refused("malformed_patch", header.default, str(error)) from error
            return True
    return False
