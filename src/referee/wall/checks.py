"""What the grader asks of the wall, and what it gets back, as plain frozen data."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from referee.record.measure import Measured
from referee.sandbox.protocol import (
    ENVIRONMENT,
    WORKSPACE,
    Enforcement,
    Limits,
    Mount,
    Overlay,
    SandboxSpec,
)
from referee.task.contract import ContractTable
from referee.wall.runtime import WALL_INSIDE

Outcome = Literal["passed", "failed", "errored", "timeout", "resource", "missing"]
OUTCOMES: frozenset[str] = frozenset(
    ["passed", "failed", "errored", "timeout", "resource", "missing"]
)


@dataclass(frozen=True)
class CheckRequest:
    """One run of a folder of trusted checks against one sandbox. Times in seconds.

    The worker is mounted into `sandbox` by the opener; `python` is the candidate's interpreter
    inside. `env` and `cwd` are those of its commands, over the sandbox's own. `store`
    is the root of the store that the sandbox is made from. `seed` feeds the checks' generators and
    is not in the task package. `ids` selects checks; the rest is not run. `order` shuffles them
    (None: as collected, 0: the other way round), and `trusted_env` goes over the variables of the
    process that runs them: an author's way to see whether checks depend on either. `opener` names
    the trusted function (`module:function`) that turns this request into a sandbox. The folders of
    data are for the checks alone: no sandbox mounts them. `contract` is that of an artifact.
    """

    tests: Path
    sandbox: SandboxSpec
    store: Path
    seed: int
    timeout_s: float
    call_timeout_s: float = 60.0
    start_timeout_s: float = 120.0
    python: str = f"{ENVIRONMENT}/bin/python"
    preload: tuple[str, ...] = ()
    max_bytes: int = 256 << 20
    cwd: str = WORKSPACE
    env: Mapping[str, str] = field(default_factory=dict)
    worker: str = f"{WALL_INSIDE}/worker.py"
    ids: tuple[str, ...] | None = None
    order: int | None = None
    trusted_env: Mapping[str, str] = field(default_factory=dict)
    opener: str = "referee.wall.open:open_bubblewrap"
    public_data: Path | None = None
    hidden_data: Path | None = None
    contract: ContractTable | None = None


@dataclass(frozen=True)
class CheckResult:
    """One check's outcome. `id` is `file.py::test_name[param]` below the tests folder. `reason` is
    None for a passed check, else a class such as `assertion`, `exception:ValueError`, `died`,
    `protocol`, `timeout`, `resource`, `skipped`, `xfailed`, `error:KeyError` or `not-run`."""

    id: str
    outcome: Outcome
    reason: str | None
    contract: str | None
    message: str
    seconds: float


@dataclass(frozen=True)
class CheckReport:
    """Results of all checks that were collected (and selected), in the order of collection.

    `timed_out` says that the whole run met its limit: checks that it did not reach are `missing`.
    `measures` are what checks reported of an artifact, by check id.
    `log` is the trusted pytest's own output and `worker_output` the end of what candidate code
    printed; both are for people.
    """

    results: tuple[CheckResult, ...]
    timed_out: bool
    seconds: float
    enforcement: tuple[Enforcement, ...] = ()
    measures: Mapping[str, Measured] = field(default_factory=dict)
    log: str = ""
    worker_output: str = ""

    def by_id(self) -> dict[str, CheckResult]:
        """The results by check id."""
        return {result.id: result for result in self.results}


def dump_request(request: CheckRequest, nonce: str) -> bytes:
    """The request as JSON, for the process that runs the checks."""
    fields = dataclasses.asdict(request)
    if request.contract is not None:
        fields["contract"] = request.contract.as_json()
    value = {"nonce": nonce, "request": fields}
    return json.dumps(value, default=_plain).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} in a check request")


def load_request(data: bytes) -> tuple[CheckRequest, str]:
    """The request and the nonce from `dump_request`."""
    value = json.loads(data)
    fields = value["request"]
    spec = fields.pop("sandbox")
    for name in ("tests", "store"):
        fields[name] = Path(fields[name])
    for name in ("public_data", "hidden_data"):
        fields[name] = None if fields[name] is None else Path(fields[name])
    if fields["contract"] is not None:
        fields["contract"] = ContractTable.model_validate_json(json.dumps(fields["contract"]))
    fields["preload"] = tuple(fields["preload"])
    fields["ids"] = None if fields["ids"] is None else tuple(fields["ids"])
    return CheckRequest(sandbox=_spec(spec), **fields), value["nonce"]


def _spec(fields: dict[str, Any]) -> SandboxSpec:
    overlay = fields["overlay"]
    return SandboxSpec(
        interpreter=fields["interpreter"],
        mounts=tuple(Mount(Path(m["source"]), m["target"]) for m in fields["mounts"]),
        overlay=None
        if overlay is None
        else Overlay(
            tuple(Path(lower) for lower in overlay["lowers"]),
            Path(overlay["upper"]),
            Path(overlay["work"]),
            overlay["target"],
        ),
        env=fields["env"],
        limits=Limits(**fields["limits"]),
    )
