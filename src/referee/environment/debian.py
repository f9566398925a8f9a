"""Debian: source packages, and host packages that a task needs by name."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.environment.progress import Say
from referee.environment.store import remove_tree
from referee.record.fault import BadInput

if TYPE_CHECKING:
    from referee.task.model import Release

_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+:~-]*")


def require_packages(names: Sequence[str]) -> None:
    """Check that host packages are installed.

    Raises:
        BadInput: one is not; the message has the command that installs it.
    """
    if not names:
        return
    for name in names:
        if not _NAME.fullmatch(name):
            raise BadInput(f"{name!r} is not the name of a Debian package")
    if shutil.which("dpkg-query") is None:
        raise BadInput(
            f"this machine has no dpkg, so the packages {', '.join(names)} cannot be checked",
            hint="use a Debian or Ubuntu machine for this task",
        )
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", "--", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    there = {row[0] for row in rows if len(row) == 2 and row[1] == "installed"}
    if missing := [name for name in names if name not in there]:
        raise BadInput(
            f"Debian packages are missing: {', '.join(missing)}",
            hint=f"install them: sudo apt-get install {' '.join(missing)}",
        )


_SITE, _SHARE = Path("/usr/lib/python3/dist-packages"), Path("/usr/share")
_NOT_DATA = frozenset(
    {"doc", "doc-base", "man", "lintian", "metainfo", "applications", "icons", "menu", "mime"}
    | {"bash-completion", "pixmaps", "python3", "pyshared"}
)


def native_mounts(names: Sequence[str]) -> tuple[tuple[Path, str], ...]:
    """What a sandbox must show of native packages beside the programs and libraries that it shows
    anyway: their modules of Debian's own Python, and their folders of data; (host path, inside
    path) pairs.

    Raises:
        BadInput: dpkg does not know a package.
    """
    if not names:
        return ()
    done = subprocess.run(
        ["dpkg-query", "-L", "--", *names], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BadInput(f"dpkg cannot list what is in {', '.join(names)}: {done.stderr.strip()}")
    found = set()
    for path in map(Path, done.stdout.splitlines()):
        for parent in (_SITE, _SHARE):
            if path.is_relative_to(parent) and path != parent:
                name = path.relative_to(parent).parts[0]
                if parent == _SITE or (name not in _NOT_DATA and (parent / name).is_dir()):
                    found.add(parent / name)
    return tuple((path, str(path)) for path in sorted(found) if path.exists())


def native_versions(names: Sequence[str]) -> dict[str, str]:
    """The installed version of each package."""
    if not names:
        return {}
    form = "${Package}\\t${Version}\\n"
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", form, "--", *names], capture_output=True, text=True, check=False
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return dict(sorted((row[0], row[1]) for row in rows if len(row) == 2))


def fetch_debian(release: Release, target: Path, say: Say) -> None:
    """Download a source package and keep its file `release.file` (the upstream tarball).

    The machine's own package sources are asked, source lists added, in private folders: nothing of
    the machine's apt is changed and no root is needed.

    Raises:
        BadInput: apt is missing, has no such version, or cannot reach its server.
    """
    if shutil.which("apt-get") is None:
        raise BadInput(f"the Debian source package {release.name} needs apt-get on this machine")
    if not (_NAME.fullmatch(release.name) and _VERSION.fullmatch(release.version)):
        raise BadInput(f"{release.name} {release.version} is not a Debian source version")
    say(f"fetching the Debian source package {release.name} {release.version}")
    work = Path(tempfile.mkdtemp(prefix=".apt.", dir=target.parent))
    try:
        options = _private_apt(work)
        updated = _apt(work, *options, "update")
        wanted = f"{release.name}={release.version}"
        got = _apt(work, *options, "source", "--download-only", wanted)
        found = work / str(release.file)
        if got.returncode != 0 or not found.is_file():
            reason = _error_of(got.stderr) or _error_of(updated.stderr)
            others = ", ".join(sorted(p.name for p in work.iterdir() if p.is_file()))
            raise BadInput(
                f"{release.file} of the Debian source {wanted} is needed and cannot be had"
                f" ({reason or f'it brings {others}'})",
                hint="check that this machine is online and its release has that version",
            )
        shutil.move(found, target)
    finally:
        remove_tree(work)


def _private_apt(work: Path) -> list[str]:
    """Options for an apt that reads source lists made from the machine's and writes in `work`."""
    etc = Path("/etc/apt")
    lists = work / "etc"
    for folder in (lists, work / "lists" / "partial", work / "cache" / "archives" / "partial"):
        folder.mkdir(parents=True)
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if path.suffix in (".list", ".sources") and path.is_file():
            text = path.read_text("utf-8", "replace")
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)
            text = re.sub(r"(?m)^deb(?=\s)", "deb-src", text)
            (lists / path.name).write_text(text)
    return [
        *("-o", "Dir::Etc::sourcelist=/dev/null"),
        *("-o", f"Dir::Etc::sourceparts={lists}"),
        *("-o", f"Dir::State::lists={work / 'lists'}"),
        *("-o", f"Dir::Cache={work / 'cache'}"),
        *("-o", "APT::Sandbox::User=root"),
        *("-o", "Acquire::Languages=none"),
    ]


def _apt(work: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["apt-get", "-q", *arguments],
        cwd=work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _error_of(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("E:")]
    return lines[0].removeprefix("E:").strip()[:200] if lines else ""
