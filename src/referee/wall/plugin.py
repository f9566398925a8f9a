"""The trusted pytest plugin: fixtures that reach the candidate, and one result per check.

The process that it runs in holds expected values and tolerances, and no line of candidate code.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.evidence.fault import EvidenceFault
from referee.record.fault import BadInput, Infrastructure
from referee.record.measure import SampleId
from referee.record.text import bounded_text
from referee.task.contract import ContractTable
from referee.wall.api import CommandResult, probe_source
from referee.wall.artifact import Artifact
from referee.wall.judging import is_evaluators, judge_phase
from referee.wall.measuring import measured, with_ids
from referee.wall.session import WallSession

Say = Callable[..., None]
"""Reports one event: `say(kind, **fields)`."""


class Candidate:
    """The `candidate` fixture: candidate code on the other side of the wall."""

    def __init__(self, session: WallSession) -> None:
        self._session = session

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run the probe `function` in the sandbox; its value, as plain data.

        Raises:
            CandidateFailure: one of its subclasses: candidate code gave no value.
            CodecError: an argument may not cross.
        """
        return self._session.call(probe_source(function), function.__name__, args, kwargs)

    def command(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        inputs: Mapping[str, bytes] | None = None,
        files: Sequence[str] = (),
    ) -> CommandResult:
        """Run a program in the sandbox (see `WallSession.command`)."""
        return self._session.command(
            argv,
            cwd=cwd,
            stdin=stdin,
            env=env,
            timeout_s=timeout_s,
            inputs=inputs,
            files=files,
        )


def generator_seed(seed: int, check: str) -> int:
    """The seed of one check's generator: a hash of the grade's seed and the check's id."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{check}".encode()).digest()[:16], "big")


class WallPlugin:
    """Collects outcomes and reports them through `say` as they come."""

    def __init__(
        self,
        session: WallSession,
        seed: int,
        ids: frozenset[str] | None,
        say: Say,
        *,
        order: int | None = None,
        data: Mapping[str, Path | None] | None = None,
        contract: ContractTable | None = None,
    ) -> None:
        self.session = session
        self.seed = seed
        self.ids = ids
        self.order = order
        self.data = data or {}
        self.contract = contract
        self.say = say
        self.phases: dict[str, tuple[str, str | None, str]] = {}
        self.passed: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}

    @pytest.fixture
    def candidate(self) -> Candidate:
        """Candidate code, on the other side of the wall."""
        return Candidate(self.session)

    @pytest.fixture
    def artifact(self) -> Artifact:
        """An artifact whose task declares a contract, asked by it."""
        if self.contract is None:
            raise Infrastructure("grader_data", "a check asks by a contract, and there is none")
        return Artifact(self.session, self.contract)

    @pytest.fixture
    def measure(self, request: pytest.FixtureRequest) -> Callable[..., None]:
        """Report the measure of an artifact, once: `measure(value, samples, ...)` takes the fields
        of `record.measure.Measured`; what is not finite is None in the record, and flagged."""
        name = request.node.nodeid

        def report(
            value: float | None,
            samples: Sequence[float | None],
            *,
            ids: Sequence[SampleId] = (),
            components: Mapping[str, float | None] | None = None,
            flags: Mapping[str, int] | None = None,
            data: Mapping[str, str] | None = None,
        ) -> None:
            told = measured(value, samples, components or {}, flags or {}, data or {})
            self.say("measure", id=name, measured=with_ids(told, ids).as_json())

        return report

    @pytest.fixture
    def public_data(self) -> Path:
        """The folder of the data that agents get."""
        return self._folder_of("public")

    @pytest.fixture
    def hidden_data(self) -> Path:
        """The folder of the data that the evaluator alone has."""
        return self._folder_of("hidden")

    def _folder_of(self, part: str) -> Path:
        folder = self.data.get(part)
        if folder is None:
            raise Infrastructure("grader_data", f"a check asks for {part} data, and there are none")
        return folder

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> Any:
        """A NumPy generator for inputs, seeded from outside the task package."""
        import numpy as np

        return np.random.default_rng(generator_seed(self.seed, request.node.nodeid))

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if self.ids is not None:
            items[:] = [item for item in items if item.nodeid in self.ids]
        if self.order == 0:
            items.reverse()
        elif self.order is not None:
            random.Random(self.order).shuffle(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self.say("collection", detail=bounded_text(f"{report.nodeid}: {report.longrepr}"))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        contracts = {
            item.nodeid: getattr(getattr(item, "function", None), "__contract__", None)
            for item in session.items
        }
        self.say("collected", contracts=contracts)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.say("started", id=nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        name = item.nodeid
        self.seconds[name] = self.seconds.get(name, 0.0) + call.duration
        fault = None if call.excinfo is None else call.excinfo.value
        ours = isinstance(fault, (BadInput, EvidenceFault)) and self._is_ours(fault, item)
        verdict = judge_phase(call, report, ours=ours)
        if verdict is None:
            self.passed.setdefault(name, set()).add(call.when)
        else:
            self.phases.setdefault(name, verdict)
        if isinstance(fault, Infrastructure):
            self.say("infrastructure", reason=fault.reason, detail=bounded_text(fault.detail))
            item.session.shouldstop = fault.reason
        elif isinstance(fault, BadInput) and ours:
            self.say("bad-input", what=fault.what, where=fault.where, hint=fault.hint)
            item.session.shouldstop = fault.what
        return report

    def _is_ours(self, fault: BadInput | EvidenceFault, item: pytest.Item) -> bool:
        if fault is self.session.refusal or not self.session.asked:
            return True
        folders = [folder.resolve() for folder in self.data.values() if folder is not None]
        return is_evaluators(fault, item, [item.config.rootpath, *folders])

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        verdict = self.phases.pop(nodeid, None)
        if verdict is None:
            if self.passed.get(nodeid) == {"setup", "call", "teardown"}:
                verdict = ("passed", None, "")
            else:
                verdict = ("errored", "not-run", "a phase of the check did not run")
        outcome, reason, message = verdict
        self.say(
            "result",
            id=nodeid,
            outcome=outcome,
            reason=reason,
            message=message,
            seconds=round(self.seconds.get(nodeid, 0.0), 6),
        )
