"""One clean replay, step by step, from a delivered folder to frozen evidence."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from referee.environment.store import Store, remove_tree
from referee.record.atomic import write_atomic
from referee.record.fault import BadInput, Infrastructure
from referee.replay.delivery import classify
from referee.replay.inventory import Rejected, inventory_of
from referee.replay.record import (
    CONSOLE,
    FOLDERS,
    INPUTS,
    OUTPUTS,
    SOURCE,
    Delivery,
    Fault,
    Inventory,
    ReplayRecord,
    Status,
    save,
)
from referee.replay.sandboxed import (
    Stage,
    Surroundings,
    command,
    export_outputs,
    freeze,
    run_script,
    staged,
    stamps,
)
from referee.replay.snapshot import take_snapshot
from referee.sandbox.protocol import Completed
from referee.task.reproduction.package import EvaluationPolicy

GRACE_S = 10.0
HISTORY = "history"
STEPS = ("prepared", "snapshot", "running", "staged", "ran", "exported", "frozen", "recorded")
"""The steps in their order; `replay` tells its caller when each is done."""
_ENDS = {"timeout": "timeout", "memory": "memory", "disk": "disk", "signal": "killed"}


@dataclass(frozen=True)
class Request:
    """What is replayed: `submission` is the delivered tree, `starter` the package's pristine one;
    neither is changed. `folder` gets the evidence."""

    task: str
    task_digest: str
    submission: Path
    starter: Path
    policy: EvaluationPolicy
    folder: Path
    around: Surroundings = field(default_factory=Surroundings)
    grace_s: float = GRACE_S


def replay(
    request: Request, store: Store, reached: Callable[[str], None] = lambda step: None
) -> ReplayRecord:
    """Replay a submission and freeze what it made; the record says how it went.

    Evidence of an earlier attempt in the folder is moved to `history` beside it, never read.

    Raises:
        BadInput: the folder lies in the submission or the package, or the other way round.
        Infrastructure: `runner_error`, the submission or the starter cannot be read.
    """
    _require_apart(request)
    make_room(request.folder)
    delivery = _classified(request)
    record = ReplayRecord(
        task=request.task,
        task_digest=request.task_digest,
        status="running",
        delivery=delivery,
        nonce=secrets.token_hex(24),
        generated_roots=request.policy.generated_roots,
        interpreter=request.around.interpreter,
        environment=request.around.environment,
        started_epoch=time.time(),
        budget_s=request.policy.replay_timeout_sec,
        grace_s=request.grace_s,
    )
    reached("prepared")
    try:
        if delivery.delivery in ("absent", "starter_only"):
            record = _with(record, status="rejected", reason=delivery.delivery)
        else:
            record = _snapshot(request, record)
            reached("snapshot")
        if record.status == "running":
            save(record, request.folder)
            reached("running")
            record = _run(request, store, record, reached)
    except Rejected as error:
        told = f"{error.path} {error.detail}"
        record = _with(record, status="rejected", reason=error.reason, detail=told)
        _forget(request.folder)
    except (Infrastructure, BadInput, OSError) as error:
        reason = error.reason if isinstance(error, Infrastructure) else "runner_error"
        fault = Fault(type=type(error).__name__, message=str(error))
        record = _with(record, status="runner_failed", reason=reason, error=fault)
    freeze(request.folder)
    reached("frozen")
    save(record, request.folder)
    reached("recorded")
    return record


def _classified(request: Request) -> Delivery:
    roots = request.policy.generated_roots
    try:
        return classify(request.submission, request.starter, roots)
    except OSError as error:
        raise Infrastructure("runner_error", str(error)) from error


def make_room(folder: Path) -> None:
    """A new empty folder; what was there goes to `history` beside it.

    Raises:
        BadInput: it is a link or no folder.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput("evidence needs a folder of its own", where=folder)
    if folder.is_dir():
        history = folder.parent / HISTORY
        history.mkdir(mode=0o700, exist_ok=True)
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        folder.rename(history / f"{folder.name}-{stamp}-{secrets.token_hex(4)}")
    folder.mkdir(mode=0o700, parents=True)


def _forget(folder: Path) -> None:
    """Nothing of a rejected submission is evidence."""
    for name in FOLDERS:
        if (folder / name).is_dir():
            remove_tree(folder / name)


