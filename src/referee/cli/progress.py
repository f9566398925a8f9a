"""The live display of a run: done, passed, failed, withheld, time left."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


@contextmanager
def show_progress(planned: int) -> Iterator[Callable[[TrialEvent], None]]:
    """A progress bar on standard error; one line per trial where that is no terminal."""
    counts: Counter[str] = Counter()
    lock = threading.Lock()
    with progress_bar("trials", planned, _counts(counts)) as (update, line):

        def on_event(event: TrialEvent) -> None:
            if event.outcome is None:
                return
            with lock:
                counts[_class(event)] += 1
                update(advance=1, counts=_counts(counts))
                line(_line(event, sum(counts.values()), planned))

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
