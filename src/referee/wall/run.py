"""Runs a folder of trusted checks in a process of its own and tells what came of each."""

from __future__ import annotations

import json
import os
import secrets
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import IO, Any

from referee.record.fault import BadInput, Infrastructure
from referee.record.measure import Measured
from referee.record.text import bounded_text
from referee.sandbox.protocol import Enforcement
from referee.wall.checks import (
    OUTCOMES,
    CheckReport,
    CheckRequest,
    CheckResult,
    dump_request,
)
from referee.wall.runtime import local_runtime, worker_runtime
from referee.wall.trusted import LENGTH

__all__ = [
    "CheckReport",
    "CheckRequest",
    "CheckResult",
    "local_runtime",
    "run_checks",
    "worker_runtime",
]

STOP_GRACE_S = 10.0
LOG_BYTES = 64 << 10
MAX_EVENT_BYTES = 16 << 20
_KEPT = (
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "PYTHONPATH",
    "REFEREE_STORE",
    "TMPDIR",
    "XDG_CACHE_HOME",
)
"""Variables of our own process that the trusted one gets; nothing else of it."""

_PYTEST_DONE = (0, 1)
"""pytest's exit statuses for "all passed" and "some failed"; any other is a fault of the grader."""


def run_checks(request: CheckRequest) -> CheckReport:
    """Run the checks in `request.tests` and wait for them.

    Raises:
        Infrastructure: `grader_collection` (a check file cannot be collected, or none is there),
            `grader_crash` (no complete account came back), `grader_timeout` (the limit passed
            before any candidate code was asked), or a reason of the sandbox's.
        BadInput: the sandbox asked for cannot be had on this machine.
    """
    begun = time.monotonic()
    nonce = secrets.token_hex(16)
    account = _Account(nonce)
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as stream:
        stream.write(dump_request(request, nonce))
        stream.flush()
        stream.seek(0)
        reader, writer = os.pipe()
        with os.fdopen(reader, "rb", buffering=0) as results:
            try:
                process = _start(request, stream.fileno(), writer, log)
            finally:
                os.close(writer)
            try:
                _listen(results, account, begun + request.timeout_s)
            finally:
                _end(process, results, account)
        text = _tail(log)
    return account.report(time.monotonic() - begun, process.returncode, text)


def _start(
    request: CheckRequest, request_fd: int, results_fd: int, log: IO[bytes]
) -> subprocess.Popen[bytes]:
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    env |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONUTF8": "1", **request.trusted_env}
    return subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "referee.wall.trusted"),
            *(str(request_fd), str(results_fd)),
        ],
        cwd="/",
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=[request_fd, results_fd],
        start_new_session=True,
    )


def _listen(results: IO[bytes], account: _Account, deadline: float) -> None:
    """Take events until the account is complete, the process has closed, or time is up."""
    poll = select.poll()
    poll.register(results, select.POLLIN)
    pending = bytearray()
    while not account.complete:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000 + 1):
            account.timed_out = True
            return
        data = os.read(results.fileno(), 1 << 16)
        if not data:
            return
        pending += data
        _take_events(pending, account)


def _take_events(pending: bytearray, account: _Account) -> None:
    while len(pending) >= LENGTH.size:
        (length,) = LENGTH.unpack_from(pending)
        if length > MAX_EVENT_BYTES:
            raise Infrastructure("grader_crash", "an event of the check run is too long")
        if len(pending) < LENGTH.size + length:
            return
        data = bytes(pending[LENGTH.size : LENGTH.size + length])
        del pending[: LENGTH.size + length]
        account.take(json.loads(data))


def _end(process: subprocess.Popen[bytes], results: IO[bytes], account: _Account) -> None:
    """Wait for the process; one that has not finished is asked to stop its sandbox first."""
    if not account.complete:
        process.terminate()
    deadline = time.monotonic() + STOP_GRACE_S
    poll = select.poll()
    poll.register(results, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0 and poll.poll(left * 1000 + 1):
        if not os.read(results.fileno(), 1 << 16):
            break
    try:
        process.wait(max(deadline - time.monotonic(), 0.5))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(log: IO[bytes]) -> str:
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - LOG_BYTES))
    return bounded_text(log.read().decode("utf-8", "replace"), LOG_BYTES)


