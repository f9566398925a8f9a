"""Where a run stands, read from outside while it is written."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.trial import Trial
from referee.trial.layout import INTERRUPTED, PARTIAL, RUN_FILE, TRIAL_FILE, TRIALS, trial_entries
from referee.trial.ledger import LOCK, read_ledger
from referee.trial.spent import spent


@dataclass(frozen=True)
class Running:
    """A trial that is being made; `seconds` since it began."""

    task: str
    arm: str
    attempt: int
    seconds: float


@dataclass(frozen=True)
class RunStatus:
    """Counts of trials; `retried` are tries that the machine failed, by reason. `at_work` says that
    a process writes the run now; without one, partial trials are what a killed process left. `cost`
    is None as soon as that of one call is."""

    planned: int
    scored: int
    withheld: dict[str, int]
    running: tuple[Running, ...]
    interrupted: int
    retried: dict[str, int]
    sealed: bool
    at_work: bool
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def pending(self) -> int:
        """Trials that have not begun."""
        return self.planned - self.scored - sum(self.withheld.values()) - len(self.running)


def run_status(run: Path) -> RunStatus:
    """Where the run in a folder stands.

    Raises:
        BadInput: it is no run, or its ledger cannot be read.
    """
    if not (run / RUN_FILE).is_file():
        raise BadInput("not a run: it has no run.json", where=run)
    plan = load_record(run / RUN_FILE, RunPlan)
    lines = read_ledger(run).lines
    entries = trial_entries(lines).values()
    trials = [load_record(run / entry.path / TRIAL_FILE, Trial) for entry in entries]
    aside = [line for line in lines if line.kind == "interrupted"]
    at_work = _is_locked(run / LOCK)
    used = spent(run)
    return RunStatus(
        planned=len(plan.trials()),
        scored=sum(trial.outcome == "scored" for trial in trials),
        withheld=dict(Counter(trial.withheld.reason for trial in trials if trial.withheld)),
        running=tuple(_running(run)) if at_work else (),
        interrupted=sum(line.body.get("what") == "attempt" for line in aside),
        retried=dict(
            Counter(str(line.body["reason"]) for line in aside if line.body.get("what") == "retry")
        ),
        sealed=bool(lines) and lines[-1].kind == "seal",
        at_work=at_work,
        model_calls=used.calls,
        input_tokens=used.tokens.input,
        output_tokens=used.tokens.output,
        cost=used.cost,
    )


def _running(run: Path) -> list[Running]:
    now = time.time()
    found = []
    for folder in sorted((run / TRIALS).glob(f"*/*/{PARTIAL}*")):
        attempt = folder.name.removeprefix(PARTIAL).partition("-")[0]
        if attempt.isdecimal() and INTERRUPTED not in folder.parts:
            task, arm = folder.parts[-3:-1]
            with contextlib.suppress(FileNotFoundError):  # committed meanwhile
                seconds = max(0.0, now - folder.stat().st_mtime)
                found.append(Running(task, arm, int(attempt), round(seconds, 1)))
    return found


def _is_locked(path: Path) -> bool:
    """Whether a process holds the lock of a run."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
