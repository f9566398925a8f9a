"""Layers: each command-line agent installed once, at a pinned version, for every sandbox to share.

Nothing is installed inside a trial.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.agent.launch import LAYER
from referee.environment.archive import unpack
from referee.environment.build import install_layer
from referee.environment.interpreter import Interpreter, find_interpreter, list_pythons
from referee.environment.lock import Lock, read_lock
from referee.environment.npm import NpmPackage, fetch_npm
from referee.environment.progress import Say, silent
from referee.environment.store import Store
from referee.record.atomic import write_atomic
from referee.record.canonical import canonical_json, sha256_json
from referee.record.fault import BadInput
from referee.sandbox.protocol import Mount

_LOCKS = Path(__file__).with_name("locks")
_PYTHONS = ("3.12", "3.11", "3.13")
_PYTHON_INSIDE = "/opt/agent-python"


@dataclass(frozen=True)
class NpmSource:
    """Programs from one archive of the npm registry per kind of machine; `top` is the folder in it
    that becomes the layer."""

    version: str
    packages: Mapping[str, NpmPackage]
    top: Mapping[str, str]


@dataclass(frozen=True)
class PythonSource:
    """A Python package and everything that it needs, locked by hash."""

    version: str
    lock: str


def _npm(name: str, version: str, integrity: str) -> NpmPackage:
    return NpmPackage(name, version, f"sha512-{integrity}")


SOURCES: Mapping[str, NpmSource | PythonSource] = {
    "mini-swe-agent": PythonSource("2.4.6", "mini-swe-agent.lock"),
    "claude-code": NpmSource(
        "2.1.197",
        {
            "x86_64": _npm(
                "@anthropic-ai/claude-code-linux-x64",
                "2.1.197",
                "rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
            ),
            "aarch64": _npm(
                "@anthropic-ai/claude-code-linux-arm64",
                "2.1.197",
                "sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==",
            ),
        },
        {"x86_64": "", "aarch64": ""},
    ),
    "codex": NpmSource(
        "0.171.0",
        {
            "x86_64": _npm(
                "@openai/codex",
                "0.171.0-linux-x64",
                "l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==",
            ),
            "aarch64": _npm(
                "@openai/codex",
                "0.171.0-linux-arm64",
                "9z17t4bbUJ9UCIb49O4PoA+ki+45q3rd8nZ8PeH6sYnlKkBld/Xpo/OS3h3Ti954+foshX4o7k5TCU8N7zzqQA==",
            ),
        },
        {
            "x86_64": "vendor/x86_64-unknown-linux-musl/",
            "aarch64": "vendor/aarch64-unknown-linux-musl/",
        },
    ),
    "opencode": NpmSource(
        "1.18.33",
        {
            "x86_64": _npm(
                "opencode-linux-x64-baseline",
                "1.18.33",
                "1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==",
            ),
        },
        {"x86_64": ""},
    ),
}


@dataclass(frozen=True)
class Layer:
    """A provisioned agent: `mounts` put it at /opt/agent; `content` names what it was installed
    from, on any machine of this kind."""

    name: str
    version: str
    digest: str
    mounts: tuple[Mount, ...]
    content: str


def layer_digest(store: Store, name: str) -> str:
    """The name of an agent's layer on this machine.

    Raises:
        BadInput: there is none for this kind of machine.
    """
    source = SOURCES[name]
    if isinstance(source, NpmSource):
        package = _package(name, source)
        return sha256_json({"agent": name, "integrity": package.integrity})
    interpreter = _interpreter(store)
    lock = _lock(source)
    return sha256_json(
        {"agent": name, "lock": lock.digest, "python": interpreter.inside_executable}
    )


def layer_digests(store: Store) -> set[str]:
    """The layers of the agents that are installed at their present versions."""
    return {layer_digest(store, name) for name in SOURCES if is_provisioned(store, name)}


def is_provisioned(store: Store, name: str) -> bool:
    """Whether an agent's layer is in the store."""
    try:
        return store.path("agent", layer_digest(store, name)).is_dir()
    except BadInput:
        return False


def provision(store: Store, name: str, say: Say = silent) -> Layer:
    """An agent's layer, from the store or installed.

    Raises:
        BadInput: there is none for this machine, a file cannot be had, or a hash is wrong.
        Infrastructure: the disk is full.
    """
    source, digest = SOURCES[name], layer_digest(store, name)
    if isinstance(source, NpmSource):
        package, top = _package(name, source), source.top[platform.machine()]

        def build(folder: Path) -> None:
            archive = fetch_npm(store, package, say)
            say(f"unpacking {package.file}")
            unpack(archive, folder / "all", single_top=True, keep=lambda p: p.startswith(top))
            (folder / "all" / top).rename(folder / "tree")

        path = store.publish("agent", digest, build) / "tree"
        return Layer(name, source.version, digest, (Mount(path, LAYER),), package.integrity)
    interpreter = _interpreter(store, say)
    lock = _lock(source)

    def install(folder: Path) -> None:
        say(f"installing {name} {source.version} and what it needs")
        install_layer(store, lock, interpreter, folder, LAYER, say)
        facts = {"interpreter": interpreter.digest if interpreter.copied else None}
        write_atomic(folder / "facts.json", canonical_json(facts))

    path = store.publish("agent", digest, install) / "tree"
    shared = tuple(Mount(host, inside) for host, inside in interpreter.mounts)
    return Layer(name, source.version, digest, (*shared, Mount(path, LAYER)), lock.digest)


def _package(name: str, source: NpmSource) -> NpmPackage:
    machine = platform.machine()
    if machine not in source.packages:
        known = ", ".join(sorted(source.packages))
        raise BadInput(f"{name} {source.version} is not published for {machine} (only {known})")
    return source.packages[machine]


def _lock(source: PythonSource) -> Lock:
    return read_lock(_LOCKS / source.lock)


def _interpreter(store: Store, say: Say = silent) -> Interpreter:
    """The first minor version of our list that this machine has, apart from the task's own."""
    found = {python.minor for python in list_pythons()}
    version = next((version for version in _PYTHONS if version in found), _PYTHONS[0])
    return find_interpreter(store, version, say, inside=_PYTHON_INSIDE)
