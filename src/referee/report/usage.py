"""What arms used: tokens, money and time, from the records of their trials."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

from referee.record.load import load_record
from referee.record.trial import Trial
from referee.trial.layout import TRIAL_FILE, read_run, trial_entries


@dataclass(frozen=True)
class Usage:
    """Sums over `trials` recorded trials, withheld ones included: they were paid for as well.

    `calls`, tokens and `cost` (dollars) are those of models, 0 where an arm has none. `uncounted`
    calls were answered, or may have been, without counts: then tokens are a lower bound. `cost` is
    None if that of one call is not known. `agent_s` is the agents' wall-clock time, `wall_s` that
    of all phases, in seconds.
    """

    trials: int = 0
    calls: int = 0
    uncounted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    agent_s: float = 0.0
    wall_s: float = 0.0


def usage_of(run: Path) -> dict[str, Usage]:
    """What each arm of a run used, by the arm's name, in the plan's order.

    Raises:
        BadInput: this is no run, or a record cannot be read.
    """
    plan, text = read_run(run)
    found: dict[str, list[Usage]] = {arm.name: [] for arm in plan.arms}
    for (_task, arm, _attempt), entry in sorted(trial_entries(text.lines).items()):
        found[arm].append(of_trial(load_record(run / entry.path / TRIAL_FILE, Trial)))
    return {arm: total(each) for arm, each in found.items()}


def usage_cells(rows: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Heads and cells for people, of rows of `report.table` whose arm called a model; a number of
    tokens that is a lower bound has a `+`."""
    heads = ["arm", "trials>", "calls>", "tokens in>", "tokens out>", "cost ($)>", "agent (s)>"]
    cells = []
    for row in rows:
        used = row.get("usage")
        if used is None or not used["calls"]:
            continue
        more = "+" if used["uncounted"] else ""
        cost = "unknown" if used["cost"] is None else f"{used['cost']:.4f}"
        cells.append(
            [
                row["arm"],
                str(used["trials"]),
                str(used["calls"]),
                f"{used['input_tokens']}{more}",
                f"{used['output_tokens']}{more}",
                cost,
                f"{used['agent_s']:.0f}",
            ]
        )
    return heads, cells


def total(each: Iterable[Usage]) -> Usage:
    """The sum of several."""
    return functools.reduce(_plus, each, Usage())


def of_trial(trial: Trial) -> Usage:
    """What one trial used."""
    agent_s, wall_s = trial.timing.get("agent", 0.0), fsum(trial.timing.values())
    if trial.model is None:
        return Usage(trials=1, agent_s=agent_s, wall_s=wall_s)
    totals = trial.model.totals
    return Usage(
        trials=1,
        calls=totals.calls,
        uncounted=totals.uncounted + totals.uncertain,
        input_tokens=totals.tokens.input,
        output_tokens=totals.tokens.output,
        cost=totals.cost,
        agent_s=agent_s,
        wall_s=wall_s,
    )


def _plus(a: Usage, b: Usage) -> Usage:
    return Usage(
        trials=a.trials + b.trials,
        calls=a.calls + b.calls,
        uncounted=a.uncounted + b.uncounted,
        input_tokens=a.input_tokens + b.input_tokens,
        output_tokens=a.output_tokens + b.output_tokens,
        cost=None if a.cost is None or b.cost is None else a.cost + b.cost,
        agent_s=a.agent_s + b.agent_s,
        wall_s=a.wall_s + b.wall_s,
    )
