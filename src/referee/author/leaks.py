"""The leak audit: is anything that decides or repairs a task in reach of an agent?"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.author.overlap import (
    GRAM,
    MOST_REFERENCE,
    added_text,
    measure_overlap,
    reference_grams,
)
from referee.author.variant import Workpiece, open_workpiece
from referee.data.build import DataSet
from referee.environment.prepare import other_versions
from referee.environment.snapshot import FILE_TIME
from referee.environment.store import Store, remove_tree
from referee.grade.workspace import Bench, bench_in_use, open_scratch
from referee.record.canonical import sha256_bytes
from referee.record.fault import Infrastructure
from referee.record.text import bounded_text
from referee.record.tree import scan_tree
from referee.submission.linediff import split_lines
from referee.task.package import TaskPackage, package_files
from referee.trial.workspace import agent_sandbox, bench_for

PYTHON = "/opt/env/bin/python"
PROGRAM = "/tmp/look.py"
_CANARY = re.compile(rb"referee-canary [A-Za-z0-9._-]+ [0-9a-f-]{36}")
_SHORTEST_LINE = 30
MOST_SNAPSHOT = 0.25
"""The largest share of the reference's n-grams in one file of the snapshot: sources of one project
share idioms (loops over axes, casts); a copy of the repair shares nearly all."""
_TIMEOUT_S = 900.0


@dataclass(frozen=True)
class Leak:
    """One finding: its kind, the path inside the sandbox (or a part of the package), and what."""

    kind: str
    where: str
    what: str


@dataclass(frozen=True)
class LeakReport:
    """What was searched, and what was found; `silent` are hidden files without a canary, which the
    search could not have found."""

    files: int
    bytes: int
    leaks: tuple[Leak, ...]
    silent: tuple[str, ...]


def find_leaks(store: Store, task: TaskPackage, say: Callable[[str], None]) -> LeakReport:
    """Assemble the agent's sandbox with all that any condition shows, and search it.

    Raises:
        BadInput: the environment or the reference cannot be had.
        Infrastructure: `sandbox_died`, when the search did not come to its end.
    """
    bench = bench_for(store, task, say=say)
    with bench_in_use(bench):
        work = open_workpiece(store, task, bench.prepared.snapshot)
        say("searching the agent's sandbox")
        answer = _search(bench, task, _question(task, work, bench.data))
        leaks = [Leak(str(kind), str(path), str(what)) for kind, path, what in answer["leaks"]]
        name = task.agent.source.source.name
        leaks += [
            Leak("version", str(v.where), f"another version of {name}")
            for v in other_versions(bench.prepared)
        ]
        problems = measure_overlap(task, work).problems()
        leaks += [Leak("public-text", "environment/", what) for what in problems]
    found = tuple(dict.fromkeys(leaks))
    return LeakReport(answer["files"], answer["bytes"], found, silent_files(task))


def silent_files(task: TaskPackage) -> tuple[str, ...]:
    """Hidden files that carry no canary; `baseline.json` carries none by design."""
    return tuple(
        path.relative_to(task.root).as_posix()
        for path in _hidden_files(task)
        if path.name != "baseline.json" and not _CANARY.search(path.read_bytes())
    )


def _hidden_files(task: TaskPackage) -> list[Path]:
    found = []
    for root in (task.evaluator.tests, task.evaluator.solution):
        found += [root / path for path in package_files(root).files]
    return found


def _question(task: TaskPackage, work: Workpiece, data: DataSet | None) -> dict[str, Any]:
    canaries = {
        match.decode()
        for path in _hidden_files(task)
        for match in _CANARY.findall(path.read_bytes())
    }
    fixed = [sha256_bytes(data) for data in work.reference.changes.values() if data]
    lines = _telling_lines(work)
    hidden = [] if data is None else [e.sha256 for e in scan_tree(data.hidden).files.values()]
    return {
        "canaries": sorted({"referee-canary", *canaries}),
        "lines": lines,
        "least_lines": max(1, min(3, len(lines) // 4)),
        "grams": dict.fromkeys(sorted(map(_gram_name, reference_grams(work))), 1),
        "gram": GRAM,
        "most_grams": MOST_REFERENCE,
        "most_own": MOST_SNAPSHOT,
        "names": sorted({Path(path).name for path in work.reference.changes} - {"__init__.py"}),
        "fixed": [*fixed, *hidden],
        "newest": None if task.agent.file.referee.build.commands else FILE_TIME,
    }


def _telling_lines(work: Workpiece) -> list[str]:
    """Lines that the reference adds, long enough that nobody else wrote them, and new to it."""
    old: set[bytes] = set()
    for path in work.reference.changes:
        old |= {line.strip() for line in split_lines(work.before(path) or b"")}
    added = {
        line.strip()
        for text in added_text(work).values()
        for line in text.splitlines()
        if len(line.strip()) >= _SHORTEST_LINE
    }
    return sorted(line for line in added if line.encode() not in old)


def _gram_name(gram: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(gram).encode()).hexdigest()[:16]


def _search(bench: Bench, task: TaskPackage, question: dict[str, Any]) -> dict[str, Any]:
    program = Path(__file__).with_name("leaks_inside.py").read_bytes()
    scratch = open_scratch(bench.store, "leaks")
    try:
        sandbox, _upper = agent_sandbox(bench, task.agent, {"science": "with"}, None, scratch)
        sandbox.start()
        try:
            sandbox.write(PROGRAM, program)
            stdin = json.dumps(question).encode()
            done = sandbox.run([PYTHON, PROGRAM], stdin=stdin, timeout_s=_TIMEOUT_S)
        finally:
            sandbox.stop()
    finally:
        remove_tree(scratch)
    if done.exit_code != 0:
        tail = bounded_text(done.stderr.decode("utf-8", "replace")[-1000:])
        how = f"the search for leaks: {done.ended} {done.exit_code}"
        raise Infrastructure("sandbox_died", f"{how}: {tail}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
