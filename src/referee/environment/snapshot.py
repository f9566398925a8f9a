"""Snapshots: the files of a release as the agent gets them, the same bytes on every machine."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.environment.archive import unpack
from referee.environment.download import fetch_release, release_key
from referee.environment.globs import compile_glob
from referee.environment.identity import sandbox_identity
from referee.environment.progress import Say, silent
from referee.environment.store import Store, remove_tree
from referee.record.atomic import write_atomic
from referee.record.canonical import canonical_json, sha256_json
from referee.record.fault import BadInput, Infrastructure
from referee.record.tree import EXECUTABLE, SYMLINK, Tree, scan_tree, tree_from_json, tree_to_json
from referee.task.model import Release, SourceFile
from referee.task.package import package_files

BUILDER = 1
"""Raised when the same release would give other files."""

FILE_TIME = 946_684_800
"""2000-01-01 00:00 UTC: the time of every file, so that no build order shows."""

_SHARED_BYTES = 4096  # below this a link in the pool saves nothing

_NEVER = re.compile(
    r"(?:.*/)?(?:"
    r"\.git|\.hg|\.svn|\.bzr|\.jj|_darcs|CVS|\.git_archival\.txt|\.hg_archival\.txt"
    r"|__pycache__|[^/]*\.py[co]|\.(?:pytest|mypy|ruff)_cache|\.tox|\.nox|\.hypothesis|\.eggs"
    r"|[^/]*\.egg-info|[^/]*\.egg-link|\.ipynb_checkpoints|\.DS_Store"
    r")(?:/.*)?"
)
_ABOUT_FOLDER = re.compile(r"[^/]+\.(?:dist|egg)-info")
_ABOUT = re.compile(
    r"(?:[^/]+/)?[^/]+\.(?:dist-info/METADATA|egg-info/PKG-INFO|(?:dist|egg)-info/entry_points\.txt)"
)
_WHEEL_EXTRAS = re.compile(r"[^/]+\.(?:dist-info|data)/.*")
_WHEEL_CODE = re.compile(r"[^/]+\.data/(?:purelib|platlib)/.*")


@dataclass(frozen=True)
class Snapshot:
    """A finished snapshot: `tree` is its folder on the host, `manifest` names every file in it."""

    digest: str
    tree: Path
    manifest: Tree
    release: Release


def snapshot_digest(source: SourceFile) -> str:
    """The name of the snapshot that `source` describes: a hash of the release and `strip`."""
    return sha256_json({**_facts(source.source), "strip": sorted(set(source.strip))})


def _facts(release: Release) -> dict[str, str | int]:
    return {
        "builder": BUILDER,
        "registry": release.registry,
        "name": release.name,
        "version": release.version,
        "content": release_key(release),
    }


def build_snapshot(store: Store, source: SourceFile, say: Say = silent) -> Snapshot:
    """The snapshot of a release, from the store or built from its archive.

    Version-control data, caches, bytecode and packaging leftovers are never in it, nor is anything
    that `source.strip` names.

    Raises:
        BadInput: the release cannot be had, its archive is refused, or a glob of `strip` matches
            nothing.
        Infrastructure: the disk is full, or a finished snapshot is damaged.
    """
    digest = snapshot_digest(source)

    def build(folder: Path) -> None:
        if source.source.registry == "starter":
            _copy_starter(folder, source)
        else:
            archive = fetch_release(store, source.source, say)
            say(f"unpacking {archive.name}")
            _build_tree(folder, archive, source)
        _share_files(store, folder / "tree")
        manifest = scan_tree(folder / "tree")
        write_atomic(folder / "manifest.json", canonical_json(tree_to_json(manifest)))
        write_atomic(folder / "facts.json", canonical_json(_facts(source.source)))
        _normalise(folder / "tree")

    folder = store.publish("snapshot", digest, build)
    return _load(folder, digest, source.source)


def verify_snapshot(snapshot: Snapshot) -> None:
    """Hash every file again.

    Raises:
        Infrastructure: a file was changed, added or removed.
    """
    if scan_tree(snapshot.tree).digest != snapshot.manifest.digest:
        raise Infrastructure(
            "snapshot_damaged",
            f"the files of {snapshot.tree} are not those that were built;"
            " `referee env prune` removes them",
        )


def release_files(store: Store, release: Release, say: Say = silent) -> Path:
    """Every file of a release, for building references: private to referee, mounted nowhere.

    Raises:
        BadInput: as for `build_snapshot`.
    """
    digest = sha256_json(_facts(release))

    def build(folder: Path) -> None:
        archive = fetch_release(store, release, say)
        tree = folder / "tree"
        tree.mkdir()
        unpack(archive, tree, single_top=_has_top(release))
        write_atomic(folder / "facts.json", canonical_json(_facts(release)))

    return store.publish("release", digest, build) / "tree"


def about_release(snapshot: Snapshot) -> dict[str, str]:
    """The packaging metadata that the release's archive came with: file name -> text."""
    about = snapshot.tree.parent / "about.json"
    loaded = json.loads(about.read_bytes())
    return {str(name): str(text) for name, text in loaded.items()}


def _has_top(release: Release) -> bool:
    return release.registry == "debian" or (
        release.registry == "pypi" and not str(release.file).endswith(".whl")
    )