@dataclass
class _Account:
    """What the check run has told so far."""

    nonce: str
    complete: bool = False
    timed_out: bool = False
    status: int | None = None
    contracts: dict[str, str | None] | None = None
    results: dict[str, CheckResult] = field(default_factory=dict)
    running: str | None = None
    asked: bool = False
    fault: Infrastructure | BadInput | None = None
    enforcement: tuple[Enforcement, ...] = ()
    measures: dict[str, Measured] = field(default_factory=dict)
    worker_output: str = ""

    def take(self, event: dict[str, Any]) -> None:
        """Add one event."""
        if event.pop("nonce") != self.nonce:
            raise Infrastructure("grader_crash", "an event of another check run came in")
        kind = event.pop("kind")
        if kind == "collection":
            self.fault = self.fault or Infrastructure("grader_collection", event["detail"])
        elif kind == "infrastructure":
            self.fault = self.fault or Infrastructure(event["reason"], event["detail"])
        elif kind == "bad-input":
            what, where, hint = event["what"], event["where"], event["hint"]
            self.fault = self.fault or BadInput(what, where=where, hint=hint)
        elif kind == "collected":
            self.contracts = event["contracts"]
        elif kind == "started":
            self.running = event["id"]
        elif kind == "wall":
            self.enforcement = tuple(Enforcement(*row) for row in event["enforcement"])
            self.asked = self.asked or event["moment"] == "wait"
        elif kind == "result":
            self._take_result(event)
        elif kind == "measure":
            self._take_measure(event["id"], event["measured"])
        elif kind == "complete":
            self.complete = True
            self.status = event["status"]
            self.worker_output = bounded_text(event["worker_output"], 8000)

    def _take_measure(self, name: str, value: dict[str, Any]) -> None:
        if name != self.running or name in self.measures:
            raise Infrastructure("grader_crash", f"{name} reported a second or a stray measure")
        self.measures[name] = Measured.model_validate(value, strict=False)

    def _take_result(self, event: dict[str, Any]) -> None:
        name = event["id"]
        known = (self.contracts or {}).keys()
        if name in self.results or name not in known or event["outcome"] not in OUTCOMES:
            raise Infrastructure("grader_crash", f"an impossible result for {name}")
        self.running = None
        self.results[name] = CheckResult(contract=(self.contracts or {})[name], **event)

    def report(self, seconds: float, exit_code: int, log: str) -> CheckReport:
        """The report, once the process has ended.

        Raises:
            Infrastructure: there is no full account, and the candidate is not why.
        """
        if self.fault is not None:
            raise self.fault
        if self.timed_out:
            if not self.asked or self.contracts is None:
                raise Infrastructure(
                    "grader_timeout", f"no check had asked the candidate after {seconds:.0f} s"
                )
        elif not self.complete or self.contracts is None or self.status not in _PYTEST_DONE:
            if self.complete and self.status == 5:
                raise Infrastructure("grader_collection", "no check was collected")
            detail = f"exit code {exit_code}, pytest status {self.status}: {log[-1500:]}"
            raise Infrastructure("grader_crash", detail)
        return CheckReport(
            results=tuple(self._result_of(name) for name in self.contracts or {}),
            timed_out=self.timed_out,
            seconds=seconds,
            enforcement=self.enforcement,
            measures=dict(self.measures),
            log=log,
            worker_output=self.worker_output,
        )

    def _result_of(self, name: str) -> CheckResult:
        if name in self.results:
            return self.results[name]
        contract = (self.contracts or {})[name]
        if not self.timed_out:
            raise Infrastructure("grader_crash", f"no result came for {name}")
        if name == self.running:
            message = "the whole check run reached its time limit in this check"
            return CheckResult(name, "timeout", "timeout", contract, message, 0.0)
        message = "the whole check run reached its time limit before this check"
        return CheckResult(name, "missing", "not-run", contract, message, 0.0)
