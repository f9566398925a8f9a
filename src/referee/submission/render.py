"""The canonical patch between a baseline and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from referee.record.tree import Tree
from referee.submission.gitcode import ABSENT_ID, blob_id, encode_block, quote
from referee.submission.linediff import split_lines, unified

Reader = Callable[[str], bytes]
"""Content of a file of the baseline by path; the target of a symbolic link for a link."""

_SNIFFED = 8000


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a file change: mode and content."""

    mode: str
    data: bytes

    @property
    def binary(self) -> bool:
        """git's own rule: a NUL among the first bytes."""
        return b"\0" in self.data[:_SNIFFED]


def render(
    base: Tree, read: Reader, changes: Mapping[str, bytes | None], modes: Mapping[str, str]
) -> bytes:
    """The patch that makes `changes` on `base`, in its only form.

    `changes` gives the new bytes of a path, or None for a deleted one; `modes` the new mode of each
    path that is not deleted. Files are in the order of their paths; renames are a deletion and an
    addition; ids are whole; binary files are literal blocks. No change gives no bytes.
    """
    out: list[bytes] = []
    for path in sorted(changes):
        entry = base.files.get(path)
        data = changes[path]
        old = None if entry is None else Side(entry.mode, read(path))
        new = None if data is None else Side(modes[path], data)
        out += file_patch(path, old, new)
    return b"".join(out)


def file_patch(path: str, old: Side | None, new: Side | None) -> Iterator[bytes]:
    """The part of a patch for one file; nothing when both sides are equal."""
    if old == new:
        return
    if old is not None and new is not None and old.mode[:3] != new.mode[:3]:
        yield from file_patch(path, old, None)
        yield from file_patch(path, None, new)
        return
    name = path.encode("utf-8", "surrogateescape")
    first, second = quote(b"a/" + name), quote(b"b/" + name)
    yield b"diff --git %s %s\n" % (first, second)
    yield from _mode_lines(old, new)
    before, after = old.data if old else b"", new.data if new else b""
    if old is not None and new is not None and before == after:
        return
    old_id = blob_id(before) if old else ABSENT_ID
    new_id = blob_id(after) if new else ABSENT_ID
    same_mode = f" {old.mode}" if old and new and old.mode == new.mode else ""
    yield f"index {old_id}..{new_id}{same_mode}\n".encode()
    if (old and old.binary) or (new and new.binary):
        yield b"GIT binary patch\nliteral %d\n" % len(after)
        yield from (line + b"\n" for line in encode_block(after))
        yield b"\n"
    elif before != after:
        tab = b"\t" if b" " in name else b""
        yield b"--- %s\n" % (first + tab if old else b"/dev/null")
        yield b"+++ %s\n" % (second + tab if new else b"/dev/null")
        yield from unified(split_lines(before), split_lines(after))


def _mode_lines(old: Side | None, new: Side | None) -> Iterator[bytes]:
    if old is None and new is not None:
        yield f"new file mode {new.mode}\n".encode()
    elif new is None and old is not None:
        yield f"deleted file mode {old.mode}\n".encode()
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {old.mode}\nnew mode {new.mode}\n".encode()
