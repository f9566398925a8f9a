"""What a run has used of its models so far, tries that count for nothing included."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from referee.agent.gateway.exchange import with_call
from referee.record.fault import BadInput
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


def _both(one: CallTotals, other: CallTotals) -> CallTotals:
    return CallTotals(
        calls=one.calls + other.calls,
        answered=one.answered + other.answered,
        refused=one.refused + other.refused,
        provider_errors=one.provider_errors + other.provider_errors,
        uncounted=one.uncounted + other.uncounted,
        uncertain=one.uncertain + other.uncertain,
        tokens=_tokens(one.tokens, other.tokens),
        cost=_dollars(one.cost, other.cost),
        charged=_tokens(one.charged, other.charged),
        charged_cost=_dollars(one.charged_cost, other.charged_cost),
    )


def _tokens(one: Tokens, other: Tokens) -> Tokens:
    here, there = one.as_json(), other.as_json()
    return Tokens(**{name: value + there[name] for name, value in here.items()})


def _dollars(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
