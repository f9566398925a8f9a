"""The target package as the environment sees it: importable from /workspace, known by name and
version, without a line of code outside the workspace."""

from __future__ import annotations

import re
from email.parser import HeaderParser
from pathlib import Path

from packaging.utils import canonicalize_name

from referee.environment.snapshot import Snapshot, about_release
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.task.model import SourceFile

TARGET = "/opt/target"
WORKSPACE = "/workspace"

_KEPT_HEADERS = ("Requires-Python", "Requires-Dist", "Provides-Extra", "Summary", "License")


def import_folder(source: SourceFile) -> str:
    """The inside path that goes onto `sys.path`.

    Raises:
        BadInput: `import_root` leaves the workspace.
    """
    parts = [part for part in source.import_root.split("/") if part not in ("", ".")]
    if source.import_root.startswith("/") or ".." in parts or "\n" in source.import_root:
        raise BadInput(f"`import_root` {source.import_root!r} leaves the tree", where="source.toml")
    return "/".join([WORKSPACE, *parts])


def target_layer(store: Store, source: SourceFile, snapshot: Snapshot) -> Path:
    """The folder to mount at /opt/target: a `.pth` file and generated metadata.

    Raises:
        BadInput: `import_root` leaves the tree or is not a folder of the snapshot.
    """
    release = source.source
    folder = import_folder(source)
    root = folder.removeprefix(WORKSPACE).lstrip("/")
    if root and not any(path.startswith(f"{root}/") for path in snapshot.manifest.files):
        raise BadInput(f"`import_root` {root!r} is no folder of the release", where="source.toml")
    name = re.sub(r"[-.]+", "_", canonicalize_name(release.name))
    info = f"{name}-{release.version}.dist-info"
    about = about_release(snapshot)
    files = {
        "target.pth": f"{folder}\n",
        f"{info}/METADATA": _metadata(source, about.get("METADATA", "")),
        f"{info}/INSTALLER": "referee\n",
    }
    if entry_points := about.get("entry_points.txt"):
        files[f"{info}/entry_points.txt"] = entry_points
    return store.runtime({name: (text.encode(), 0o644) for name, text in files.items()})


def _metadata(source: SourceFile, published: str) -> str:
    """Core metadata: name and version from source.toml, requirements as published."""
    release = source.source
    lines = ["Metadata-Version: 2.1", f"Name: {release.name}", f"Version: {release.version}"]
    headers = HeaderParser().parsestr(published)
    for key in _KEPT_HEADERS:
        for value in headers.get_all(key) or ():
            lines.append(f"{key}: {' '.join(str(value).split())}")
    return "\n".join(lines) + "\n"
