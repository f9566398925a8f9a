"""The options that limit what a run may use of its models."""

from __future__ import annotations

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


def _whole(name: str, what: str) -> Any:
    return Annotated[int | None, typer.Option(name, min=1, help=what)]


def _measure(name: str, what: str) -> Any:
    return Annotated[float | None, typer.Option(name, min=0, help=what)]


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "calls": (_whole("--limit-calls", "Model calls of a trial."), None),
    "input_tokens": (_whole("--limit-input-tokens", "Input of a trial."), None),
    "output_tokens": (_whole("--limit-output-tokens", "Output of a trial."), None),
    "cost": (_measure("--limit-trial-cost", "Dollars of a trial."), None),
    "wall_s": (_measure("--limit-seconds", "Seconds from a trial's first call to its last."), None),
    "run_calls": (_whole("--limit-run-calls", "Model calls of the whole run."), None),
    "run_input_tokens": (_whole("--limit-run-input-tokens", "Input of the whole run."), None),
    "run_output_tokens": (_whole("--limit-run-output-tokens", "Output of the whole run."), None),
    "run_wall_s": (_measure("--limit-run-seconds", "The same of the whole run."), None),
    "run_cost": (_measure("--limit-cost", "Dollars of the whole run."), None),
}


def _limits(**said: Any) -> Limits:
    from referee.agent.gateway.budget import Budget

    run = {name.removeprefix("run_"): said.pop(name) for name in _OPTIONS if name[:4] == "run_"}
    return Limits(Budget(**said), Budget(**run))


limits = gathers("limit", _OPTIONS, _limits)
"""Gives a command these options; what they say arrives as its `limit`."""
