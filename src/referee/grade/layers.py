"""The layers of a workspace: snapshot, patch, and for compiled projects what a build made."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from referee.environment.store import remove_tree
from referee.grade.build import BuildFailure, keep_outputs, run_build
from referee.grade.workspace import Bench, open_scratch, phase_overlay, phase_spec
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.protocol import Enforcement
from referee.submission.apply import Applied
from referee.submission.layer import write_layer
from referee.submission.policy import matches


@dataclass(frozen=True)
class Built:
    """The layers of a tree after its build, bottom first, or the failure of the build."""

    lowers: tuple[Path, ...]
    failure: BuildFailure | None = None
    enforcement: tuple[Enforcement, ...] = ()
    seconds: float = 0.0


def patched_layers(bench: Bench, applied: Applied, scratch: Path) -> Built:
    """The layers of a patched tree, rebuilt from its source if the task has a build."""
    snapshot = bench.prepared.snapshot
    layer = write_layer(applied, scratch / "patch", snapshot.manifest)
    return _built(bench, (snapshot.tree, layer), scratch)


def built_layers(bench: Bench) -> tuple[Path, ...]:
    """The layers that an agent starts from: the snapshot, and its build, made once per content.

    Raises:
        BadInput: the untouched snapshot does not build.
    """
    snapshot, table = bench.prepared.snapshot, bench.file.referee.build
    if not table.commands:
        return (snapshot.tree,)
    digest = sha256_json(
        {
            "snapshot": snapshot.digest,
            "environment": bench.prepared.environment.digest,
            "build": table.as_json(),
        }
    )
    outputs = bench.store.publish("build", digest, lambda folder: _build_once(bench, folder))
    return (snapshot.tree, outputs / "outputs")


def _build_once(bench: Bench, folder: Path) -> None:
    scratch = open_scratch(bench.store, "build")
    try:
        built = _built(bench, (bench.prepared.snapshot.tree,), scratch, outputs=folder / "outputs")
    finally:
        remove_tree(scratch)
    if built.failure is not None:
        raise BadInput(
            f"the untouched snapshot does not build ({' '.join(built.failure.argv)}: "
            f"{built.failure.ended})",
            where=bench.file.task.name,
            hint="see [referee.build] in its task.toml",
        )


def _built(
    bench: Bench, lowers: tuple[Path, ...], scratch: Path, *, outputs: Path | None = None
) -> Built:
    table = bench.file.referee.build
    if not table.commands:
        return Built(lowers)
    start = time.monotonic()
    overlay = phase_overlay(scratch, lowers)
    spec = phase_spec(bench, overlay, wall_s=table.timeout_sec)
    sandbox = Bubblewrap(spec, bench.store)
    sandbox.start()
    try:
        failure = run_build(sandbox, table)
    finally:
        sandbox.stop()
    seconds = time.monotonic() - start
    layer = outputs or scratch / "outputs"
    failure = failure or keep_outputs(
        overlay.upper, layer, lambda path: matches(path, table.outputs), spec.limits
    )
    if failure is not None:
        return Built(lowers, failure, sandbox.enforcement, seconds)
    return Built((*lowers, layer), None, sandbox.enforcement, seconds)
