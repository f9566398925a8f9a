"""Upstream tests: run in the candidate's process, restored first, believed only when they fail."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path

from referee.environment.store import Store
from referee.grade.observed import Observed
from referee.record.fault import BadInput, Infrastructure
from referee.record.tree import Tree
from referee.sandbox.protocol import Mount, Sandbox
from referee.sandbox.session import SandboxDown
from referee.task.model import Regression

INSIDE = "/opt/referee/regression"
_MAX_REPORT = 16 << 20


def regression_mount(store: Store, regression: Regression) -> Mount:
    """Our runner and the locked ids, to be seen inside."""
    runner = Path(__file__).with_name("regression_inside.py").read_bytes()
    ids = "\n".join(regression.ids).encode() + b"\n"
    folder = store.runtime({"run.py": (runner, 0o644), "ids.txt": (ids, 0o644)})
    return Mount(folder, INSIDE)


def restored_files(
    regression: Regression, base: Tree, read: Callable[[str], bytes], where: Path
) -> dict[str, bytes]:
    """The original bytes of the test files, which are laid over the candidate's tree.

    Raises:
        BadInput: a file is not in the snapshot, or is not the one that was locked.
    """
    files: dict[str, bytes] = {}
    for path, digest in regression.files.items():
        entry = base.files.get(path)
        if entry is None or entry.sha256 != digest:
            state = "is not in the snapshot" if entry is None else "is not the file that was locked"
            raise BadInput(f"files: {path} {state}", where=where, hint="lock it again")
        files[path] = read(path)
    return files


def run_regression(
    sandbox: Sandbox, python: str, regression: Regression
) -> tuple[dict[str, Observed], float]:
    """Outcomes by id of the tests that reported, and the seconds that it took.

    An id that never reported is absent, and so counts as missing; nothing that the process says
    after its end, twice, about other ids, or in more lines than there are ids is heard.

    Raises:
        Infrastructure: `sandbox_died`, when the sandbox is gone before the process starts.
    """
    start = time.monotonic()
    try:
        process = sandbox.spawn([python, f"{INSIDE}/run.py", f"{INSIDE}/ids.txt", *regression.args])
    except SandboxDown as error:
        raise Infrastructure("sandbox_died", f"regression: {error}") from error
    try:
        with process.channel as channel:
            text = _listen(channel, start + regression.timeout_sec)
    finally:
        sandbox.kill_all()
    outcomes: dict[str, Observed] = {}
    wanted = set(regression.ids)
    for line in text.split(b"\n", len(wanted))[: len(wanted)]:
        name, outcome = _parse(line)
        if name in wanted and name not in outcomes:
            outcomes[name] = outcome
    return outcomes, time.monotonic() - start


def _listen(channel: socket.socket, deadline: float) -> bytes:
    heard = bytearray()
    while (left := deadline - time.monotonic()) > 0 and len(heard) <= _MAX_REPORT:
        channel.settimeout(left)
        try:
            block = channel.recv(1 << 16)
        except (TimeoutError, ConnectionError):
            break
        if not block:
            break
        heard += block
        if b'"done"' in block:
            break
    return bytes(heard)


def _parse(line: bytes) -> tuple[str, Observed]:
    try:
        value = json.loads(line)
        name, outcome = value["id"], value["outcome"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", Observed("errored", "protocol")
    if not isinstance(name, str) or not isinstance(outcome, str):
        return "", Observed("errored", "protocol")
    if outcome == "passed":
        return name, Observed("passed")
    reason = "skipped" if outcome == "skipped" else "assertion"
    return name, Observed("errored" if outcome == "skipped" else "failed", reason)
