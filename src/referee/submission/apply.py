"""One strict applier: all or nothing, exact context, no fuzz; the result is named by its digest."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.record.canonical import sha256_bytes
from referee.record.fault import Infrastructure
from referee.record.tree import REGULAR, SYMLINK, Entry, Tree
from referee.submission.gitcode import ABSENT_ID, BadCode, apply_delta, blob_id
from referee.submission.linediff import split_lines
from referee.submission.patchheader import SUBMODULE
from referee.submission.patchtext import FileChange, Hunk, Patch, parse_patch
from referee.submission.policy import Policy
from referee.submission.refusal import Refusal, Refused
from referee.submission.render import Reader, render

_SEARCH_BUDGET = 20_000_000


@dataclass(frozen=True)
class Applied:
    """What a submission makes of the baseline.

    `tree` is the whole resulting tree; `changes` the new bytes of each changed path (None for a
    deleted one); `modes` the mode of each path that is not deleted; `patch` the canonical patch;
    `moved` the hunks that were found at another line than they state; `ignored` the paths that a
    workspace had and that were dropped as caches or build outputs.
    """

    tree: Tree
    changes: Mapping[str, bytes | None]
    modes: Mapping[str, str]
    patch: bytes
    moved: int = 0
    ignored: tuple[str, ...] = ()


def tree_reader(base: Tree, base_dir: Path) -> Reader:
    """A reader of the files of `base` that lie in `base_dir`, checked against their hashes.

    The reader raises Infrastructure (`snapshot_changed`) when a file is not what the tree says.
    """

    def read(path: str) -> bytes:
        entry = base.files[path]
        place = base_dir / path
        try:
            link = entry.mode == SYMLINK
            data = os.fsencode(place.readlink()) if link else place.read_bytes()
        except OSError as error:
            raise Infrastructure("snapshot_changed", f"{path}: {error.strerror}") from error
        if sha256_bytes(data) != entry.sha256:
            raise Infrastructure("snapshot_changed", f"{path} does not have its locked content")
        return data

    return read


def apply_patch(
    base: Tree, read: Reader, patch: bytes | Patch, policy: Policy
) -> Applied | Refusal:
    """Apply `patch` to `base` in memory, or say why not; nothing on disk changes.

    A hunk must match at the line that it states, or else at exactly one other place. An empty
    patch is a submission that changes nothing.
    """
    try:
        if isinstance(patch, bytes):
            if len(patch) > policy.max_bytes:
                return policy.oversize(None)
            patch = parse_patch(patch, max_bytes=policy.max_bytes)
        work = _Work(base, read, policy)
        for change in patch.changes:
            work.admit(change)
        for change in patch.changes:
            work.make(change)
        return settle(base, read, work.changes(), work.modes, policy, moved=work.moved)
    except Refused as refused:
        return refused.refusal


@dataclass
class _Work:
    """The state of one application. As in git, renames and copies read the baseline, and other
    changes see what earlier changes of the same patch made."""

    base: Tree
    read: Reader
    policy: Policy
    written: dict[str, bytes] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    leaving: set[str] = field(default_factory=set)
    moved: int = 0

    def changes(self) -> dict[str, bytes | None]:
        gone: dict[str, bytes | None] = dict.fromkeys(self.deleted)
        return gone | self.written

    def admit(self, change: FileChange) -> None:
        """Refuse by name and kind, before anything is looked at."""
        touched = {change.new, None if change.kind == "copy" else change.old} - {None}
        for path in sorted(p for p in touched if p is not None):
            _demand(self.policy.check(path))
        if change.new_mode == SYMLINK or (
            change.kind != "delete" and change.old_mode == SYMLINK and change.new_mode is None
        ):
            raise Refused("symlink", change.path, "a submission may not have symbolic links")
        if SUBMODULE in (change.old_mode, change.new_mode):
            raise Refused("submodule", change.path, "a submission may not have submodules")
        if change.kind in ("delete", "rename") and change.old is not None:
            self.leaving.add(change.old)
        if len(self.leaving | self.deleted) > 2 * self.policy.max_files:
            _demand(self.policy.overcount())

    def make(self, change: FileChange) -> None:
        mode, data = self.before(change)
        after = self.content(change, data)
        if change.kind == "delete":
            if after:
                raise Refused("context_mismatch", change.old, "a deletion leaves content")
        elif change.new is not None:
            self.room_for(change)
            _demand(self.policy.check_content(change.new, after, self.base_size(change)))
            self.written[change.new] = after
            self.modes[change.new] = change.new_mode or mode
        if change.kind in ("delete", "rename") and change.old is not None:
            self.deleted.add(change.old)
            if change.kind == "delete":
                self.written.pop(change.old, None)
                self.modes.pop(change.old, None)
        elif change.new is not None:
            self.deleted.discard(change.new)
        if len(self.written) + len(self.deleted) > 2 * self.policy.max_files:
            _demand(self.policy.overcount())

    def base_size(self, change: FileChange) -> int:
        entry = self.base.files.get(change.old or change.path)
        return 0 if entry is None else entry.size

    def before(self, change: FileChange) -> tuple[str, bytes]:
        """Mode and content that the change starts from."""
        path = change.old
        if path is None:
            return REGULAR, b""
        from_base = change.kind in ("rename", "copy")
        if not from_base and path in self.written:
            return self.modes[path], self.written[path]
        entry = self.base.files.get(path)
        if entry is None or (not from_base and path in self.deleted):
            raise Refused("missing_file", path, "there is no such file in the baseline")
        if entry.mode == SYMLINK and change.kind != "delete":
            raise Refused("symlink", path, "a symbolic link of the baseline may only be deleted")
        if change.old_mode is not None and (change.old_mode == SYMLINK) != (entry.mode == SYMLINK):
            raise Refused("context_mismatch", path, "the baseline has another type of file here")
        return entry.mode, self.read(path)

    def room_for(self, change: FileChange) -> None:
        """An added, renamed or copied file must not be there yet."""
        path = change.new
        if path is None or change.kind == "modify":
            return
        in_base = path in self.base.files and path not in self.deleted | self.leaving
        if path in self.written or in_base:
            raise Refused("already_exists", path, "the file is there already")

    def content(self, change: FileChange, data: bytes) -> bytes:
        if change.binary is not None:
            return _binary_content(change, data, self.policy.cap(self.base_size(change)))
        if not change.hunks:
            return data
        lines, moved = apply_hunks(split_lines(data), change.hunks, change.path)
        self.moved += moved
        return b"".join(lines)


def _demand(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise Refused(refusal.reason, refusal.path, refusal.detail)


def _binary_content(change: FileChange, data: bytes, max_bytes: int) -> bytes:
    assert change.binary is not None
    if change.old_id is None or change.new_id is None or len(change.old_id + change.new_id) != 80:
        raise Refused("malformed_patch", change.path, "a binary change needs a full index line")
    if change.old_id != (ABSENT_ID if change.kind == "add" else blob_id(data)):
        raise Refused("context_mismatch", change.path, "a binary change is for other content")
    after = change.binary.data
    if change.binary.form == "delta":
        try:
            after = apply_delta(data, after, max_bytes=max_bytes)
        except BadCode as error:
            raise Refused("malformed_patch", change.path, str(error)) from error
    if change.new_id != (ABSENT_ID if change.kind == "delete" else blob_id(after)):
        raise Refused("malformed_patch", change.path, "a binary change has other data than stated")
    return after


def apply_hunks(lines: list[bytes], hunks: Sequence[Hunk], path: str) -> tuple[list[bytes], int]:
    """The new lines, and how many hunks had to move.

    Raises:
        Refused: `context_mismatch` or `ambiguous_context`.
    """
    out: list[bytes] = []
    done = moved = 0
    finder = _Finder(lines, path)
    for number, hunk in enumerate(hunks, 1):
        place = _place(finder, hunk, number)
        if place < done:
            raise Refused("context_mismatch", path, f"hunk {number} lies before the one above it")
        moved += place != _stated(hunk)
        out += lines[done:place]
        out += hunk.new
        done = place + len(hunk.old)
    return out + lines[done:], moved


def _stated(hunk: Hunk) -> int:
    return hunk.start - 1 if hunk.old else hunk.start


def _place(finder: _Finder, hunk: Hunk, number: int) -> int:
    """Index of the first line of the hunk in the old file."""
    total, size = len(finder.lines), len(hunk.old)
    stated = _stated(hunk)
    at_start = hunk.start <= 1
    at_end = hunk.trailing == 0
    fits = stated >= 0 and stated + size <= total and (not at_end or stated + size == total)
    if fits and (not at_start or stated == 0) and finder.matches(hunk.old, stated):
        return stated
    found: list[int] = []
    if not at_start and any(line.strip() for line in hunk.old):
        found = [p for p in finder.places(hunk.old) if not at_end or p + size == total]
    if len(found) > 1:
        raise Refused(
            "ambiguous_context", finder.path, f"hunk {number} fits {len(found)} places, none stated"
        )
    if not found:
        raise Refused("context_mismatch", finder.path, f"hunk {number} does not fit the baseline")
    return found[0]


class _Finder:
    """Finds runs of lines in one file; each search starts from the rarest line of the run."""

    def __init__(self, lines: list[bytes], path: str):
        self.lines = lines
        self.path = path
        self.budget = _SEARCH_BUDGET
        self._where: dict[bytes, list[int]] | None = None

    def matches(self, run: Sequence[bytes], place: int) -> bool:
        return self.lines[place : place + len(run)] == list(run)

    def places(self, run: Sequence[bytes]) -> list[int]:
        where = self._index()
        rarest = min(range(len(run)), key=lambda i: len(where.get(run[i], ())))
        starts = [at - rarest for at in where.get(run[rarest], ()) if at >= rarest]
        self.budget -= len(starts) * len(run)
        if self.budget < 0:
            raise Refused("ambiguous_context", self.path, "too many places look alike")
        return [start for start in starts if self.matches(run, start)]

    def _index(self) -> dict[bytes, list[int]]:
        if self._where is None:
            self._where = {line: [] for line in Counter(self.lines)}
            for at, line in enumerate(self.lines):
                self._where[line].append(at)
        return self._where


def settle(
    base: Tree,
    read: Reader,
    changes: Mapping[str, bytes | None],
    modes: Mapping[str, str],
    policy: Policy,
    *,
    moved: int = 0,
    ignored: tuple[str, ...] = (),
) -> Applied:
    """Drop what is equal to the baseline, check the result as a whole and give it its name.

    Raises:
        Refused: too many files, too many bytes, or a file where another file needs a folder.
    """
    real: dict[str, bytes | None] = {}
    files = dict(base.files)
    for path, data in sorted(changes.items()):
        entry = None if data is None else Entry(modes[path], len(data), sha256_bytes(data))
        if entry == base.files.get(path):
            continue
        real[path] = data
        if entry is None:
            del files[path]
        else:
            files[path] = entry
    if not real:
        return Applied(base, {}, {}, b"", moved, ignored)
    if len(real) > policy.max_files:
        _demand(policy.overcount())
    _no_conflict(files, [path for path, data in real.items() if data is not None], base)
    kept = {path: modes[path] for path, data in real.items() if data is not None}
    patch = render(base, read, real, kept)
    if len(patch) > policy.max_bytes:
        _demand(policy.oversize(None))
    tree = Tree(dict(sorted(files.items())))
    return Applied(tree, real, kept, patch, moved, ignored)


def _no_conflict(files: Mapping[str, Entry], added: Sequence[str], base: Tree) -> None:
    folders = {path[:i] for path in added for i, c in enumerate(path) if c == "/"}
    for folder in sorted(folders & files.keys()):
        link = files[folder].mode == SYMLINK
        raise Refused(
            "symlink" if link else "path_conflict", folder, "a file lies where a folder is needed"
        )
    new = set(added) - base.files.keys()
    if new:
        for path in files:
            for i, c in enumerate(path):
                if c == "/" and path[:i] in new:
                    raise Refused("path_conflict", path[:i], "a folder lies where a file is added")
