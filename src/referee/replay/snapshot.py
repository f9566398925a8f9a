"""The submission as it is replayed: regular files alone, with the package's own inputs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from referee.environment.globs import compile_glob
from referee.record.canonical import sha256_file
from referee.record.fault import Infrastructure
from referee.replay.delivery import not_source
from referee.replay.inventory import (
    Rejected,
    copy_files,
    files_in,
    inventory_of,
    require_no_collisions,
)
from referee.replay.record import INPUTS, SOURCE, Inventory
from referee.task.reproduction.package import EvaluationPolicy


@dataclass(frozen=True)
class Snapshot:
    """What was frozen: files by path in the submission."""

    source: Inventory
    inputs: Inventory


def take_snapshot(
    submission: Path, starter: Path, policy: EvaluationPolicy, folder: Path
) -> Snapshot:
    """Copy the files of a submission to `folder/source` and its inputs to `folder/inputs`, laid out
    as they were (`inputs/inputs/slab.json`). Canonical inputs come from the starter.

    Raises:
        Rejected: the candidate's files may not be replayed.
        Infrastructure: `no_canonical_input`, the package lacks an input that must be there.
    """
    for root in policy.generated_roots:
        if (submission / root).is_symlink():
            raise Rejected("generated_root_link", root, "is a symbolic link")
    paths = sorted(files_in(submission, not_source(policy.generated_roots)))
    require_no_collisions(paths)
    canonical = _canonical(starter, policy)
    _check_amount(submission, [path for path in paths if path not in canonical], policy)
    theirs = [path for path in paths if path.split("/")[0] == INPUTS]
    own = _check_reserved(submission, theirs, canonical)
    for name in (SOURCE, INPUTS):
        (folder / name).mkdir(mode=0o755)
    rest = sorted(set(paths) - set(theirs))
    source = copy_files(submission, folder / SOURCE, rest)
    inputs = copy_files(starter, folder / INPUTS, canonical)
    inputs |= copy_files(submission, folder / INPUTS, own)
    if {path: inputs[path] for path in canonical} != canonical:
        raise Infrastructure("no_canonical_input", "an input changed while it was copied")
    return Snapshot(source, dict(sorted(inputs.items())))


def _check_amount(root: Path, paths: list[str], policy: EvaluationPolicy) -> None:
    for glob in policy.forbidden_input_globs:
        pattern = compile_glob(glob)
        for path in paths:
            if pattern.fullmatch(path):
                raise Rejected("forbidden_input", path, f"is named by {glob}, a stored result")
    total = sum(os.lstat(root / path).st_size for path in paths)
    if not total <= policy.max_input_bytes:
        told = f"{total} bytes are handed in, and {policy.max_input_bytes} may be"
        raise Rejected("too_large", ".", told)


def _canonical(starter: Path, policy: EvaluationPolicy) -> Inventory:
    try:
        there = inventory_of(starter / INPUTS) if (starter / INPUTS).is_dir() else {}
    except Rejected as error:
        raise Infrastructure("no_canonical_input", str(error)) from None
    for name in policy.mandatory_inputs:
        if name not in there:
            raise Infrastructure("no_canonical_input", f"the package has no input {name}")
    return {f"{INPUTS}/{path}": fact for path, fact in there.items()}


def _check_reserved(root: Path, theirs: list[str], canonical: Inventory) -> list[str]:
    """The candidate's own inputs: those beside the canonical ones."""
    if (root / INPUTS).exists() and not (root / INPUTS).is_dir():
        raise Rejected("reserved_input_replaced", INPUTS, "is no folder")
    for path in canonical:
        if (root / path).is_dir():
            raise Rejected("reserved_input_replaced", path, "is a folder, and was an input")
    require_no_collisions({*theirs, *canonical})
    own = [path for path in theirs if path not in canonical]
    for path in sorted(set(theirs) & set(canonical)):
        if sha256_file(root / path) != canonical[path].sha256:
            raise Rejected("reserved_input_changed", path, "is not the input that was given")
    return own
