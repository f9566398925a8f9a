"""`referee task new`: a folder with the shape of a task, which loads once it is filled in."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

from referee.record.atomic import write_atomic
from referee.record.fault import BadInput

_FOLDER = re.compile(r"(?P<id>\d{3})-[a-z0-9][a-z0-9-]*")

_TASK = """\
schema_version = "1.4"

[task]
name = "{suite}/{label}"
version = "1.0.0"
description = ""

[agent]
timeout_sec = 3600.0

[verifier]
timeout_sec = 600.0

[environment]
cpus = 1
memory_mb = 2048
storage_mb = 512

[referee]
kind = "repair"
suite = "repair"
id = "{id}"
domain = ""
paradigm = ""  # issue-driven, expert-exploratory or engineering-integration
licence = ""
writable = []

[referee.conditions]
science = ["with", "without"]

[referee.wall]
preload = []

[referee.limits]
call_timeout_sec = 30.0
"""

_SOURCE = """\
strip = []

[source]
registry = "pypi"
name = ""
version = ""
file = ""
sha256 = ""

[python]
version = "3.11"
"""

_REPRODUCE = '''\
"""Show the anomaly. Exit status 1 while it is there, 0 once it is gone."""

import sys

sys.exit(1)
'''

_PUBLIC = '''\
"""Public checks: the reported case, and something that must stay as it is."""

from referee.wall import contract, probe
'''

_PRIVATE = '''\
# {canary}
"""Private checks: eight or more, in three or more contracts; `rng` draws their inputs."""

from referee.wall import contract, probe
'''

_REFERENCE = """\
# {canary}
# A patch of our own; or `files` of a fixed `[release]`, as in environment/source.toml.
patch = "reference.patch"
"""

_REGRESSION = """\
# {canary}
# Upstream tests that pass on the untouched snapshot; their files by SHA-256.
ids = []

[files]
"""

_MUTANTS = """\
<!-- {canary} -->
# Wrong repairs of task {id}

Each could have been sent by a good engineer, and each must fail a private check.

| patch | what it does | why it is wrong |
| --- | --- | --- |
"""


def new_task(folder: Path) -> tuple[str, ...]:
    """Write the scaffold into a new folder, and say which files it has.

    What only the author can know is left empty, and an empty field is refused by name when the
    package is loaded.

    Raises:
        BadInput: the folder is there already, or its name is not like `079-selfies-aromatic`.
    """
    match = _FOLDER.fullmatch(folder.name)
    if match is None:
        raise BadInput(
            f"{folder.name!r} is no name for a task",
            where=folder,
            hint="call it like 079-selfies-aromatic: three digits, a hyphen, lower-case words",
        )
    if folder.exists():
        raise BadInput("there is such a folder already", where=folder, hint="choose another name")
    words = {
        "id": match["id"],
        "label": folder.name,
        "suite": "referee-repair",
        "canary": f"referee-canary {match['id']} {uuid.uuid4()}",
    }
    files = {
        "task.toml": _TASK,
        "instruction.md": "",
        "environment/source.toml": _SOURCE,
        "environment/requirements.in": "pytest\n",
        "environment/requirements.lock": "",
        "environment/context/.keep": "",
        "environment/science/.keep": "",
        "environment/public/reproduce.py": _REPRODUCE,
        "environment/public/test_public.py": _PUBLIC,
        "tests/private/test_science.py": _PRIVATE,
        "tests/regression.toml": _REGRESSION,
        "solution/reference.toml": _REFERENCE,
        "solution/mutants/README.md": _MUTANTS,
        "solution/alternatives/.keep": "",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith(".keep"):
            write_atomic(path, text.format(**words).encode())
    return tuple(name for name in files if not name.endswith(".keep"))
