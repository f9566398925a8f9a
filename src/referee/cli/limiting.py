"""The options that limit what a run may use of its models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.options import gathers

if TYPE_CHECKING:
    from referee.agent.gateway.budget import Budget


@dataclass(frozen=True)
class Limits:
    """What one trial may use, and what all trials of the run together."""

    trial: Budget
    run: Budget


TURNS = 500
"""Calls of a trial if nothing is said: an agent that goes on without end has an end."""
_MEASURES = {
    "cost": "--limit-trial-cost",
    "wall_s": "--limit-seconds",
    "run_cost": "--limit-cost",
    "run_wall_s": "--limit-run-seconds",
}


def _whole(name: str, what: str) -> Any:
    return Annotated[int | None, typer.Option(name, min=1, help=what)]


def _measure(name: str, what: str) -> Any:
    return Annotated[float | None, typer.Option(_MEASURES[name], min=0, help=what)]


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "calls": (_whole("--limit-calls", "Model calls of a trial."), TURNS),
    "input_tokens": (_whole("--limit-input-tokens", "Input of a trial."), None),
    "output_tokens": (_whole("--limit-output-tokens", "Output of a trial."), None),
    "cost": (_measure("cost", "Dollars of a trial."), None),
    "wall_s": (_measure("wall_s", "Seconds from a trial's first call to its last."), None),
    "run_calls": (_whole("--limit-run-calls", "Model calls of the whole run."), None),
    "run_input_tokens": (_whole("--limit-run-input-tokens", "Input of the whole run."), None),
    "run_output_tokens": (_whole("--limit-run-output-tokens", "Output of the whole run."), None),
    "run_wall_s": (_measure("run_wall_s", "The same of the whole run."), None),
    "run_cost": (_measure("run_cost", "Dollars of the whole run."), None),
}


def _limits(**said: Any) -> Limits:
    from referee.agent.gateway.budget import Budget
    from referee.record.fault import BadInput

    for name, value in said.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise BadInput(f"{_MEASURES[name]} {value} is not finite", hint="leave it out")
    run = {name.removeprefix("run_"): said.pop(name) for name in _OPTIONS if name[:4] == "run_"}
    return Limits(Budget(**said), Budget(**run))


limits = gathers("limit", _OPTIONS, _limits)
"""Gives a command these options; what they say arrives as its `limit`."""
