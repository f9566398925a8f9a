"""Conditions: experimental factors that tasks declare, and the paired arms of a run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from referee.record.fault import BadInput
from referee.task.package import TaskPackage

Levels = Mapping[str, tuple[str, ...]]
"""Factor -> the levels that are asked for."""

FULL: Levels = {"science": ("with",)}
KNOWN: Levels = {"science": ("with", "without")}


def read_conditions(texts: Sequence[str]) -> Levels:
    """Levels from texts such as `science=with,without`; what is not named stays full.

    Raises:
        BadInput: a factor or level is unknown, or stands twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, _, values = text.partition("=")
        levels = tuple(values.split(",")) if values else ()
        if name not in KNOWN:
            raise BadInput(
                f"--condition: there is no condition {name!r}", hint=f"known: {', '.join(KNOWN)}"
            )
        odd = [level for level in levels if level not in KNOWN[name]]
        if odd or not levels or len(set(levels)) < len(levels) or name in found:
            shown = ",".join(KNOWN[name])
            raise BadInput(f"--condition {text!r} cannot be read", hint=f"write {name}={shown}")
        found[name] = levels
    return {**FULL, **found}


def arms_of(levels: Levels) -> list[dict[str, str]]:
    """Every combination of levels, one condition of an arm each."""
    names = list(levels)
    return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*levels.values())]


def tasks_that_allow(
    tasks: Mapping[str, TaskPackage], levels: Levels, say: Callable[[str], None]
) -> dict[str, TaskPackage]:
    """The tasks on which every level can be set up; the others are left out and told, so that arms
    are compared on the same tasks.

    Raises:
        BadInput: there is none.
    """
    kept = {}
    for label, task in tasks.items():
        declared = task.agent.file.referee.conditions
        lacking = [
            f"{name}={level}"
            for name, asked in levels.items()
            for level in asked
            if level != FULL[name][0] and level not in declared.get(name, ())
        ]
        if lacking:
            say(f"{label} is left out: it does not allow {', '.join(lacking)}")
        else:
            kept[label] = task
    if not kept:
        raise BadInput(
            "no task allows the conditions asked for", hint="select tasks with --ablation"
        )
    return kept
