"""The root of a sandbox: an allow-list of the host's /usr and a small /etc of our own."""

from __future__ import annotations

import fnmatch
import functools
import os
from collections.abc import Iterator
from pathlib import Path

from referee.environment.store import Store
from referee.sandbox.protocol import Limits

USER, HOSTNAME, HOME = "agent", "sandbox", "/tmp/home"
INSIDE_ID = 1000

WHOLE = ("usr/bin", "usr/include", "usr/libexec")
"""Folders that are shown whole."""

LIBRARIES = ("usr/lib", "usr/lib32", "usr/lib64", "usr/libx32")
LIBRARY_NAMES = (
    "*-linux-gnu*", "*-linux-musl*", "gcc*", "python3.*", "git-core", "locale", "gconv", "cmake",
    "R", "octave", "perl5", "openmpi", "mpich",
)  # fmt: skip
"""What is shown of a library folder that has subfolders per use, as Debian's has. Each entry is a
mount, which costs a sandbox's start about 0.1 ms, so the list is short."""

SHARE_NAMES = (
    "aclocal", "autoconf", "automake*", "cmake*", "git-core", "libtool", "octave", "openmpi",
    "perl", "perl5", "R", "terminfo", "zoneinfo",
)  # fmt: skip

SITE_FOLDERS = ("site-packages", "dist-packages")
"""Python packages of the host's own interpreter: they may hold the answer, so they are absent."""

_HALF_INSTALLED = ".dpkg-"
"""In the names of files that dpkg is about to rename: gone before a sandbox could show them."""

ETC_FOLDERS = ("alternatives",)
"""Shown from the host: links by which libraries such as libblas.so.3 are found."""


def etc_files() -> dict[str, tuple[bytes, int]]:
    """A constant /etc, with the loader's cache as the only thing of the host."""
    files = {
        "passwd": f"{USER}:x:{INSIDE_ID}:{INSIDE_ID}:{USER}:{HOME}:/bin/sh\n",
        "group": f"{USER}:x:{INSIDE_ID}:\n",
        "hosts": f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost {HOSTNAME}\n",
        "hostname": f"{HOSTNAME}\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\n",
        "host.conf": "multi on\n",
        "services": "domain 53/tcp\ndomain 53/udp\nhttp 80/tcp\nhttps 443/tcp\nssh 22/tcp\n",
        "protocols": "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
        "shells": "/bin/sh\n/bin/bash\n",
        "mtab": "",
    }
    found = {name: (text.encode(), 0o644) for name, text in files.items()}
    cache = Path("/etc/ld.so.cache")
    if cache.is_file():
        found["ld.so.cache"] = (cache.read_bytes(), 0o644)
    for folder in ETC_FOLDERS:
        if (Path("/etc") / folder).is_dir():
            found[f"{folder}/.here"] = (b"", 0o644)  # the place that the folder is bound on
    return found


def _has_site_folder(folder: Path, depth: int) -> bool:
    try:
        with os.scandir(folder) as entries:
            below = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return False
    if any(entry.name in SITE_FOLDERS for entry in below):
        return True
    return depth > 1 and any(_has_site_folder(folder / entry.name, depth - 1) for entry in below)


def _bind(path: Path) -> Iterator[str]:
    """Show one entry; a folder with Python packages somewhere in it is shown without them."""
    if path.is_symlink():
        yield from ("--symlink", str(path.readlink()), str(path))
    elif not path.is_dir():
        yield from ("--ro-bind", str(path), str(path))
    elif path.name in SITE_FOLDERS:
        return
    elif path.name.startswith(("python", "llvm")) and _has_site_folder(path, 4):
        for child in sorted(path.iterdir()):
            yield from _bind(child)
    else:
        yield from ("--ro-bind", str(path), str(path))


def _library_arguments(folder: Path) -> Iterator[str]:
    """A library folder: chosen subfolders, or all of it where the libraries lie in it directly."""
    if any(folder.glob("libc.so*")):
        yield from ("--ro-bind", str(folder), str(folder))
        for python in sorted(folder.glob("python3*")):
            for site in SITE_FOLDERS:
                if (python / site).is_dir():
                    place = str(python / site)
                    yield from ("--perms", "0555", "--tmpfs", place, "--remount-ro", place)
        return
    for child in sorted(folder.iterdir()):
        if _HALF_INSTALLED in child.name:
            continue
        is_library = child.is_symlink() or child.is_file()
        if any(fnmatch.fnmatch(child.name, name) for name in LIBRARY_NAMES) or (
            is_library and ".so" in child.name
        ):
            yield from _bind(child)


@functools.cache
def _usr_arguments() -> tuple[str, ...]:
    arguments: list[str] = []
    for name in WHOLE:
        if (Path("/") / name).is_dir():
            arguments += _bind(Path("/") / name)
    for name in LIBRARIES:
        folder = Path("/") / name
        if folder.is_symlink():
            arguments += _bind(folder)
        elif folder.is_dir():
            arguments += _library_arguments(folder)
    loader_list = Path("/usr/sbin/ldconfig")  # how Python's ctypes finds a library by name
    if loader_list.is_file() and not loader_list.parent.is_symlink():
        arguments += ["--ro-bind", str(loader_list), str(loader_list)]
    share = Path("/usr/share")
    for child in sorted(share.iterdir()) if share.is_dir() else ():
        if any(fnmatch.fnmatch(child.name, name) for name in SHARE_NAMES):
            arguments += _bind(child)
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/") / name
        if folder.is_symlink():
            arguments += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            arguments += ["--ro-bind", str(folder), str(folder)]
    return tuple(arguments)


@functools.cache
def system_arguments(store: Store) -> tuple[str, ...]:
    """bwrap arguments for the read-only system part of the root; looked up once per process."""
    etc = store.runtime(etc_files())
    arguments = [*_usr_arguments(), "--ro-bind", str(etc), "/etc"]
    for folder in ETC_FOLDERS:
        if (etc / folder).is_dir():
            arguments += ["--ro-bind", f"/etc/{folder}", f"/etc/{folder}"]
    return tuple(arguments)


def scratch_arguments(limits: Limits) -> list[str]:
    """bwrap arguments for /proc, /dev and the sized temporary filesystems."""
    tmp, shm = str(limits.tmp_bytes), str(limits.shm_bytes)
    return [
        # the sandbox user owns its namespaces, hence their settings below /proc/sys
        *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"),
        *("--perms", "1777", "--size", shm, "--tmpfs", "/dev/shm"),
        *("--perms", "1777", "--size", tmp, "--tmpfs", "/tmp", "--perms", "0700", "--dir", HOME),
    ]


# Without these a program could fill the root's and /dev's own filesystems, which have no size.
CLOSING_ARGUMENTS = ("--remount-ro", "/dev", "--remount-ro", "/")

NAMESPACE_ARGUMENTS = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--as-pid-1", "--cap-drop", "ALL", "--uid", str(INSIDE_ID), "--gid", str(INSIDE_ID)),
    *("--hostname", HOSTNAME),
)
