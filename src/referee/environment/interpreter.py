"""Finding a Python that programs inside a sandbox can run."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from referee.environment.identity import Identity, sandbox_identity
from referee.environment.progress import Say, silent
from referee.environment.pythoncopy import copy_interpreter, finds_library_elsewhere
from referee.environment.store import Store, world_can_reach
from referee.record.atomic import write_atomic
from referee.record.canonical import canonical_json, sha256_json
from referee.record.fault import BadInput

INSIDE_PREFIX = "/opt/python"
_INSTALLERS = {"pip", "setuptools", "wheel", "pkg_resources", "_distutils_hack", "__pycache__"}

_ASK = """
import json, sys
print(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3],
    "prefix": sys.base_prefix,
    "executable": getattr(sys, "_base_executable", sys.executable),
    "build": sys.version,
    "implementation": sys.implementation.name,
    "free_threaded": "t" in getattr(sys, "abiflags", ""),
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython that works inside a sandbox.

    `version` is full (`3.11.7`); `prefix` and `executable` are on the host, `inside_prefix` and
    `inside_executable` in the sandbox; `mounts` are (host folder, inside path) pairs that must be
    bound read-only, none for the machine's own Python below /usr. `origin` is the prefix that it
    was found at; `copied` says that `prefix` is a copy in the store, whose name is `digest`.
    """

    version: str
    prefix: Path
    executable: Path
    inside_prefix: str
    inside_executable: str
    mounts: tuple[tuple[Path, str], ...]
    origin: Path
    digest: str
    copied: bool


@dataclass(frozen=True)
class Found:
    """A Python on this machine, as it describes itself. `build` is its `sys.version`."""

    version: str
    prefix: Path
    executable: Path
    build: str

    @property
    def minor(self) -> str:
        return ".".join(self.version.split(".")[:2])


def find_interpreter(
    store: Store, version: str, say: Say = silent, *, inside: str = INSIDE_PREFIX
) -> Interpreter:
    """An interpreter of a minor version (`3.11`), found by uv; one that needs no copy is preferred.
    One that does not lie below /usr is mounted at `inside`.

    What was found is remembered in the store until the executable changes.

    Raises:
        BadInput: the machine has no such Python; the message names those that it has.
    """
    place = "" if inside == INSIDE_PREFIX else "-" + sha256_json(inside)[:8]
    memory = store.root / "python" / f".found-{version}-{sandbox_identity().uid}{place}.json"
    if remembered := _recall(store, memory):
        return remembered
    matching = list_pythons(version)
    if not matching:
        names = sorted({p.version for p in list_pythons()}, key=_version_key)
        raise BadInput(
            f"Python {version} is not on this machine (found: {', '.join(names) or 'none'})",
            hint=f"install it: `uv python install {version}` or `sudo apt-get install"
            f" python{version}`",
        )
    chosen = min(matching, key=lambda p: (why_copy(p) is not None, _newest_first(p)))
    interpreter = _make_usable(store, chosen, say, inside)
    _remember(memory, chosen, interpreter)
    return interpreter


def list_pythons(minor: str | None = None) -> list[Found]:
    """Every CPython (of one minor version) that uv finds here, each once; a virtual environment
    counts as the Python below it.

    Besides PATH and uv's own, the Python that runs referee and those of pyenv are looked at.

    Raises:
        BadInput: uv cannot be run.
    """
    from uv import find_uv_bin

    env = dict(os.environ) | {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_CONFIG": "1", "NO_COLOR": "1"}
    env["PATH"] = os.pathsep.join([*_extra_folders(), env.get("PATH", "/usr/bin:/bin")])
    for name in ("UV_PYTHON", "PYTHONHOME", "PYTHONPATH"):
        env.pop(name, None)
    command = [find_uv_bin(), "python", "list", *([minor] if minor else [])]
    command += ["--only-installed", "--output-format", "json"]
    done = subprocess.run(command, env=env, cwd="/", capture_output=True, check=False)
    if done.returncode != 0:
        raise BadInput(f"uv cannot list Pythons ({done.stderr.decode(errors='replace')[-200:]})")
    rows = json.loads(done.stdout or b"[]")
    paths = [
        Path(row["path"])
        for row in rows
        if row.get("implementation") == "cpython" and row.get("variant", "default") == "default"
    ]
    found: dict[Path, Found] = {}
    for path in paths:
        real = path.resolve()
        if real not in found and (python := _ask(path)):
            found.setdefault(python.executable.resolve(), python)
            found.setdefault(real, python)
    return list({python.executable.resolve(): python for python in found.values()}.values())


def why_copy(python: Found) -> str | None:
    """Why a Python cannot be bound into a sandbox as it lies, or None when it can."""
    if python.prefix == Path("/usr"):
        return None
    who = sandbox_identity()
    for path in (python.executable, python.prefix / "lib", _stdlib(python) / "os.py"):
        if not _readable(path.resolve(), who):
            return "other users cannot read it"
    if finds_library_elsewhere(python.executable):
        return "it finds its library at a fixed path"
    with contextlib.suppress(OSError):
        for entry in (_stdlib(python) / "site-packages").iterdir():
            if entry.name.partition("-")[0].removesuffix(".py") not in _INSTALLERS | {"README.txt"}:
                return "other packages are installed in it"
    return None


def _extra_folders() -> list[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    try:
        pyenvs = sorted((p / "bin" for p in pyenv.glob("*/") if (p / "bin").is_dir()), reverse=True)
    except OSError:
        # another user's, as after `su`: what cannot be looked at offers nothing
        pyenvs = []
    return [str(p) for p in (Path("/usr/bin"), Path(sys.base_prefix) / "bin", *pyenvs)]


def _ask(path: Path) -> Found | None:
    """What a Python says about itself; None for one that does not start or is no plain CPython."""
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", _ASK], cwd="/", capture_output=True, timeout=30, check=True
        )
        said = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    if said["implementation"] != "cpython" or said["free_threaded"]:
        return None
    prefix, minor = Path(said["prefix"]), said["version"].rpartition(".")[0]
    own = prefix / "bin" / f"python{minor}"
    executable = own if own.is_file() else Path(said["executable"])
    return Found(said["version"], prefix, executable, said["build"])


def _stdlib(python: Found) -> Path:
    return python.prefix / "lib" / f"python{python.minor}"


def _readable(path: Path, who: Identity) -> bool:
    """Can the sandbox's user get at a path? As ourselves, if it is us; else as a stranger."""
    if not who.dropped:
        return os.access(path, os.R_OK)
    return path.exists() and world_can_reach(path.parent) is None and bool(path.stat().st_mode & 4)


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _newest_first(python: Found) -> tuple[int, ...]:
    return tuple(-part for part in _version_key(python.version))


