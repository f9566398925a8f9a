"""What a run has used of its models so far, tries that count for nothing included."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from referee.agent.gateway.exchange import with_call
from referee.record.load import load_record
from referee.record.model_call import CallTotals, ModelCall, Tokens
from referee.record.trial import Trial
from referee.trial.layout import INTERRUPTED, TRIAL_FILE, TRIALS
from referee.trial.model import CALLS


def spent(run: Path) -> CallTotals:
    """The sums over every call that was made for a run: of recorded trials, of tries that were put
    aside, and of what is running or was cut off."""
    folders = [path for top in (TRIALS, INTERRUPTED) for path in (run / top).glob("*/*/*")]
    return functools.reduce(_both, map(_of_attempt, folders), CallTotals())


def _of_attempt(folder: Path) -> CallTotals:
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


def _both(one: CallTotals, other: CallTotals) -> CallTotals:
    here, there = one.tokens.as_json(), other.tokens.as_json()
    costs = (one.cost, other.cost)
    return CallTotals(
        calls=one.calls + other.calls,
        answered=one.answered + other.answered,
        refused=one.refused + other.refused,
        provider_errors=one.provider_errors + other.provider_errors,
        uncounted=one.uncounted + other.uncounted,
        tokens=Tokens(**{name: value + there[name] for name, value in here.items()}),
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
    )
