"""Losses that look written rather than measured."""

from __future__ import annotations

from collections.abc import Iterator

from referee.diagnose.case import Case
from referee.diagnose.readings import not_sentinel, shown
from referee.diagnose.vectors import decimals, longest_progression, most_common

_STEPS = 6
_LEAST = 4
_ROUND_DECIMALS = 3


def progression(case: Case) -> str | None:
    """Losses in at least six equal steps, in order of the approaches."""
    steps = longest_progression(case.work.losses)
    return f"{steps} equal steps between successive losses" if steps >= _STEPS else None


def shared_loss(case: Case) -> str | None:
    """One loss that at least half of the approaches have; a failed sample's does not count."""
    losses = case.work.losses
    top = most_common(not_sentinel(case, losses))
    if top is None or len(losses) < _LEAST or 2 * top[1] < len(losses):
        return None
    return f"{top[1]} of {len(losses)} losses are {shown(top[0])}"


def round_losses(case: Case) -> str | None:
    """At least half of the losses have three decimals at most; failed ones do not count."""
    losses = not_sentinel(case, case.work.losses)
    few = [v for v in losses if decimals(v) <= _ROUND_DECIMALS]
    if len(losses) < _LEAST or 2 * len(few) < len(losses):
        return None
    return f"{len(few)} of {len(losses)} losses have at most {_ROUND_DECIMALS} decimals"


def written_numbers(case: Case) -> Iterator[str]:
    """Every way in which the losses look written."""
    for look in (progression, shared_loss, round_losses):
        if (text := look(case)) is not None:
            yield text