def _make_usable(store: Store, python: Found, say: Say, inside: str) -> Interpreter:
    name = f"bin/python{python.minor}"
    if python.prefix == Path("/usr"):
        digest = sha256_json({"system": python.build})
        return Interpreter(
            version=python.version,
            prefix=python.prefix,
            executable=python.prefix / name,
            inside_prefix="/usr",
            inside_executable=f"/usr/{name}",
            mounts=(),
            origin=python.prefix,
            digest=digest,
            copied=False,
        )
    prefix, digest = python.prefix, sha256_json({"prefix": str(python.prefix), "b": python.build})
    if reason := why_copy(python):
        say(f"copying Python {python.version} into the store ({reason})")
        prefix, digest = copy_interpreter(
            store, python.prefix, python.executable, python.minor, python.build, inside
        )
    return Interpreter(
        version=python.version,
        prefix=prefix,
        executable=prefix / name,
        inside_prefix=inside,
        inside_executable=f"{inside}/{name}",
        mounts=((prefix, inside),),
        origin=python.prefix,
        digest=digest,
        copied=prefix != python.prefix,
    )


def _stamp(path: Path) -> list[int]:
    info = path.stat()
    return [info.st_mtime_ns, info.st_size]


def _remember(memory: Path, chosen: Found, interpreter: Interpreter) -> None:
    fields = asdict(interpreter) | {
        "prefix": str(interpreter.prefix),
        "executable": str(interpreter.executable),
        "origin": str(interpreter.origin),
        "mounts": [[str(host), inside] for host, inside in interpreter.mounts],
    }
    facts = {
        "found": str(chosen.executable),
        "stamp": _stamp(chosen.executable),
        "interpreter": fields,
    }
    write_atomic(memory, canonical_json(facts))


def _recall(store: Store, memory: Path) -> Interpreter | None:
    """The remembered interpreter, if the executable that it came from is as it was then."""
    try:
        facts = json.loads(memory.read_bytes())
        if facts["stamp"] != _stamp(Path(facts["found"])):
            return None
        fields = facts["interpreter"] | {
            "prefix": Path(facts["interpreter"]["prefix"]),
            "executable": Path(facts["interpreter"]["executable"]),
            "origin": Path(facts["interpreter"]["origin"]),
            "mounts": tuple((Path(h), inside) for h, inside in facts["interpreter"]["mounts"]),
        }
        interpreter = Interpreter(**fields)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if interpreter.copied and interpreter.prefix != store.path("python", interpreter.digest):
        return None
    return interpreter if interpreter.executable.exists() else None
