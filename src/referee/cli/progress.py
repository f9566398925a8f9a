"""The live display of a run: done, passed, failed, withheld, time left."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.record.reproduction import ReproductionScore
    from referee.trial.execute import TrialEvent


@contextmanager
def progress_bar(
    what: str, total: int | None, counts: str
) -> Iterator[tuple[Callable[..., None], Callable[[str], None]]]:
    """A bar on standard error: done of `total`, `counts`, time gone and left.

    Yields `update`, which takes what rich's `Progress.update` takes and `counts`, and `line`,
    which prints a line only where standard error is no terminal and so shows no bar.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    err = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )

    def line(text: str) -> None:
        if not err.is_terminal:
            err.print(text, markup=False, soft_wrap=True)

    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        yield partial(progress.update, progress.add_task(what, total=total, counts=counts)), line


@dataclass
class Tally:
    """What has come of a run so far. `cost` is None as soon as that of one trial is unknown."""

    counts: Counter[str] = field(default_factory=Counter)
    running: int = 0
    retried: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0

    def take(self, event: TrialEvent) -> None:
        if event.outcome is None:
            self.running += 1
            return
        if event.outcome == "retried":
            self.retried += 1
        elif event.outcome == "pending":
            self.running = max(0, self.running - 1)
        else:
            self.running = max(0, self.running - 1)
            self.counts[_class(event)] += 1
        if event.model is not None:
            totals = event.model.totals
            self.calls += totals.calls
            self.tokens += totals.tokens.input + totals.tokens.output
            both_known = self.cost is not None and totals.cost is not None
            self.cost = (self.cost or 0.0) + (totals.cost or 0.0) if both_known else None

    def text(self) -> str:
        """For the bar: what is always there, then what there is of tries and of a model."""
        parts = [f"{self.counts[name]} {name}" for name in ("passed", "failed", "withheld")]
        parts.append(f"{self.running} running")
        if self.retried:
            parts.append(f"{self.retried} tried again")
        if self.calls:
            cost = "cost unknown" if self.cost is None else f"{self.cost:.2f} $"
            parts.append(f"{self.tokens / 1000:.0f}k tokens  {cost}")
        return "  ".join(parts)


@contextmanager
def show_progress(planned: int) -> Iterator[Callable[[TrialEvent], None]]:
    """A progress bar on standard error; one line per trial where that is no terminal."""
    tally = Tally()
    lock = threading.Lock()
    with progress_bar("trials", planned, tally.text()) as (update, line):

        def on_event(event: TrialEvent) -> None:
            with lock:
                tally.take(event)
                done = sum(tally.counts.values())
                update(completed=done, counts=tally.text())
                if event.outcome is not None:
                    line(_line(event, done, planned))

        yield on_event


def _class(event: TrialEvent) -> str:
    if event.outcome == "withheld":
        return "withheld"
    if event.reproduction is not None:
        return "passed" if event.reproduction.complete else "failed"
    return "passed" if event.scores is not None and event.scores.pass1 else "failed"


def _line(event: TrialEvent, done: int, planned: int) -> str:
    identity = event.identity
    head = f"[{done}/{planned}] {identity.task_id} {identity.arm} #{identity.attempt}"
    if event.outcome == "retried":
        return f"{head}: the machine failed it ({event.reason}), tried again"
    if event.outcome == "pending":
        return f"{head}: stays pending ({event.reason})"
    made, scores = event.reproduction, event.scores
    if made is not None:
        return f"{head}: {_class(event)} ({_score(made, event.reason)})"
    if scores is None:
        return f"{head}: withheld ({event.reason})"
    return f"{head}: {_class(event)} (public {scores.public:.2f}, private {scores.private:.2f})"


def _score(made: ReproductionScore, reason: str | None) -> str:
    low, high = float(Fraction(made.low)), float(Fraction(made.high))
    return f"score {low:.3f}" if reason is None else f"{reason}; score in {low:.3f} to {high:.3f}"
