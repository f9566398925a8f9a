"""Whether a frozen folder still is what its record says: from the record alone, by other code than
that which made it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

State = Literal["verified", "prefix_verified", "rejected", "incomplete", "invalid"]


@dataclass(frozen=True)
class Integrity:
    """What a verification found. `verified`: a completed replay, intact; `prefix_verified`: one
    that failed, and what is there is bound; `rejected`: nothing was replayed, what is there is
    bound; `incomplete`: the record is of a replay that did not end or whose runner failed;
    `invalid`: something differs, named in `problems`. `record_sha256` binds the record itself."""

    state: State
    problems: tuple[str, ...] = ()
    record_sha256: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the evidence may be used."""
        return self.state in ("verified", "prefix_verified", "rejected")


def verify(
    folder: Path, record_sha256: str | None = None, *, environment: str | None = None
) -> Integrity:
    """Compare a replay folder with its record, name by name and byte by byte.

    `record_sha256` is what an earlier verification found: then the record must be the same, too.
    `environment` is the digest of the environment in which the script must have run.
    """
    path = folder / "trusted_replay.json"
    try:
        if not _is_plain(path.lstat()):
            return Integrity("incomplete", ("the record is no regular file with one name",))
        data = path.read_bytes()
        record = json.loads(data)
        status = record["status"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Integrity("incomplete", (f"the record cannot be read: {error}",))
    digest = hashlib.sha256(data).hexdigest()
    if record_sha256 is not None and digest != record_sha256:
        return Integrity("invalid", ("the record is another one than before",), digest)
    if environment is not None and record.get("environment") != environment:
        return Integrity("invalid", ("the script ran in another environment",), digest)
    if status in ("running", "runner_failed"):
        return Integrity("incomplete", (f"the status is {status}",), digest)
    try:
        problems = (*_facts(record), *_files(folder, record))
    except (KeyError, TypeError, AttributeError, OSError) as error:
        problems = (f"the record cannot be followed: {type(error).__name__} {error}",)
    if problems:
        return Integrity("invalid", tuple(problems), digest)
    states: dict[str, State] = {
        "completed": "verified",
        "failed": "prefix_verified",
        "rejected": "rejected",
    }
    if status not in states:
        return Integrity("invalid", (f"there is no status {status!r}",), digest)
    return Integrity(states[status], (), digest)


def _facts(record: dict[str, Any]) -> list[str]:
    """What the record says must agree with itself."""
    problems = []
    ran = record["command"] != []
    unchanged = (record["source_before"], record["inputs_before"]) == (
        record["source_after"],
        record["inputs_after"],
    )
    if ran:
        isolation = record["isolation"]
        if isolation["network"] != "none":
            problems.append("the network was not closed")
        if type(isolation["uid"]) is not int or isolation["uid"] <= 0:
            problems.append("the script ran as root")
        if record["source_inputs_unchanged"] is not unchanged:
            problems.append("the inventories before and after say something else than the record")
        if record["outputs"] is None or record["console_sha256"] is None:
            problems.append("outputs or console are not recorded")
    if record["status"] == "completed":
        if not ran or not unchanged:
            problems.append("a completed replay ran, and left its source and inputs as they were")
        if record["exit_code"] != 0 or record["ended"] != "exit" or record["timed_out"]:
            problems.append("a completed replay ends by itself with exit code 0")
        if record["reason"] is not None:
            problems.append("a completed replay has no reason to fail")
    elif record["reason"] is None:
        problems.append("a replay that did not complete has a reason")
    return problems


def _files(folder: Path, record: dict[str, Any]) -> list[str]:
    known = {
        "source": record["source_before"],
        "inputs": record["inputs_before"],
        "outputs": record["outputs"] or {},
    }
    problems = []
    allowed = {"trusted_replay.json", *known}
    if record["console_sha256"] is not None:
        allowed.add("console.log")
        wanted = {"sha256": record["console_sha256"]}
        problems += _compare("console.log", folder / "console.log", wanted)
    problems += [f"{name} was added" for name in _names(folder) if name not in allowed]
    for name, wanted in known.items():
        problems += _tree(folder / name, name, wanted)
    return sorted(problems)


def _names(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def _tree(top: Path, name: str, wanted: dict[str, Any]) -> list[str]:
    problems, seen = [], set()
    parents = {"/".join(p.split("/")[:i]) for p in wanted for i in range(1, p.count("/") + 1)}
    for here, folders, files in os.walk(top):
        base = os.path.relpath(here, top)
        for entry in (*folders, *files):
            path = entry if base == "." else f"{base}/{entry}"
            seen.add(path)
            if path in wanted:
                problems += _compare(f"{name}/{path}", top / path, wanted[path])
            elif path not in parents or not stat.S_ISDIR(os.lstat(top / path).st_mode):
                problems.append(f"{name}/{path} was added")
    return [*problems, *(f"{name}/{path} is missing" for path in wanted if path not in seen)]


def _compare(shown: str, path: Path, wanted: dict[str, Any]) -> list[str]:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return [f"{shown} is missing"]
    if not _is_plain(status):
        return [f"{shown} is no regular file with one name"]
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    same = digest.hexdigest() == wanted["sha256"]
    if not same or wanted.get("size", status.st_size) != status.st_size:
        return [f"{shown} was changed"]
    return []


def _is_plain(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1
