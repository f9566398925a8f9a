"""Python environments: built once per lock, read-only, the same for every task with that lock.

What differs from task to task (the target package's name and version) lies in a small folder of its
own that is mounted at /opt/target. The environment has a `.pth` file that looks there.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from referee.environment.indexes import find_indexes, uv_environment
from referee.environment.interpreter import Interpreter, find_interpreter
from referee.environment.lock import Lock, refuse_target
from referee.environment.progress import Say, silent
from referee.environment.pythoncopy import compile_bytecode
from referee.environment.snapshot import Snapshot
from referee.environment.store import Store
from referee.environment.target import TARGET, target_layer
from referee.record.atomic import write_atomic
from referee.record.canonical import canonical_json, sha256_json
from referee.record.fault import BadInput, Infrastructure
from referee.record.tree import scan_tree
from referee.task.model import SourceFile

BUILDER = 1
INSIDE = "/opt/env"

_LINK = "_referee_target.pth"
_OFFLINE = (
    "dns error",
    "error sending request",
    "Connection refused",
    "Failed to fetch",
    "tcp connect error",
    "operation timed out",
    "Temporary failure in name resolution",
    "Network connectivity is disabled",
    "network is unreachable",
)


@dataclass(frozen=True)
class Environment:
    """A finished environment. `path` is its folder on the host, to be mounted at `inside`; `target`
    the folder of the target package's metadata; `python` the executable inside."""

    digest: str
    path: Path
    inside: str
    python: str
    interpreter: Interpreter
    target: Path

    @property
    def site_packages(self) -> Path:
        """Where the locked packages lie on the host."""
        minor = ".".join(self.interpreter.version.split(".")[:2])
        return self.path / "lib" / f"python{minor}" / "site-packages"


def environment_digest(lock: Lock, interpreter: Interpreter) -> str:
    """The name of an environment: a hash of the lock, the Python and the kind of machine."""
    facts = {
        "builder": BUILDER,
        "lock": lock.digest,
        "python": [interpreter.version, interpreter.inside_executable],
        "machine": [platform.system(), platform.machine(), *platform.libc_ver()],
    }
    return sha256_json(facts)


def build_environment(
    store: Store, source: SourceFile, lock: Lock, snapshot: Snapshot, say: Say = silent
) -> Environment:
    """The environment of a lock, from the store or installed by uv.

    Only wheels are installed, each checked against the lock's hashes: building a source
    distribution would run code that nothing pins.

    Raises:
        BadInput: the target is in the lock, a hash is wrong, a file cannot be had, or there is no
            wheel for this Python and machine.
        Infrastructure: the disk is full.
    """
    refuse_target(lock, source.source.name)
    interpreter = find_interpreter(store, source.python.version, say)
    digest = environment_digest(lock, interpreter)

    def build(folder: Path) -> None:
        say(f"installing {len(lock.pins)} packages for Python {interpreter.version}")
        tree = install_layer(store, lock, interpreter, folder, INSIDE, say)
        link = _site_packages(tree) / _LINK
        link.write_text(f"import site; site.addsitedir({TARGET!r})\n")
        link.chmod(0o644)
        facts = {
            "lock": lock.digest,
            "packages": {pin.name: pin.version for pin in lock.sorted_pins()},
            "python": interpreter.version,
            "interpreter": interpreter.digest if interpreter.copied else None,
            "tree": scan_tree(tree).digest,
        }
        write_atomic(folder / "facts.json", canonical_json(facts))

    folder = store.publish("env", digest, build)
    return Environment(
        digest=digest,
        path=folder / "tree",
        inside=INSIDE,
        python=f"{INSIDE}/bin/python",
        interpreter=interpreter,
        target=target_layer(store, source, snapshot),
    )


def verify_environment(environment: Environment) -> None:
    """Hash every file again.

    Raises:
        Infrastructure: a file was changed, added or removed.
    """
    facts = json.loads((environment.path.parent / "facts.json").read_bytes())
    if scan_tree(environment.path).digest != facts["tree"]:
        raise Infrastructure(
            "environment_damaged",
            f"the files of {environment.path} are not those that were built;"
            " `referee env prune` removes them",
        )


def environment_mounts(
    environment: Environment, snapshot: Snapshot
) -> tuple[tuple[Path, str], ...]:
    """(host folder, inside path) pairs to bind read-only. The snapshot itself is not among them: it
    is the lower layer of the workspace's overlay."""
    del snapshot
    return (
        *environment.interpreter.mounts,
        (environment.path, environment.inside),
        (environment.target, TARGET),
    )


