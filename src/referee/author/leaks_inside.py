"""Searches everything that an agent can read. Runs inside the agent's sandbox.

Usage: python leaks_inside.py < QUESTION > ANSWER. Both are JSON. What is searched for comes over
standard input, so that it stands in no file, argument or variable that the search itself would
find.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")
LARGEST = 64 << 20
LARGEST_TEXT = 2 << 20
GIT = re.compile(r"/\.git(/|$)|/objects/([0-9a-f]{2}/[0-9a-f]{38}$|pack/|info/packs$)|\.pack$")
PROCESS_FILES = ("environ", "cmdline", "mountinfo", "status", "comm")

Found = list[str]
"""Kind, path and what was found."""


def read(path: Path, limit: int = LARGEST) -> bytes:
    """The bytes of a regular file that is not too large; none if it cannot be read."""
    try:
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > limit:
            return b""
        return path.read_bytes()
    except OSError:
        return b""


def gram_share(data: bytes, size: int, wanted: dict[str, int]) -> float:
    """The part of the wanted n-grams (by name) that stand in a text."""
    row = TOKEN.findall(data.decode("utf-8", "replace"))
    found = set()
    for i in range(len(row) - size + 1):
        name = hashlib.sha256("\0".join(row[i : i + size]).encode()).hexdigest()[:16]
        if name in wanted:
            found.add(name)
    return len(found) / len(wanted) if wanted else 0.0


def paths_below(root: str) -> Iterator[Path]:
    """Files and folders; not those that the kernel makes up."""
    for folder, folders, names in os.walk(root):
        if folder == "/":
            folders[:] = [name for name in folders if name not in ("proc", "sys", "dev")]
        for name in names + folders:
            yield Path(folder, name)


def search_file(path: Path, data: bytes, question: dict[str, Any]) -> Iterator[Found]:
    """What one file gives away."""
    where = str(path)
    if GIT.search(where):
        yield ["git", where, "an object or a folder of a repository"]
    for word in question["canaries"]:
        if word.encode() in data:
            yield ["canary", where, word]
    here = where.startswith(("/workspace/", "/task/"))
    if data and hashlib.sha256(data).hexdigest() in question["fixed"]:
        yield ["fixed", where, "the content of a file of the reference"]
    elif data and not here:
        hits = sum(line.encode() in data for line in question["lines"])
        if hits >= question["least_lines"]:
            yield ["reference", where, f"{hits} lines of the reference"]
    named = path.name in question["names"]
    if (here or named) and 0 < len(data) <= LARGEST_TEXT and b"\0" not in data:
        share = gram_share(data, question["gram"], question["grams"])
        own = where.startswith("/workspace/")
        if share > question["most_own" if own else "most_grams"]:
            yield ["n-grams", where, f"{share:.1%} of the reference's"]
    newest = question["newest"]
    if newest is not None and where.startswith("/workspace/") and path.lstat().st_mtime > newest:
        yield ["time", where, "is newer than the baseline"]


def search(question: dict[str, Any], own: Path) -> dict[str, Any]:
    """Everything that is found below `/` and about every process, but in this program itself."""
    leaks: list[Found] = []
    files = total = 0
    for path in paths_below("/"):
        if path == own:
            continue
        data = read(path)
        files, total = files + 1, total + len(data)
        leaks += search_file(path, data, question)
    for process in Path("/proc").iterdir():
        for name in PROCESS_FILES if process.name.isdigit() else ():
            try:
                data = (process / name).read_bytes()
            except OSError:
                continue
            found = [word for word in question["canaries"] if word.encode() in data]
            leaks += [["canary", str(process / name), word] for word in found]
    return {"files": files, "bytes": total, "leaks": leaks}


if __name__ == "__main__":
    json.dump(search(json.load(sys.stdin), Path(__file__).resolve()), sys.stdout)
