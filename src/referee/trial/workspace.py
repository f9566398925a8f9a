"""What the agent gets: the snapshot, the environment, and the visible half of its task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from referee.agent.local_model import WEIGHTS_SHA256
from referee.agent.protocol import Agent
from referee.agent.provision import layer_digests
from referee.data.build import DataSet, data_for, needed_data
from referee.data.recipe import missing_modules
from referee.environment.build import environment_digest
from referee.environment.interpreter import find_interpreter
from referee.environment.lock import read_lock
from referee.environment.prepare import Prepared, prepare
from referee.environment.snapshot import snapshot_digest
from referee.environment.store import Store
from referee.grade.layers import built_layers
from referee.grade.workspace import Bench, phase_overlay, phase_spec
from referee.record.fault import BadInput
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.protocol import Mount
from referee.submission.apply import tree_reader
from referee.submission.gate import Handed, from_patch
from referee.submission.policy import Policy
from referee.task.contract import ContractTable
from referee.task.model import AgentView, DataSize
from referee.task.package import TaskPackage, package_files
from referee.task.suite import find_suites
from referee.wall.runtime import local_runtime

TASK_INSIDE = "/task"
TOOLS_INSIDE = "/opt/referee/public"
DATA_INSIDE = "/data"
_RUN_PUBLIC = b'#!/bin/sh\nexec /opt/referee/public/public-checks "$@"\n'


def prepare_task(
    store: Store, task: TaskPackage, *, say: Callable[[str], None] = lambda _line: None
) -> Prepared:
    """Snapshot and environment of a task, built if they are not in the store yet.

    Raises:
        BadInput: also if its checks need a module that is not installed beside referee.
    """
    _require_modules(task)
    return prepare(store, task.agent.source, task.lock, say=say)


def _require_modules(task: TaskPackage) -> None:
    """A check that cannot be run must not look like a candidate that failed it."""
    table = task.agent.file.referee.grader
    missing = missing_modules(table.modules)
    if missing:
        extra = f"pip install 'referee[{table.extra}]'" if table.extra else "install it"
        raise BadInput(
            f"the checks of {task.label} need {', '.join(missing)}, which is not installed here",
            where=task.root,
            hint=extra,
        )


def bench_for(
    store: Store,
    task: TaskPackage,
    *,
    size: DataSize = "small",
    say: Callable[[str], None] = lambda _line: None,
) -> Bench:
    """What all phases of trials at this task work with; its data are of the `size` asked for.

    Raises:
        BadInput: what `prepare_task` and `data_for` raise.
    """
    prepared = prepare_task(store, task, say=say)
    has_data = task.agent.file.referee.data is not None
    data = data_for(store, task, size, say) if has_data else None
    return Bench(store, prepared, task.agent.file, data)


def hand_in(bench: Bench, task: TaskPackage, patch: bytes) -> Handed:
    """A patch from outside, through the gate of a task, onto its snapshot."""
    snapshot = bench.prepared.snapshot
    read = tree_reader(snapshot.manifest, snapshot.tree)
    return from_patch(snapshot.manifest, read, patch, Policy.of_task(task))


def data_mounts(data: DataSet | None) -> tuple[Mount, ...]:
    """The data that an agent gets, read-only."""
    return () if data is None else (Mount(data.public, DATA_INSIDE),)


def full_instruction(view: AgentView) -> str:
    """What the agent reads: the task's instruction, and the rules that its work is held to. An
    honest agent that did not know them would lose everything by one forgotten script."""
    table = view.file.referee
    writable = ", ".join(f"`{glob}`" for glob in (*table.writable, *table.writable_binary))
    data = ""
    if table.data is not None:
        files = ", ".join(f"`{name}`" for name in table.data.public)
        data = f"""
- The data lie in `{DATA_INSIDE}` ({files}) while you work. They are not there when your work is
  looked at: what it needs of them belongs into the files that you hand in."""
    contract = "" if table.artifact is None else contract_section(table.artifact.contract)
    return f"""{view.instruction.rstrip()}
{contract}
## What you hand in

Work in `/workspace`: what lies there when you end is what you hand in. You have
{view.file.agent.timeout_sec:g} seconds.