def install_layer(
    store: Store,
    lock: Lock,
    interpreter: Interpreter,
    folder: Path,
    inside: str,
    say: Say = silent,
) -> Path:
    """Install a lock into `folder/tree`, to be mounted at `inside`; returns the tree.

    Raises:
        BadInput: a hash is wrong, a file cannot be had, or there is no wheel for this machine.
        Infrastructure: the disk is full.
    """
    _install(store, lock, interpreter, folder)
    tree = folder / "tree"
    site = _site_packages(tree)
    _tidy(tree, site, interpreter, inside)
    say("compiling bytecode")
    compile_bytecode(interpreter.executable, site, f"{inside}/{site.relative_to(tree)}")
    return tree


@functools.cache
def _uv() -> str:
    from uv import find_uv_bin

    return str(find_uv_bin())


def _install(store: Store, lock: Lock, interpreter: Interpreter, folder: Path) -> None:
    """`uv venv` and `uv pip install`, first from the store's own cache, then from the indexes."""
    cache = store.root / "downloads" / "uv"
    env = uv_environment(find_indexes(), cache)
    tree = folder / "tree"
    venv = ["venv", "--quiet", "--relocatable", "--no-project", "--python"]
    done = _run([_uv(), *venv, str(interpreter.executable), str(tree)], env, folder)
    if done.returncode != 0:
        raise _fault(done.stderr, lock)
    with tempfile.NamedTemporaryFile("w", suffix=".txt", dir=folder) as requirements:
        requirements.write(lock.text())
        requirements.flush()
        command = [_uv(), "pip", "install", "--quiet", "--python", str(tree / "bin" / "python")]
        command += ["--require-hashes", "--no-deps", "--no-build", "--link-mode", "hardlink"]
        command += ["--requirements", requirements.name]
        with store.hold("uv", "cache"):
            done = _run([*command, "--offline"], env, folder)
            if done.returncode != 0:
                done = _run(command, env, folder)
        if done.returncode != 0:
            raise _fault(done.stderr, lock)


def _run(command: list[str], env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    # A project's own settings in the caller's folder are not to steer uv, hence `cwd`.
    return subprocess.run(
        command,
        env=env,
        cwd=cwd,
        umask=0o022,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _fault(said: str, lock: Lock) -> Exception:
    """What uv's complaint means for the user."""
    text = " ".join(re.sub(r"[×│├╰─▶⋮]+", " ", said).split())
    if "No space left" in text:
        return Infrastructure("disk_full", "no space left for the Python environment")
    if "ash mismatch" in text:
        package = re.search(r"`([^`]+)`", text)
        return BadInput(
            f"a downloaded file of {package[1] if package else 'a package'} does not have a hash"
            " that the lock allows",
            where=lock.where,
            hint="lock again, and ask why the published file changed",
        )
    if any(sign.lower() in text.lower() for sign in _OFFLINE):
        address = re.search(r"Failed to fetch: `?([^`#?\s]+)", text)
        what = address[1].rstrip("/").rpartition("/")[2] if address else None
        return BadInput(
            f"{what or 'a locked package'} is needed and this machine looks offline",
            where=lock.where,
            hint="connect it once, or name an index that it can reach in UV_DEFAULT_INDEX",
        )
    return BadInput(
        f"the lock cannot be installed here: {text[-400:] or 'uv said nothing'}", where=lock.where
    )


def _site_packages(tree: Path) -> Path:
    return next((tree / "lib").glob("python3.*")) / "site-packages"


def _tidy(tree: Path, site: Path, interpreter: Interpreter, inside: str) -> None:
    """Point the environment at the Python inside, and remove what only installing needs."""
    program = tree / "bin" / "python"
    links = [p for p in (tree / "bin").iterdir() if p.is_symlink()]
    for link in links:
        link.unlink()
    program.symlink_to(interpreter.inside_executable)
    minor = ".".join(interpreter.version.split(".")[:2])
    for name in ("python3", f"python{minor}"):
        (tree / "bin" / name).symlink_to("python")
    spare = [tree / name for name in (".lock", "CACHEDIR.TAG", ".gitignore")]
    spare += [*site.glob("_virtualenv.*"), *(tree / "bin").glob("*activate*")]
    for path in [*spare, *(tree / "bin").glob("*.bat")]:
        path.unlink(missing_ok=True)
    own = {
        tree / "bin" / "activate": f"export VIRTUAL_ENV={inside}\nexport PATH={inside}/bin:$PATH\n",
        tree / "pyvenv.cfg": f"home = {Path(interpreter.inside_executable).parent}\n"
        "implementation = CPython\n"
        f"version_info = {interpreter.version}\n"
        "include-system-site-packages = false\n"
        "relocatable = true\n",
    }
    for path, text in own.items():
        path.write_text(text)
        path.chmod(0o644)
    for folder, _folders, _names in os.walk(tree):
        Path(folder).chmod(0o755)
