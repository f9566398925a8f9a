"""The live display of a run: done, passed, failed, withheld, time left."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.trial.execute import TrialEvent


@contextmanager
def show_progress(planned: int) -> Iterator[Callable[[TrialEvent], None]]:
    """A progress bar on standard error; one line per trial where that is no terminal."""
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
    counts: Counter[str] = Counter()
    lock = threading.Lock()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, disable=not err.is_terminal) as progress:
        bar = progress.add_task("trials", total=planned, counts=_counts(counts))

        def on_event(event: TrialEvent) -> None:
            if event.outcome is None:
                return
            with lock:
                counts[_class(event)] += 1
                progress.update(bar, advance=1, counts=_counts(counts))
                if not err.is_terminal:
                    line = _line(event, sum(counts.values()), planned)
                    err.print(line, markup=False, soft_wrap=True)

        yield on_event


def _class(event: TrialEvent) -> str:
    if event.scores is None:
        return "withheld"
    return "passed" if event.scores.pass1 else "failed"


def _counts(counts: Counter[str]) -> str:
    return "  ".join(f"{counts[name]} {name}" for name in ("passed", "failed", "withheld"))


def _line(event: TrialEvent, done: int, planned: int) -> str:
    identity = event.identity
    head = f"[{done}/{planned}] {identity.task_id} {identity.arm} #{identity.attempt}"
    if event.scores is None:
        return f"{head}: withheld ({event.reason})"
    scores = event.scores
    return f"{head}: {_class(event)} (public {scores.public:.2f}, private {scores.private:.2f})"
