"""The writable layers of a workspace on the host: made here, so that the sandbox user owns them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.record.fault import BadInput
from referee.sandbox.protocol import WORKSPACE, Overlay


def make_overlay(folder: Path, lowers: Sequence[Path], *, target: str = WORKSPACE) -> Overlay:
    """New empty `upper` and `work` folders inside `folder`, over `lowers` (bottom first).

    When referee is root, `folder` is opened for the sandbox user's group to pass through, and the
    two layers belong to that user.
    """
    identity = sandbox_identity()
    upper, work = folder / "upper", folder / "work"
    for layer in (upper, work):
        layer.mkdir(mode=0o755)
        if identity.dropped:
            os.chown(layer, identity.uid, identity.gid)
    if identity.dropped:
        os.chown(folder, -1, identity.gid)
        folder.chmod(0o710)
    return Overlay(lowers=tuple(lowers), upper=upper, work=work, target=target)


def check_overlay(overlay: Overlay) -> None:
    """Refuse layers that the kernel would refuse later with a message that helps nobody.

    Raises:
        BadInput: a layer is missing, or the writable ones belong to someone else.
    """
    identity = sandbox_identity()
    for layer in (*overlay.lowers, overlay.upper, overlay.work):
        if not layer.is_dir():
            raise BadInput("a workspace layer is not a folder", where=layer)
    if not overlay.lowers:
        raise BadInput("a workspace needs at least one read-only layer", where=overlay.upper)
    for layer in (overlay.upper, overlay.work):
        info = layer.stat()
        if (info.st_uid, info.st_gid) != (identity.uid, identity.gid):
            raise BadInput(
                f"a writable workspace layer belongs to user {info.st_uid}:{info.st_gid}",
                where=layer,
                hint=f"give it to {identity.uid}:{identity.gid}, or make it with `make_overlay`",
            )


def overlay_arguments(overlay: Overlay) -> list[str]:
    """bwrap arguments that mount the workspace."""
    arguments = [word for lower in overlay.lowers for word in ("--overlay-src", str(lower))]
    return [*arguments, "--overlay", str(overlay.upper), str(overlay.work), overlay.target]
