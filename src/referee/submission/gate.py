"""One door for both kinds of submission: a workspace of an agent, and a patch from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from referee.record.canonical import sha256_bytes
from referee.record.model import Frozen
from referee.record.tree import Tree
from referee.submission.apply import Applied, apply_patch, tree_reader
from referee.submission.linediff import changed_blocks, split_lines
from referee.submission.overlay import collect_overlay
from referee.submission.policy import Policy, is_binary
from referee.submission.refusal import Reason, Refusal
from referee.submission.render import Reader
from referee.task.model import Sha256

Origin = Literal["workspace", "external"]
Whole = Annotated[int, Field(ge=0)]


class ChangedFile(Frozen):
    """One changed file: lines that were added and removed; both are 0 for a binary file."""

    path: str
    change: Literal["added", "modified", "deleted"]
    added: Whole
    removed: Whole
    binary: bool
    mode: str | None


class RefusedAt(Frozen):
    """Why a submission was refused: the candidate's own failure, scored as zero."""

    reason: Reason
    path: str | None
    detail: str


class Submission(Frozen):
    """What was handed in. `patch` is the digest and `size` the length of the bytes that are kept:
    the canonical patch of a workspace, or the raw bytes from outside, which are kept even when they
    are refused. `canonical_patch` and `result` are None exactly when there is a `refusal`."""

    kind: Literal["patch"] = "patch"
    origin: Origin
    patch: Sha256
    size: Whole
    canonical_patch: Sha256 | None
    base: Sha256
    result: Sha256 | None
    files: tuple[ChangedFile, ...] = ()
    moved: Whole = 0
    ignored: Whole = 0
    refusal: RefusedAt | None = None

    @property
    def empty(self) -> bool:
        """True if it was accepted and changes nothing."""
        return self.refusal is None and not self.files


Handed = tuple[Submission, bytes, Applied | None]
"""The record of a submission, the bytes to keep, and what it makes of the baseline."""


def from_workspace(base: Tree, base_dir: Path, upper: Path, policy: Policy) -> Handed:
    """Take the submission out of the upper directory of an agent's workspace.

    Raises:
        Infrastructure: the directory or the baseline cannot be read.
    """
    result = collect_overlay(base, base_dir, upper, policy)
    patch = result.patch if isinstance(result, Applied) else b""
    return _handed("workspace", base, tree_reader(base, base_dir), patch, result)


def from_patch(base: Tree, read: Reader, patch: bytes, policy: Policy) -> Handed:
    """Take a patch that was made elsewhere; it passes the same gate."""
    return _handed("external", base, read, patch, apply_patch(base, read, patch, policy))


def _handed(
    origin: Origin, base: Tree, read: Reader, patch: bytes, result: Applied | Refusal
) -> Handed:
    if isinstance(result, Refusal):
        refusal = RefusedAt(reason=result.reason, path=result.path, detail=result.detail)
        refused = Submission(
            origin=origin,
            patch=sha256_bytes(patch),
            size=len(patch),
            canonical_patch=None,
            base=base.digest,
            result=None,
            refusal=refusal,
        )
        return refused, patch, None
    digest = base.digest
    accepted = Submission(
        origin=origin,
        patch=sha256_bytes(patch),
        size=len(patch),
        canonical_patch=sha256_bytes(result.patch),
        base=digest,
        result=digest if result.tree is base else result.tree.digest,
        files=tuple(_changed(base, read, path, result) for path in sorted(result.changes)),
        moved=result.moved,
        ignored=len(result.ignored),
    )
    return accepted, patch, result


def _changed(base: Tree, read: Reader, path: str, applied: Applied) -> ChangedFile:
    old = read(path) if path in base.files else None
    new = applied.changes[path]
    binary = is_binary(old or b"") or is_binary(new or b"")
    added = removed = 0
    if not binary:
        for block in changed_blocks(split_lines(old or b""), split_lines(new or b"")):
            added += block.b1 - block.b0
            removed += block.a1 - block.a0
    return ChangedFile(
        path=path,
        change="added" if old is None else "deleted" if new is None else "modified",
        added=added,
        removed=removed,
        binary=binary,
        mode=applied.modes.get(path),
    )
