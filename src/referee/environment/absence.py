"""Looking for other versions of the target package where an agent could find them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from referee.environment.target import WORKSPACE, import_folder

if TYPE_CHECKING:
    from referee.environment.build import Environment
    from referee.environment.snapshot import Snapshot
    from referee.task.model import SourceFile

_INFO = re.compile(r"(?P<name>[^/]+?)-(?P<version>\d[^/]*?)(?:-py3[^/]*)?\.(?:dist|egg)-info")
_ARCHIVE = re.compile(
    r"(?P<name>[^/]+?)-(?P<version>\d[^/]*?)(?:-[^/]+\.whl|\.(?:tar\.\w+|zip|whl|egg|conda))"
)
_ORDINARY_FOLDERS = {"tests", "test", "docs", "doc", "examples", "benchmarks", "ci", "scripts"}


@dataclass(frozen=True)
class OtherVersion:
    """Something of the target package that is not the snapshot: where, and its version (empty when
    it does not say)."""

    where: str
    version: str

    def __str__(self) -> str:
        return f"{self.where} ({self.version})" if self.version else self.where


def find_other_versions(
    source: SourceFile, snapshot: Snapshot, environment: Environment
) -> list[OtherVersion]:
    """Search site-packages, the snapshot, and the Python that is mounted beside them."""
    name = canonicalize_name(source.source.name)
    found = list(_in_snapshot(name, snapshot.manifest.files))
    modules = top_level_modules(source, snapshot)
    for folder in _site_folders(environment):
        found += _in_site(name, modules, folder)
    return found


def top_level_modules(source: SourceFile, snapshot: Snapshot) -> set[str]:
    """Names that `import` finds at the import root: packages, and modules named like the target."""
    root = import_folder(source).removeprefix(WORKSPACE).lstrip("/")
    prefix = f"{root}/" if root else ""
    names = {canonicalize_name(source.source.name).replace("-", "_")}
    for path in snapshot.manifest.files:
        if path.startswith(prefix) and path.endswith("/__init__.py"):
            parts = PurePosixPath(path.removeprefix(prefix)).parts
            if len(parts) == 2 and parts[0] not in _ORDINARY_FOLDERS:
                names.add(parts[0])
    return names


def _site_folders(environment: Environment) -> Iterator[Path]:
    yield environment.site_packages
    # A sandbox shows the machine's own /usr without any Python package, but a mounted Python whole.
    for prefix, _inside in environment.interpreter.mounts:
        yield from sorted(prefix.glob("lib/python3*/*-packages"))


def _in_snapshot(name: str, paths: Iterable[str]) -> Iterator[OtherVersion]:
    seen = set()
    for path in paths:
        for part in PurePosixPath(path).parts:
            match = _INFO.fullmatch(part) or _ARCHIVE.fullmatch(part)
            if match and canonicalize_name(match["name"]) == name and part not in seen:
                seen.add(part)
                yield OtherVersion(f"{WORKSPACE}/{path}", match["version"])


def _in_site(name: str, modules: set[str], folder: Path) -> Iterator[OtherVersion]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        match = _INFO.fullmatch(entry.name) or _ARCHIVE.fullmatch(entry.name)
        if match and canonicalize_name(match["name"]) == name:
            yield OtherVersion(str(entry), match["version"])
        elif entry.name.partition(".")[0] in modules and _is_code(entry):
            yield OtherVersion(str(entry), "")


def _is_code(entry: Path) -> bool:
    return entry.is_dir() or entry.suffix in (".py", ".so", ".pyc")
