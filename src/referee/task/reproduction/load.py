"""A reproduction task's package as data, from its folder; nothing in it is run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from referee.metric.rubric.schema import Root
from referee.record.fault import BadInput
from referee.task.package import TaskPackage, package_files
from referee.task.reproduction.package import (
    RUBRIC,
    SUBMISSION,
    Caps,
    Copy,
    EvaluationPolicy,
    Layout,
    Mount,
    ReproductionPackage,
    operations_in,
)
from referee.task.strict import read_json, read_text

EVALUATION = "tests/config/evaluation.json"
CONTRACT = "tests/config/public_contract.md"
PLANS = "tests/config/plans.json"
ACCEPTANCE = "tests/config/acceptance.json"
METRICS = "tests/src/metrics.py"
ADDENDUM = "environment/paper/addendum.md"

HOUSE_LAYOUT = Layout(
    declared_context="environment",
    build_context="environment",
    copies=(Copy(("paper",), "/task/paper"), Copy(("starter_submission",), "/workspace")),
    mounts=(
        Mount("agent", "environment/paper", "/task/paper"),
        Mount("agent", "environment/starter_submission", "/workspace"),
        Mount("replay", "environment/starter_submission", SUBMISSION),
    ),
    log_mounts={},
    initialiser="environment/starter_submission/reproduce.sh",
)
"""How referee makes the world of every reproduction task: no package can say otherwise."""

_CAPS = re.compile(
    r"^Replay limits: (?P<time>\d+) s, (?P<cpus>\d+(?:\.\d+)?) CPUs?, (?P<memory>\d+) MB\.?\s*$",
    re.M,
)


def load_reproduction(package: TaskPackage) -> ReproductionPackage:
    """Everything that an audit, a replay and a grading need to know of a package.

    Raises:
        BadInput: the task is of another kind; a file is missing, unreadable, or not what it must
            be; the addendum does not state the limits of the replay.
    """
    root, file = package.root, package.agent.file
    if file.referee.kind != "reproduction":
        raise BadInput(f"the task is of the kind {file.referee.kind}", where=root / "task.toml")
    policy = read_json(root / EVALUATION, EvaluationPolicy)
    addendum = read_text(root / ADDENDUM)
    acceptance = root / ACCEPTANCE
    _require_object(root / PLANS)
    return ReproductionPackage(
        files={path: entry.sha256 for path, entry in package_files(root).files.items()},
        layout=HOUSE_LAYOUT,
        rubric=read_json(root / RUBRIC, Root),
        policy=policy,
        operations=operations_in(read_text(root / METRICS), str(root / METRICS)),
        instruction=package.agent.instruction,
        addendum=addendum,
        public_contract=read_text(root / CONTRACT),
        verifier_timeout_sec=file.verifier.timeout_sec,
        advertised=advertised_caps(addendum, root / ADDENDUM),
        enforced=Caps(
            timeout_sec=policy.replay_timeout_sec,
            cpus=file.environment.cpus,
            memory_mb=file.environment.memory_mb,
        ),
        acceptance=read_text(acceptance) if acceptance.is_file() else None,
    )


def generated_roots_of(package: TaskPackage) -> tuple[str, ...]:
    """The folders that a replay makes anew; none for a task of another kind.

    Raises:
        BadInput: the policy of the package cannot be read.
    """
    if package.agent.file.referee.kind != "reproduction":
        return ()
    return read_json(package.root / EVALUATION, EvaluationPolicy).generated_roots


def advertised_caps(addendum: str, where: Path) -> Caps:
    """The limits of a replay as the agent reads them: the one line
    `Replay limits: 120 s, 2 CPUs, 2048 MB.` of the addendum.

    Raises:
        BadInput: there is no such line, more than one, or a limit of nought.
    """
    found = list(_CAPS.finditer(addendum.replace("\r\n", "\n")))
    hint = "write `Replay limits: 120 s, 2 CPUs, 2048 MB.` on a line of its own"
    if len(found) != 1:
        told = f"{len(found)} lines state the limits of the replay, and one must"
        raise BadInput(told, where=where, hint=hint)
    time, cpus, memory = (float(found[0][name]) for name in ("time", "cpus", "memory"))
    if not (time > 0 and cpus > 0 and memory > 0):
        raise BadInput("a limit of the replay is nought", where=where, hint=hint)
    return Caps(timeout_sec=time, cpus=cpus, memory_mb=int(memory))


def _require_object(path: Path) -> None:
    try:
        value: Any = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise BadInput(f"not valid JSON: {error}", where=path) from None
    if not isinstance(value, dict):
        raise BadInput("is not an object of leaf id and plan", where=path, hint="write {}")