def _build_tree(folder: Path, archive: Path, source: SourceFile) -> None:
    tree = folder / "tree"
    tree.mkdir()
    keep = _Keeper(source.strip, wheel=archive.name.endswith(".whl"))
    unpack(archive, tree, single_top=_has_top(source.source), keep=keep)
    keep.require_matches()
    write_atomic(folder / "about.json", canonical_json(_take_about(tree)))
    if not any(tree.iterdir()):
        raise BadInput(f"{archive.name} has no files left after `strip`", where="source.toml")


def _copy_starter(folder: Path, source: SourceFile) -> None:
    """The starter of a task package, which may be another one by now than when it was loaded."""
    starter, tree = Path(str(source.source.folder)), folder / "tree"
    for path, entry in package_files(starter).files.items():
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(starter / path, target)
        target.chmod(0o755 if entry.mode == EXECUTABLE else 0o644)
    if scan_tree(tree).digest != source.source.sha256:
        raise BadInput("the starter changed while it was copied", where=starter, hint="try again")
    write_atomic(folder / "about.json", canonical_json({}))


def _take_about(tree: Path) -> dict[str, str]:
    """Move the packaging metadata out of a tree: the first METADATA (or PKG-INFO) and entry points
    of a `.dist-info` or `.egg-info` folder, else the PKG-INFO at the root, which stays."""
    found: dict[str, str] = {}
    folders = sorted(p for p in tree.rglob("*-info") if _ABOUT_FOLDER.fullmatch(p.name))
    for folder in folders:
        for file in sorted(folder.iterdir()):
            name = "METADATA" if file.name == "PKG-INFO" else file.name
            if not file.is_symlink():
                found.setdefault(name, file.read_text("utf-8", "replace"))
        remove_tree(folder)
    root = tree / "PKG-INFO"
    if "METADATA" not in found and root.is_file() and not root.is_symlink():
        found["METADATA"] = root.read_text("utf-8", "replace")
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.parent.rmdir()  # only if nothing else was in it
    return found


class _Keeper:
    """Decides which paths of an archive stay, and remembers which globs have matched."""

    def __init__(self, strip: Sequence[str], *, wheel: bool):
        self._wheel = wheel
        self._globs: dict[str, re.Pattern[str]] = {}
        for glob in strip:
            try:
                self._globs[glob] = compile_glob(glob)
            except ValueError as error:
                raise BadInput(f"`strip`: {error}", where="source.toml") from error
        self._idle = set(self._globs)

    def __call__(self, path: str) -> bool:
        hits = [glob for glob, pattern in self._globs.items() if pattern.fullmatch(path)]
        self._idle.difference_update(hits)
        if _ABOUT.fullmatch(path):
            return True
        if self._wheel and _WHEEL_CODE.fullmatch(path):
            raise BadInput(f"a wheel with code in {path!r} cannot be laid out; use the sdist")
        if self._wheel and _WHEEL_EXTRAS.fullmatch(path):
            return False
        return not hits and not _NEVER.fullmatch(path)

    def require_matches(self) -> None:
        if self._idle:
            names = ", ".join(f"`{glob}`" for glob in sorted(self._idle))
            raise BadInput(
                f"`strip` has {names}, which matches no file of the release",
                where="source.toml",
                hint="correct or remove it",
            )


def _share_files(store: Store, tree: Path) -> None:
    """Make larger files hard links into a pool by content, so that two releases of a package, or
    two tasks with one release, keep their common files once."""
    for path, entry in scan_tree(tree).files.items():
        if entry.mode == SYMLINK or entry.size < _SHARED_BYTES:
            continue
        kind = "x" if entry.mode == EXECUTABLE else "f"
        pooled = store.root / "pool" / f"{entry.sha256}-{kind}"
        file = tree / path
        with contextlib.suppress(FileExistsError):
            os.link(file, pooled)
            continue
        spare = file.with_name(f"{file.name}.pooled")
        try:
            os.link(pooled, spare)
        except OSError as error:
            if error.errno in (errno.EMLINK, errno.ENOENT):
                continue
            raise
        spare.replace(file)


def _normalise(tree: Path) -> None:
    """One owner, one time, plain modes. The owner is the sandbox's, because an overlay refuses to
    copy up what another user owns."""
    who = sandbox_identity()
    for folder, _folders, _names in os.walk(tree, topdown=False):
        for entry in os.scandir(folder):
            if who.dropped:
                os.chown(entry.path, who.uid, who.gid, follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                Path(entry.path).chmod(0o755)
            os.utime(entry.path, (FILE_TIME, FILE_TIME), follow_symlinks=False)
    if who.dropped:
        os.chown(tree, who.uid, who.gid)
    tree.chmod(0o755)
    os.utime(tree, (FILE_TIME, FILE_TIME))


def _load(folder: Path, digest: str, release: Release) -> Snapshot:
    """Read a finished snapshot and look at what can be seen at a glance: owner, and that no file of
    the manifest is missing or has another size."""
    tree, who = folder / "tree", sandbox_identity()
    info = tree.stat()
    if (info.st_uid, info.st_gid) != (who.uid, who.gid):
        raise BadInput(
            f"this snapshot belongs to user {info.st_uid}, and sandboxes here run as {who.uid}",
            where=folder,
            hint="set REFEREE_STORE to a folder of your own",
        )
    try:
        manifest = tree_from_json(json.loads((folder / "manifest.json").read_bytes()))
        ok = all(os.lstat(tree / p).st_size == e.size for p, e in manifest.files.items())
    except (OSError, ValueError) as error:
        raise Infrastructure("snapshot_damaged", f"{folder}: {error}") from error
    if not ok:
        raise Infrastructure("snapshot_damaged", f"files of {tree} changed size")
    return Snapshot(digest, tree, manifest, release)
