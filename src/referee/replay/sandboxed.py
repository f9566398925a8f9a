"""Running `reproduce.sh` in a fresh sandbox in which only the generated roots are kept."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store, remove_tree
from referee.evidence.limits import LIMITS
from referee.replay.inventory import Rejected, copy_files, files_in
from referee.replay.record import (
    ENTRYPOINT,
    FOLDERS,
    INPUTS,
    OUTPUTS,
    SOURCE,
    Inventory,
    Isolation,
)
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Completed, Limits, Mount, SandboxSpec
from referee.task.reproduction.package import SUBMISSION

NONCE = "REFEREE_REPLAY_NONCE"
_MARGIN_S = 5.0
_CONSOLE_BYTES = 16 << 20
MOST_FILES = LIMITS.listed_files
"""Of more outputs nobody could say what is missing."""


@dataclass(frozen=True)
class Surroundings:
    """What a script finds beside its submission: an interpreter (a path inside), read-only mounts,
    variables, and limits. The time limits are those of the policy. `environment` is the digest of
    what is mounted, for the receipt."""

    interpreter: str = "/usr/bin/python3"
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    environment: str | None = None


@dataclass(frozen=True)
class Stage:
    """A scratch folder: `tree` is the submission as it is mounted, `upper` what the script wrote
    beside it."""

    tree: Path
    upper: Path
    spec: SandboxSpec


def command(budget_s: float, grace_s: float) -> tuple[str, ...]:
    """TERM at the budget, KILL after the grace; both streams are one."""
    limit = f"exec timeout --signal=TERM --kill-after={grace_s:g} {budget_s:g} bash {ENTRYPOINT}"
    return ("bash", "-c", f"{limit} 2>&1 </dev/null")


@contextlib.contextmanager
def staged(
    store: Store,
    frozen: Path,
    roots: tuple[str, ...],
    around: Surroundings,
    *,
    wall_s: float,
    nonce: str,
) -> Iterator[Stage]:
    """The snapshot where a sandbox may see it; at the end it is back, and the rest is removed."""
    scratch = store.scratch("replay")
    borrowed: list[tuple[Path, Path]] = []
    try:
        scratch.chmod(0o711)
        tree, skeleton = scratch / "tree", scratch / "skeleton"
        tree.mkdir(mode=0o755)
        _lend(frozen, tree, borrowed)
        (tree / INPUTS).mkdir(mode=0o755, exist_ok=True)
        skeleton.mkdir(mode=0o755)
        _lay_out(tree, skeleton, roots)
        layers = scratch / "layers"
        layers.mkdir(mode=0o755)
        overlay = make_overlay(layers, (skeleton,), target=SUBMISSION)
        inside = tuple(Mount(p, f"{SUBMISSION}/{p.name}") for p in sorted(tree.iterdir()))
        spec = SandboxSpec(
            interpreter=around.interpreter,
            mounts=(*around.mounts, *inside),
            overlay=overlay,
            env={**around.env, NONCE: nonce, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"},
            limits=replace(around.limits, wall_s=wall_s + _MARGIN_S),
        )
        yield Stage(tree, overlay.upper, spec)
    finally:
        for place, home in borrowed:
            place.rename(home)
        remove_tree(scratch)


def run_script(
    stage: Stage, store: Store, budget_s: float, grace_s: float
) -> tuple[Completed, Isolation]:
    """Run the script to its end; when this returns, nothing that it started is alive.

    Raises:
        BadInput, Infrastructure: the sandbox cannot be had.
    """
    sandbox = Bubblewrap(stage.spec, store)
    with sandbox:
        done = sandbox.run(
            command(budget_s, grace_s),
            cwd=SUBMISSION,
            timeout_s=budget_s + grace_s + _MARGIN_S,
            output_bytes=_CONSOLE_BYTES,
        )
        sandbox.kill_all()
        rows = tuple(f"{e.limit} by {e.by}: {e.value}" for e in sandbox.enforcement)
    isolation = Isolation(
        backend="bubblewrap", network="none", uid=sandbox_identity().uid, limits=rows
    )
    return done, isolation


def export_outputs(stage: Stage, roots: tuple[str, ...], folder: Path) -> Inventory:
    """Copy what lies in the generated roots to `folder/outputs`, laid out as it was.

    Raises:
        Rejected: `output_link` or `output_special`, something in a root is no regular file;
            `too_many_outputs`.
    """
    target = folder / OUTPUTS
    target.mkdir(mode=0o755)
    paths: list[str] = []
    for root in roots:
        try:
            mode = os.lstat(stage.upper / root).st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(mode):
            raise Rejected("output_link", root, "is a symbolic link")
        if stat.S_ISCHR(mode):  # the whiteout of a root that the script removed
            continue
        if not stat.S_ISDIR(mode):
            raise Rejected("output_special", root, "is no folder")
        try:
            paths += [f"{root}/{path}" for path in files_in(stage.upper / root)]
        except Rejected as error:
            linked = error.reason in ("symlink", "hard_link")
            reason = "output_link" if linked else "output_special"
            raise Rejected(reason, f"{root}/{error.path}", error.detail) from None
    if len(paths) > MOST_FILES:
        told = f"has {len(paths)} files in all, and {MOST_FILES} are taken"
        raise Rejected("too_many_outputs", ", ".join(roots), told)
    return copy_files(stage.upper, target, paths)


def freeze(folder: Path) -> None:
    """Make the evidence of a folder read-only."""
    for name in FOLDERS:
        for here, folders, files in os.walk(folder / name, topdown=False):
            for file in files:
                Path(here, file).chmod(0o444)
            for inner in folders:
                Path(here, inner).chmod(0o555)
        if (folder / name).is_dir():
            (folder / name).chmod(0o555)


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of everything below a folder, to see whether it still changes."""
    found: dict[str, tuple[int, int]] = {}
    for here, _, files in os.walk(root):
        for name in files:
            status = Path(here, name).lstat()
            found[f"{here}/{name}"] = (status.st_size, status.st_mtime_ns)
    return found


def _lend(frozen: Path, tree: Path, borrowed: list[tuple[Path, Path]]) -> None:
    """Move the snapshot to `tree`, which costs nothing; between file systems it is copied."""
    for name in (SOURCE, INPUTS):
        if frozen.stat().st_dev != tree.stat().st_dev:
            copy_files(frozen / name, tree, files_in(frozen / name))
            continue
        for home in sorted((frozen / name).iterdir()):
            home.rename(tree / home.name)
            borrowed.append((tree / home.name, home))


def _lay_out(tree: Path, skeleton: Path, roots: tuple[str, ...]) -> None:
    """Empty generated roots, and places on which the submission is mounted."""
    for path in tree.iterdir():
        place = skeleton / path.name
        place.mkdir(mode=0o755) if path.is_dir() else place.touch(mode=0o644)
    for root in roots:
        (skeleton / root).mkdir(mode=0o755)
    identity = sandbox_identity()
    if identity.dropped:
        for path in (skeleton, *skeleton.iterdir()):
            os.chown(path, identity.uid, identity.gid)
