"""Reading archives that strangers made: plain files and links inside the tree, nothing else."""

from __future__ import annotations

import contextlib
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from referee.record.fault import BadInput

MAX_FILES = 200_000
MAX_BYTES = 4 << 30


@dataclass(frozen=True)
class Member:
    """One file of an archive: `path` below the root, `executable`, and either a `link` target or
    `open`, which gives its bytes."""

    path: str
    executable: bool
    link: str | None
    open: Callable[[], IO[bytes]]


def unpack(
    archive: Path, root: Path, *, single_top: bool, keep: Callable[[str], bool] = lambda _path: True
) -> None:
    """Write the files of a tar or zip below `root`, which is empty.

    Paths for which `keep` is false are left out. With `single_top` the one folder that everything
    lies in is dropped from the paths. Owners, times and special modes in the archive are ignored.

    Raises:
        BadInput: a path is absolute or leaves the tree, a link points outside it, a member is a
            device or a pipe, two members have one path, a cap is passed, or the archive is damaged.
    """
    try:
        with _members(archive) as members:
            chosen = _checked(archive, _without_top(archive, members) if single_top else members)
            _write(archive, root, [m for m in chosen if keep(m.path)])
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise BadInput(f"the archive is damaged ({error})", where=archive.name) from error
    except (NotImplementedError, RuntimeError) as error:  # an encrypted or odd zip
        raise BadInput(f"the archive cannot be read ({error})", where=archive.name) from error


@contextlib.contextmanager
def _members(archive: Path) -> Iterator[list[Member]]:
    if zipfile.is_zipfile(archive) and not archive.name.endswith((".tar", ".gz", ".xz", ".bz2")):
        with zipfile.ZipFile(archive) as bundle:
            yield _zip_members(archive, bundle)
    else:
        with tarfile.open(archive, "r:*") as bundle:
            yield _tar_members(archive, bundle)


def _tar_members(archive: Path, bundle: tarfile.TarFile) -> list[Member]:
    members: dict[str, Member] = {}
    size = 0
    for info in bundle:
        if info.isdir():
            _safe_path(archive, info.name)
            continue
        if info.isfile():
            size += info.size
        if len(members) >= MAX_FILES or size > MAX_BYTES:
            raise _refused(archive, f"more than {MAX_FILES} files or {MAX_BYTES} bytes", "")
        path = _safe_path(archive, info.name)
        if info.islnk():
            first = members.get(_safe_path(archive, info.linkname))
            if first is None:
                raise _refused(archive, "a hard link to nothing", info.name)
            members[path] = Member(path, first.executable, first.link, first.open)
        elif info.issym():
            members[path] = Member(path, False, info.linkname, _no_bytes)
        elif info.isfile():
            members[path] = Member(path, bool(info.mode & 0o111), None, _tar_opener(bundle, info))
        else:
            raise _refused(archive, "neither a file nor a folder nor a link", info.name)
    return list(members.values())


def _tar_opener(bundle: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        stream = bundle.extractfile(info)
        if stream is None:
            raise tarfile.ReadError(f"{info.name} has no bytes")
        return stream

    return opened


def _zip_members(archive: Path, bundle: zipfile.ZipFile) -> list[Member]:
    infos = [info for info in bundle.infolist() if not info.is_dir()]
    if len(infos) > MAX_FILES or sum(info.file_size for info in infos) > MAX_BYTES:
        raise _refused(archive, f"more than {MAX_FILES} files or {MAX_BYTES} bytes", "")
    members = {}
    for info in infos:
        path = _safe_path(archive, info.filename)
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFLNK):
            raise _refused(archive, "neither a file nor a folder nor a link", info.filename)
        link = None
        if stat.S_ISLNK(mode):
            link = bundle.read(info)[:4096].decode("utf-8", "surrogateescape")
        members[path] = Member(path, bool(mode & 0o111), link, _zip_opener(bundle, info))
    return list(members.values())


def _zip_opener(bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: bundle.open(info)


def _no_bytes() -> IO[bytes]:
    raise ValueError("a link has no bytes")


def _safe_path(archive: Path, name: str) -> str:
    """The normal form of a member's path, or a refusal."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise _refused(archive, "a path that leaves the tree", name)
    return path.as_posix()


def _without_top(archive: Path, members: list[Member]) -> list[Member]:
    tops = {member.path.partition("/")[0] for member in members}
    if len(tops) != 1 or any("/" not in member.path for member in members):
        raise BadInput(
            "the archive does not have one top folder",
            where=archive.name,
            hint="a source distribution has; check `file` in source.toml",
        )
    return [Member(m.path.partition("/")[2], m.executable, m.link, m.open) for m in members]


def _checked(archive: Path, members: list[Member]) -> list[Member]:
    """Refuse links that leave the tree and paths that run through a file or a link."""
    paths = {member.path for member in members}
    for member in members:
        for parent in PurePosixPath(member.path).parents:
            if parent.as_posix() in paths:
                raise _refused(archive, "a path that runs through a file or a link", member.path)
        if member.link is not None and not link_stays_inside(member.path, member.link):
            raise _refused(archive, "a link that leaves the tree", member.path)
    return members


def link_stays_inside(path: str, target: str) -> bool:
    """True when a relative link at `path` (below the root) cannot point above the root."""
    if target.startswith("/") or "\0" in target or not target:
        return False
    depth = len(PurePosixPath(path).parts) - 1
    for part in target.split("/"):
        depth += -1 if part == ".." else int(part not in ("", "."))
        if depth < 0:
            return False
    return True


def _write(archive: Path, root: Path, members: list[Member]) -> None:
    """Files first, links last: nothing is ever written through a link."""
    budget = MAX_BYTES
    for member in members:
        target = root / member.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if member.link is None:
            with member.open() as source, target.open("xb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
                budget -= sink.tell()
            target.chmod(0o755 if member.executable else 0o644)
        if budget < 0:
            raise _refused(archive, f"more than {MAX_BYTES} bytes", member.path)
    for member in members:
        if member.link is not None:
            (root / member.path).symlink_to(member.link)


def _refused(archive: Path, what: str, name: str) -> BadInput:
    shown = f": {name!r}" if name else ""
    return BadInput(f"the archive is refused: {what}{shown}", where=archive.name)
