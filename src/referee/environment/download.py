"""Releases by hash: fetched once, kept in the store, read offline from then on."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from referee.environment.debian import fetch_debian
from referee.environment.fetch import Absent, Offline, save_file
from referee.environment.gitsource import fetch_git
from referee.environment.indexes import Indexes, find_indexes
from referee.environment.progress import Say, silent
from referee.environment.simple import links_of
from referee.environment.store import Store, raise_fault, remove_tree
from referee.record.canonical import sha256_file, sha256_json
from referee.record.fault import BadInput
from referee.task.model import Release

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!~-]*")


def release_key(release: Release) -> str:
    """The name of a release's content: its SHA-256, or for git a hash of its commit."""
    if release.registry == "git":
        return sha256_json({"git": release.commit})
    return str(release.sha256)


def fetch_release(store: Store, release: Release, say: Say = silent) -> Path:
    """The archive of a release, from the store or from where it is published.

    An archive that is already there is hashed again before it is trusted. A git commit becomes an
    uncompressed tar of its files, without history.

    Raises:
        BadInput: a field is missing, the hash is wrong, the file does not exist, or the machine is
            offline; the message names the file.
        Infrastructure: the disk is full.
    """
    _check_fields(release)
    name = release.file or f"{release.name}-{release.commit}.tar"

    def fetch(target: Path) -> None:
        _fetcher(release)(release, target, say)
        _check_hash(target, release)

    return keep_archive(
        store, release_key(release), name, lambda path: _is_whole(path, release), fetch
    )


def keep_archive(
    store: Store,
    key: str,
    name: str,
    is_whole: Callable[[Path], bool],
    fetch: Callable[[Path], None],
) -> Path:
    """`downloads/key/name` of a store: what is there if it is whole, else what `fetch` writes to
    the path that it is given, under a lock and by one rename. `fetch` checks what it got.

    Raises:
        Infrastructure: the disk is full; and whatever `fetch` raises.
    """
    folder = store.root / "downloads" / key
    target = folder / name
    if is_whole(target):
        return target
    with store.lock(f"downloads-{key}"):
        if is_whole(target):
            return target
        remove_tree(folder)
        partial = Path(tempfile.mkdtemp(prefix=f".{key}.", dir=folder.parent))
        try:
            fetch(partial / name)
            partial.rename(folder)
        except OSError as error:
            raise_fault(error)
        finally:
            remove_tree(partial)
    return target


def _check_fields(release: Release) -> None:
    wanted = ("url", "commit") if release.registry == "git" else ("file", "sha256")
    for field in wanted:
        if not getattr(release, field):
            raise BadInput(f"the {release.registry} release of {release.name} has no `{field}`")
    if release.file is not None and not _FILE.fullmatch(release.file):
        raise BadInput(f"{release.file!r} is not a plain file name")


def _is_whole(path: Path, release: Release) -> bool:
    """True for an archive that may be used. A git export is trusted, because git checked the commit
    and a finished folder got its name only then."""
    if not path.is_file():
        return False
    return release.registry == "git" or sha256_file(path) == release.sha256


def _fetcher(release: Release) -> Callable[[Release, Path, Say], None]:
    return {"pypi": _fetch_pypi, "git": fetch_git, "debian": fetch_debian}[release.registry]


def _check_hash(path: Path, release: Release) -> None:
    if release.registry != "git" and (found := sha256_file(path)) != release.sha256:
        raise BadInput(
            f"{path.name} has sha256 {found}, but source.toml says {release.sha256}",
            hint="compare both with the hash that the publisher states; the file was not kept",
        )


def _fetch_pypi(release: Release, target: Path, say: Say) -> None:
    indexes = find_indexes()
    wanted = f"{release.file} of {release.name} {release.version}"
    try:
        url = _find_url(indexes, release)
        if url is None:
            raise BadInput(
                f"no package index has {wanted}", hint=f"these were asked: {indexes.shown}"
            )
        say(f"downloading {release.file}")
        save_file(url, target, indexes.authorities, say)
    except Offline as error:
        raise BadInput(
            f"{wanted} is needed and this machine looks offline ({error})",
            hint="connect it once, or name an index that it can reach in UV_DEFAULT_INDEX",
        ) from error
    except Absent as error:
        raise BadInput(f"{wanted} is listed but cannot be had ({error})") from error


def _find_url(indexes: Indexes, release: Release) -> str | None:
    """The address of the file in the first place that lists it; an index that cannot be reached
    matters only if no other has the file."""
    trouble: Offline | None = None
    for place, is_index in [(u, True) for u in indexes.urls] + [(u, False) for u in indexes.links]:
        try:
            links = links_of(place, release.name if is_index else None, indexes.authorities)
        except Offline as error:
            trouble = error
            continue
        except Absent:
            continue
        if found := links.get(str(release.file)):
            return found
    if trouble:
        raise trouble
    return None