- Only files that match {writable} may be changed, added or deleted, at most
  {table.limits.submission_files} of them, with a patch of at most {table.limits.submission_kb} KiB.
- Any other changed or added file makes the whole submission void, and so do links, compiled files
  and files that configure Python or pytest. Put notes and scripts of your own into `/tmp`.
- Caches (`__pycache__`, `.pytest_cache`) and a `.git` folder are ignored.{data}
"""


def contract_section(contract: ContractTable | None) -> str:
    """What an artifact has to be, as its task declares it."""
    return "" if contract is None else f"\n## How it is asked\n\n{contract.text()}\n"


def visible_mounts(
    store: Store, view: AgentView, condition: Mapping[str, str]
) -> tuple[Mount, ...]:
    """The task as the agent sees it, assembled from `instruction.md` and `environment/` alone.

    What the condition withholds is absent, not hidden.
    """
    files: dict[str, tuple[bytes, int]] = {
        "instruction.md": (full_instruction(view).encode(), 0o644),
    }
    replayed = view.file.referee.kind == "reproduction"
    shown = ["paper"] if replayed else ["context", "public"]
    if view.has_science and condition.get("science", "with") == "with":
        shown.append("science")
    for part in shown:
        files.update(_folder(view.root / "environment" / part, part))
    if not replayed:
        files.setdefault("public/run", (_RUN_PUBLIC, 0o755))
    return (
        Mount(store.runtime(files), TASK_INSIDE),
        Mount(store.runtime(local_runtime()), TOOLS_INSIDE),
    )


def agent_sandbox(
    bench: Bench,
    view: AgentView,
    condition: Mapping[str, str],
    agent: Agent | None,
    scratch: Path,
) -> tuple[Bubblewrap, Path]:
    """The sandbox in which an agent works, not started yet, and the upper directory of its
    workspace. It has the agent's own files and, beside the task's memory, what the agent needs."""
    overlay = phase_overlay(scratch, built_layers(bench))
    shared = {target for _source, target in bench.prepared.mounts}
    brought = [m for m in (agent.mounts if agent else ()) if m.target not in shared]
    spec = phase_spec(
        bench,
        overlay,
        wall_s=bench.file.agent.timeout_sec,
        mounts=(
            *visible_mounts(bench.store, view, condition),
            *data_mounts(bench.data),
            *brought,
        ),
    )
    if agent is not None:
        memory = spec.limits.memory_bytes + (agent.memory_mb << 20)
        reserve = getattr(agent, "reserve_mb", 0) << 20
        limits = replace(spec.limits, memory_bytes=memory, reserve_bytes=reserve)
        spec = replace(spec, limits=limits)
    return Bubblewrap(spec, bench.store), overlay.upper


def needed_digests(store: Store) -> set[str]:
    """Digests of everything in the store that the suites and the agents at hand need."""
    needed = {*layer_digests(store), WEIGHTS_SHA256, *needed_data(store)}
    for task in (task for suite in find_suites() for task in suite.load()):
        needed |= set(_stored(store, task).values())
    return needed


def stored_folders(store: Store, task: TaskPackage) -> list[Path]:
    """Where snapshot and environment of a task lie in the store; empty if they are not built."""
    digests = _stored(store, task)
    paths = [store.path(kind, digests[kind]) for kind in ("snapshot", "env") if digests]
    return paths if all(path.is_dir() for path in paths) else []


def _stored(store: Store, task: TaskPackage) -> dict[str, str]:
    """Digests by kind; empty if there is no snapshot."""
    snapshot = snapshot_digest(task.agent.source)
    if not store.path("snapshot", snapshot).is_dir():
        return {}
    interpreter = find_interpreter(store, task.agent.source.python.version)
    packages = environment_digest(read_lock(task.lock), interpreter)
    return {"snapshot": snapshot, "env": packages, "python": interpreter.digest}


def _folder(root: Path, prefix: str) -> dict[str, tuple[bytes, int]]:
    if not root.is_dir():
        return {}
    return {
        f"{prefix}/{path}": ((root / path).read_bytes(), 0o755 if e.mode == "100755" else 0o644)
        for path, e in package_files(root).files.items()
        if "__pycache__" not in path
    }
