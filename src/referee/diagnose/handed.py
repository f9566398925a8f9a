"""What a trial handed in, read from its canonical patch alone: files, and the account in them.

A patch holds the whole of a new file, and of a changed one the lines around each change. A file
counts as known where the lines of the patch have the id that the patch itself gives to the whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.diagnose.document import parse_document
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.submission.gitcode import blob_id
from referee.submission.patchtext import FileChange, Patch, parse_patch
from referee.submission.refusal import Refused, shown

_MAX_BLOCK = 64_000_000
_MAX_SOURCE = 256_000
_MAX_SOURCES = 8_000_000
_MAX_TEXT = 4_000_000
_LEAST_BYTES = 1000


@dataclass(frozen=True)
class HandedIn:
    """The files of a submission: a `Place` of an account.

    `whole` are contents by path; `added` are the lines that were put into files of which the patch
    shows a part, or all, but which were there before: only those are the agent's own.
    """

    whole: dict[str, bytes]
    added: dict[str, str]
    path: Path = Path("submission")

    def document(self, name: str) -> tuple[Path, Any] | None:
        """A JSON file of the submission, below `comparison` or not, and its value; or None.

        Raises:
            BadInput: it is not JSON, or not UTF-8.
        """
        found = self._find(name)
        if found is None:
            return None
        where = self.path / found
        try:
            text = self.whole[found].decode("utf-8")
        except UnicodeDecodeError:
            raise BadInput("the file is not UTF-8", where=where) from None
        return where, parse_document(text, where)

    def text(self, name: str) -> str | None:
        """The text of a file, bytes that are not UTF-8 replaced; None if it is absent or above
        4 MB."""
        found = self._find(name)
        if found is None or len(self.whole[found]) > _MAX_TEXT:
            return None
        return self.whole[found].decode("utf-8", "replace")

    def changelog(self) -> str | None:
        """The changelog; None if none was handed in, because not every task asks for one."""
        return self.text("CHANGELOG.md")

    def paths(self) -> tuple[str, ...]:
        """The paths of the whole files, in order."""
        return tuple(sorted(self.whole))

    def files(self) -> None:
        """Nobody can say that a file is missing: files that were there before are in no patch."""
        return None

    def sources(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """Texts of the whole Python files, and the paths of those left out: above 256 kB, or what
        goes beyond 8 MB in all."""
        texts: dict[str, str] = {}
        left_out: list[str] = []
        total = 0
        for path, data in sorted(self.whole.items()):
            if not path.endswith(".py"):
                continue
            if len(data) > _MAX_SOURCE or total + len(data) > _MAX_SOURCES:
                left_out.append(path)
                continue
            total += len(data)
            texts[path] = data.decode("utf-8", "replace")
        return texts, tuple(left_out)

    def digests(self) -> dict[str, str]:
        """SHA-256 of whole files of 1 kB or more that are no Python sources, by path."""
        return {
            path: sha256_bytes(data)
            for path, data in sorted(self.whole.items())
            if not path.endswith(".py") and len(data) >= _LEAST_BYTES
        }

    def _find(self, name: str) -> str | None:
        return next((p for p in (f"comparison/{name}", name) if p in self.whole), None)


def handed_in(patch: bytes) -> HandedIn:
    """The files of a submission; none where the patch cannot be read, which is why it was refused.
    Deleted files are not among them."""
    try:
        parsed = parse_patch(patch, max_bytes=_MAX_BLOCK)
    except Refused:
        parsed = Patch(())
    whole: dict[str, bytes] = {}
    added: dict[str, str] = {}
    for change in parsed.changes:
        if change.new is None:
            continue
        path = shown(change.new)
        if (data := _content(change)) is not None:
            whole[path] = data
        if change.kind != "add" and change.hunks:
            added[path] = _added(change).decode("utf-8", "replace")
    return HandedIn(whole, added)


def _content(change: FileChange) -> bytes | None:
    """The new content of a file, if the patch shows the whole of it."""
    if change.binary is not None:
        return change.binary.data if change.binary.form == "literal" else None
    data = b"".join(line for hunk in change.hunks for line in hunk.new)
    if change.kind == "add" and change.new_id is None:
        return data
    return data if change.new_id is not None and blob_id(data) == change.new_id else None


def _added(change: FileChange) -> bytes:
    """The lines that a change puts into a file that was there before."""
    kept: list[bytes] = []
    for hunk in change.hunks:
        old = Counter(hunk.old)
        for line in hunk.new:
            if old[line]:
                old[line] -= 1
            else:
                kept.append(line)
    return b"".join(kept)
