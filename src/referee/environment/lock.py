"""`requirements.lock`: every package pinned to one version and to the hashes of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from referee.record.canonical import sha256_json
from referee.record.fault import BadInput

_HASH = re.compile(r"--hash[= ](\S+)")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")
_HINT = "write the lock with `uv pip compile --generate-hashes`"


@dataclass(frozen=True)
class Pin:
    """One package: canonical `name`, exact `version`, `extras`, environment `marker` (may be empty)
    and the SHA-256 (hex) of every file that may be installed for it."""

    name: str
    version: str
    extras: tuple[str, ...]
    marker: str
    sha256: tuple[str, ...]

    def line(self) -> str:
        """The pin in pip's hashed format."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        marker = f" ; {self.marker}" if self.marker else ""
        hashes = "".join(f" --hash=sha256:{value}" for value in self.sha256)
        return f"{self.name}{extras}=={self.version}{marker}{hashes}"


@dataclass(frozen=True)
class Lock:
    """A whole lock. `where` is the file it came from, for messages only."""

    pins: tuple[Pin, ...]
    where: str = "requirements.lock"

    @property
    def digest(self) -> str:
        """A name for what gets installed: the same for any order, comments or line breaks."""
        rows = [[p.name, p.version, p.extras, p.marker, p.sha256] for p in self.sorted_pins()]
        return sha256_json(rows)

    def sorted_pins(self) -> list[Pin]:
        return sorted(self.pins, key=lambda pin: (pin.name, pin.version, pin.marker))

    def text(self) -> str:
        """The lock in pip's hashed format, without comments."""
        return "".join(f"{pin.line()}\n" for pin in self.sorted_pins())


def read_lock(path: Path) -> Lock:
    """Parse a lock file.

    Raises:
        BadInput: the file is missing, unreadable, empty or has a line that is not a hashed pin.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise BadInput(f"the lock cannot be read ({error.strerror})", where=path) from error
    except UnicodeDecodeError as error:
        raise BadInput("the lock is not UTF-8 text", where=path, hint=_HINT) from error
    return parse_lock(text, str(path))


def parse_lock(text: str, where: str = "requirements.lock") -> Lock:
    """Parse pip's hashed format as uv writes it.

    Raises:
        BadInput: with file and line, for anything but comments and hashed `==` pins.
    """
    if not text.strip():
        raise BadInput("the lock is empty", where=where, hint=_HINT)
    pins: list[Pin] = []
    for number, line in _logical_lines(text, where):
        pin = _parse_pin(line, f"{where}:{number}")
        clash = [p for p in pins if p.name == pin.name and (p.marker == pin.marker or not p.marker)]
        if clash or (not pin.marker and any(p.name == pin.name for p in pins)):
            raise BadInput(f"{pin.name} is locked twice", where=f"{where}:{number}", hint=_HINT)
        pins.append(pin)
    return Lock(tuple(pins), where)


def refuse_target(lock: Lock, name: str) -> None:
    """The target package comes from its snapshot; a locked one would be a second version of it.

    Raises:
        BadInput: any version of `name` is in the lock.
    """
    wanted = canonicalize_name(name)
    for pin in lock.pins:
        if pin.name == wanted:
            raise BadInput(
                f"{pin.name}=={pin.version} is the task's own target package",
                where=lock.where,
                hint="lock its dependencies only (`uv pip compile --no-emit-package NAME`)",
            )


def _logical_lines(text: str, where: str) -> Iterator[tuple[int, str]]:
    """Lines joined at trailing backslashes, comments removed, with the number of the first."""
    parts: list[str] = []
    start = 0
    for number, raw in enumerate(text.removesuffix("\n").split("\n"), 1):
        line = re.sub(r"(^|\s)#.*$", "", raw.rstrip("\r"))
        more = line.rstrip().endswith("\\")
        if not parts:
            start = number
        parts.append(line.rstrip().removesuffix("\\").strip())
        if more:
            continue
        if joined := " ".join(part for part in parts if part):
            yield start, joined
        parts = []
    if parts:
        raise BadInput(
            "the lock ends in the middle of a line", where=f"{where}:{start}", hint=_HINT
        )


def _parse_pin(line: str, where: str) -> Pin:
    head, *_ = line.split("--hash", 1)
    hashes = _HASH.findall(line)
    if line.startswith("-"):
        raise BadInput(
            f"the option {line.split()[0]!r} has no place in a lock",
            where=where,
            hint="indexes belong in your uv or pip configuration",
        )
    try:
        requirement = Requirement(head.strip())
    except InvalidRequirement as error:
        raise BadInput(f"{head.strip()[:80]!r} is not a pin", where=where, hint=_HINT) from error
    if rest := _HASH.sub("", line.removeprefix(head)).strip():
        raise BadInput(f"{rest[:80]!r} is not a hash", where=where, hint=_HINT)
    version = _exact_version(requirement, where)
    if not hashes:
        raise BadInput(f"{requirement.name} has no hash", where=where, hint=_HINT)
    for value in hashes:
        if not _SHA256.fullmatch(value):
            raise BadInput(f"{value[:80]!r} is not a sha256 hash", where=where, hint=_HINT)
    return Pin(
        canonicalize_name(requirement.name),
        version,
        tuple(sorted(requirement.extras)),
        str(requirement.marker) if requirement.marker else "",
        tuple(sorted({value.removeprefix("sha256:") for value in hashes})),
    )


def _exact_version(requirement: Requirement, where: str) -> str:
    specifiers = list(requirement.specifier)
    exact = len(specifiers) == 1 and specifiers[0].operator == "=="
    if requirement.url or not exact:
        raise BadInput(f"{requirement.name} is not pinned by `==`", where=where, hint=_HINT)
    try:
        return str(Version(specifiers[0].version))
    except InvalidVersion as error:
        raise BadInput(
            f"{requirement.name} is not pinned to one version", where=where, hint=_HINT
        ) from error
