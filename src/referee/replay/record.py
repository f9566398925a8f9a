"""What is kept of a replay: `trusted_replay.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from referee.record.atomic import write_atomic
from referee.record.model import Frozen

RECORD, CONSOLE = "trusted_replay.json", "console.log"
SOURCE, INPUTS, OUTPUTS = "source", "inputs", "outputs"
FOLDERS = (SOURCE, INPUTS, OUTPUTS)
ENTRYPOINT = "reproduce.sh"

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
DeliveryClass = Literal["absent", "starter_only", "missing_entrypoint", "delivered"]
Status = Literal["running", "completed", "failed", "rejected", "runner_failed"]
"""`completed`: exit 0 and source and inputs unchanged; `failed`: another exit or changed inputs;
`rejected`: the submission may not be replayed; `runner_failed`: the machine failed. The published
protocol says native_completed, native_failed and runner_failed."""


class FileFact(Frozen):
    """A regular file: bytes, digest, and whether anybody may execute it."""

    size: Annotated[int, Field(ge=0)]
    sha256: Sha256
    executable: bool


Inventory = dict[str, FileFact]
"""Files by path as it was in the submission, such as `outputs/a.csv`."""


class Fault(Frozen):
    """What a runner that failed said."""

    type: str
    message: str


class Delivery(Frozen):
    """What was handed in. Generated roots, caches and dotfiles at the top do not count."""

    delivery: DeliveryClass
    file_count: int
    has_entrypoint: bool
    differs_from_starter: bool


class Isolation(Frozen):
    """Under what a script ran: how each limit was enforced, as `limit by value`."""

    backend: str
    network: Literal["none"]
    uid: int
    limits: tuple[str, ...]


class ReplayRecord(Frozen):
    """One replay. `reason` is a code of `failures.py`, None where it completed; a `nonce` was in
    the script's environment as REFEREE_REPLAY_NONCE, and `nonce_in_console` says whether the script
    printed it. `environment` is the digest of the Python environment, `wall_s` the script's own
    time. Times in seconds."""

    version: Literal[1] = 1
    task: str
    task_digest: Sha256
    status: Status
    reason: str | None = None
    detail: str | None = None
    delivery: Delivery
    nonce: str
    generated_roots: tuple[str, ...]
    source_before: Inventory = Field(default_factory=dict)
    inputs_before: Inventory = Field(default_factory=dict)
    source_after: Inventory | None = None
    inputs_after: Inventory | None = None
    source_inputs_unchanged: bool | None = None
    outputs: Inventory | None = None
    command: tuple[str, ...] = ()
    isolation: Isolation | None = None
    interpreter: str
    environment: Sha256 | None = None
    started_epoch: float
    budget_s: float
    grace_s: float
    wall_s: float | None = None
    exit_code: int | None = None
    ended: str | None = None
    timed_out: bool = False
    console_sha256: Sha256 | None = None
    console_truncated: bool = False
    nonce_in_console: bool = False
    error: Fault | None = None


def save(record: ReplayRecord, folder: Path) -> None:
    """Write the record of a folder whole or not at all."""
    write_atomic(folder / RECORD, record.canonical() + b"\n", mode=0o600)