def _require_apart(request: Request) -> None:
    folder = request.folder.resolve()
    for other in (request.submission.resolve(), request.starter.resolve()):
        if folder == other or folder in other.parents or other in folder.parents:
            raise BadInput(f"the evidence would mix with {other}", where=folder)


def _snapshot(request: Request, record: ReplayRecord) -> ReplayRecord:
    taken = take_snapshot(request.submission, request.starter, request.policy, request.folder)
    record = _with(record, source_before=taken.source, inputs_before=taken.inputs)
    if not record.delivery.has_entrypoint:
        return _with(record, status="failed", reason="missing_entrypoint", exit_code=127)
    return record


def _run(
    request: Request, store: Store, record: ReplayRecord, reached: Callable[[str], None]
) -> ReplayRecord:
    budget, grace = record.budget_s, record.grace_s
    with staged(
        store,
        request.folder,
        record.generated_roots,
        request.around,
        wall_s=budget + grace,
        nonce=record.nonce,
    ) as stage:
        reached("staged")
        done, isolation = run_script(stage, store, budget, grace)
        reached("ran")
        write_atomic(request.folder / CONSOLE, done.stdout, mode=0o444)
        record = _with(
            record,
            command=command(budget, grace),
            isolation=isolation,
            wall_s=done.wall_s,
            exit_code=done.exit_code,
            ended=done.ended,
            console_sha256=sha256(done.stdout).hexdigest(),
            console_truncated=done.truncated,
            nonce_in_console=record.nonce.encode() in done.stdout,
        )
        record = _export(request, stage, record)
        reached("exported")
    if not record.source_inputs_unchanged:
        _restore(request, record)
    if record.status != "running":
        return record
    return _settled(record, done, budget)


def _export(request: Request, stage: Stage, record: ReplayRecord) -> ReplayRecord:
    before = stamps(stage.upper)
    after = inventory_of(stage.tree)
    source = {p: f for p, f in after.items() if p.split("/")[0] != INPUTS}
    inputs = {p: f for p, f in after.items() if p.split("/")[0] == INPUTS}
    record = _with(
        record,
        source_after=source,
        inputs_after=inputs,
        source_inputs_unchanged=_same(record, source, inputs),
    )
    try:
        outputs = export_outputs(stage, record.generated_roots, request.folder)
    except Rejected as error:
        told = f"{error.path} {error.detail}"
        made = inventory_of(request.folder / OUTPUTS)
        return _with(record, status="failed", reason=error.reason, detail=told, outputs=made)
    if stamps(stage.upper) != before:
        raise Infrastructure("outputs_unstable", "outputs changed after the sandbox had ended")
    return _with(record, outputs=outputs)


def _restore(request: Request, record: ReplayRecord) -> None:
    """What a script changed is no evidence; the source that was handed in still is."""
    for name in (SOURCE, INPUTS):
        remove_tree(request.folder / name)
    again = take_snapshot(request.submission, request.starter, request.policy, request.folder)
    if (again.source, again.inputs) != (record.source_before, record.inputs_before):
        raise Infrastructure("runner_error", "the submission changed while it was replayed")


def _same(record: ReplayRecord, source: Inventory, inputs: Inventory) -> bool:
    return (source, inputs) == (record.source_before, record.inputs_before)


def _settled(record: ReplayRecord, done: Completed, budget_s: float) -> ReplayRecord:
    """The final status of a script that ended and whose outputs are exported."""
    if done.ended == "died":
        raise Infrastructure("sandbox_died", "the sandbox went down under the script")
    late = record.wall_s is not None and record.wall_s >= budget_s
    stopped = done.exit_code in (124, 137) or done.ended == "signal"
    timed_out = done.ended == "timeout" or (late and stopped)
    status, reason = outcome_of(done, bool(record.source_inputs_unchanged), timed_out)
    code = 124 if timed_out else record.exit_code
    return _with(record, status=status, reason=reason, timed_out=timed_out, exit_code=code)


def outcome_of(done: Completed, unchanged: bool, timed_out: bool) -> tuple[Status, str | None]:
    """Status and reason of a script by how it ended."""
    if not unchanged:
        return "failed", "source_changed"
    if timed_out:
        return "failed", "timeout"
    if done.ended == "exit":
        return ("completed", None) if done.exit_code == 0 else ("failed", "nonzero_exit")
    return "failed", _ENDS[done.ended]


def _with(record: ReplayRecord, **changes: object) -> ReplayRecord:
    return record.model_copy(update=changes)
