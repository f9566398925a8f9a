"""The hunks of a reference repair, each with a name that survives a change of line numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from referee.author.variant import Workpiece
from referee.record.canonical import sha256_json
from referee.submission.apply import apply_hunks
from referee.submission.linediff import changed_blocks, split_lines
from referee.submission.patchtext import FileChange, parse_patch

NAME_CHARS = 12


@dataclass(frozen=True)
class ReferenceHunk:
    """One hunk: `name` is a hash of its path, the lines that it removes and adds, and how many such
    hunks stand above it; `first` and `last` its
    lines in the repaired file (0 for a deleted or binary file), `without` the whole content of the
    file when this hunk alone is dropped (None: no file)."""

    path: str
    name: str
    first: int
    last: int
    without: bytes | None

    @property
    def label(self) -> str:
        """`path:line`, for people."""
        return f"{self.path}:{self.first}" if self.first else self.path


def reference_hunks(work: Workpiece) -> tuple[ReferenceHunk, ...]:
    """The hunks in the order of the canonical patch; an added, deleted or binary file is one."""
    found: list[ReferenceHunk] = []
    seen: Counter[str] = Counter()
    for change in parse_patch(work.reference.patch, max_bytes=work.policy.max_bytes).changes:
        text = change.kind == "modify" and change.hunks
        for hunk in _hunks(work, change) if text else [_whole(work, change)]:
            seen[hunk.name] += 1
            name = sha256_json([hunk.path, hunk.name, seen[hunk.name]])[:NAME_CHARS]
            found.append(replace(hunk, name=name))
    return tuple(found)


def _whole(work: Workpiece, change: FileChange) -> ReferenceHunk:
    path = change.path
    before, after = work.before(path), work.reference.changes[path]
    lines = len(split_lines(after)) if after is not None and change.binary is None else 0
    return ReferenceHunk(path, _name(before or b"", after or b""), min(1, lines), lines, before)


def _hunks(work: Workpiece, change: FileChange) -> Iterator[ReferenceHunk]:
    path = change.path
    lines = split_lines(work.read(path))
    shift = 0
    for index, hunk in enumerate(change.hunks):
        others = change.hunks[:index] + change.hunks[index + 1 :]
        kept, _moved = apply_hunks(lines, others, path)
        blocks = changed_blocks(hunk.old, hunk.new)
        start = hunk.start + shift
        first, last = start + blocks[0].b0, start + max(blocks[-1].b1 - 1, blocks[0].b0)
        removed = b"".join(b"".join(hunk.old[b.a0 : b.a1]) for b in blocks)
        added = b"".join(b"".join(hunk.new[b.b0 : b.b1]) for b in blocks)
        yield ReferenceHunk(path, _name(removed, added), first, last, b"".join(kept))
        shift += len(hunk.new) - len(hunk.old)


def _name(removed: bytes, added: bytes) -> str:
    return sha256_json([removed.hex(), added.hex()])
