"""Packages of the npm registry: one archive each, by the hash that the registry publishes."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.environment.download import keep_archive
from referee.environment.fetch import Absent, Offline, save_file
from referee.environment.indexes import find_indexes
from referee.environment.progress import Say, silent
from referee.environment.store import Store
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput

PUBLIC_REGISTRY = "https://registry.npmjs.org"


@dataclass(frozen=True)
class NpmPackage:
    """One published archive; `integrity` is `sha512-` and base 64, as in a package-lock.json."""

    name: str
    version: str
    integrity: str

    @property
    def file(self) -> str:
        """The archive's name."""
        return f"{self.name.rpartition('/')[2]}-{self.version}.tgz"


def find_registry(environ: Mapping[str, str] | None = None) -> str:
    """The registry that npm is set up with: its variable, then the user's .npmrc, then the public
    one."""
    env = os.environ if environ is None else environ
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        if env.get(name):
            return env[name].rstrip("/")
    home = Path(env.get("HOME") or "/nonexistent")
    settings = Path(env.get("NPM_CONFIG_USERCONFIG") or home / ".npmrc")
    try:
        lines = settings.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "registry" and value.strip():
            return value.strip().rstrip("/")
    return PUBLIC_REGISTRY


def fetch_npm(store: Store, package: NpmPackage, say: Say = silent) -> Path:
    """The archive of a package, from the store or from the registry.

    Raises:
        BadInput: it cannot be had, or its hash is another; the message names it.
        Infrastructure: the disk is full.
    """
    return keep_archive(
        store,
        sha256_json({"npm": package.integrity}),
        package.file,
        lambda path: _is_whole(path, package),
        lambda target: _download(package, target, say),
    )


def _download(package: NpmPackage, target: Path, say: Say) -> None:
    wanted = f"{package.name} {package.version}"
    url = f"{find_registry()}/{package.name}/-/{package.file}"
    authorities = os.environ.get("NODE_EXTRA_CA_CERTS") or find_indexes().authorities
    try:
        say(f"downloading {package.file}")
        save_file(url, target, authorities, say)
    except Offline as error:
        raise BadInput(
            f"{wanted} is needed and this machine looks offline ({error})",
            hint="connect it once, or name a registry that it can reach in npm_config_registry",
        ) from error
    except Absent as error:
        raise BadInput(
            f"the npm registry does not have {wanted} ({error})",
            hint="name a registry that has it in npm_config_registry",
        ) from error
    if (found := integrity_of(target)) != package.integrity:
        raise BadInput(
            f"{package.file} has integrity {found}, not {package.integrity}",
            hint="ask why the published file changed; it was not kept",
        )


def _is_whole(path: Path, package: NpmPackage) -> bool:
    return path.is_file() and integrity_of(path) == package.integrity


def integrity_of(path: Path) -> str:
    """SHA-512 of a file as npm writes it."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha512").digest()
    return "sha512-" + base64.b64encode(digest).decode()
