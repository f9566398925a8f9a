"""What a run has used of its models so far, tries that count for nothing included."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from referee.agent.gateway.exchange import sum_of, with_call
from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.model_call import CallTotals, ModelCall
from referee.record.trial import Trial
from referee.trial.layout import INTERRUPTED, TRIAL_FILE, TRIALS
from referee.trial.model import CALLS


def spent(run: Path) -> CallTotals:
    """The sums over every call that was made for a run: of recorded trials, of tries that were put
    aside, and of what is running or was cut off."""
    folders = [path for top in (TRIALS, INTERRUPTED) for path in (run / top).glob("*/*/*")]
    return functools.reduce(sum_of, map(_of_attempt, folders), CallTotals())


def _of_attempt(folder: Path) -> CallTotals:
    with contextlib.suppress(BadInput):  # cut off while it was written: the calls say the same
        if (folder / TRIAL_FILE).is_file():
            model = load_record(folder / TRIAL_FILE, Trial).model
            return CallTotals() if model is None else model.totals
    try:
        with (folder / "agent" / CALLS).open("rb") as lines:
            return functools.reduce(with_call, _calls(lines), CallTotals())
    except FileNotFoundError:
        return CallTotals()


def _calls(lines: Iterable[bytes]) -> Iterator[ModelCall]:
    for line in lines:
        if line.endswith(b"\n"):
            try:
                yield ModelCall.model_validate(json.loads(line), strict=False)
            except (ValueError, ValidationError):
                continue
