"""A comparison as lines for people and as plain data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from referee.record.text import bounded_text
from referee.report.compare import TRANSITIONS, OneAttempt
from referee.report.compare_runs import Compared
from referee.report.usage import Usage
from referee.stats.estimate import Estimate

_SHOWN = 30
"""Tasks of one transition that people are shown; programs get all."""


def compare_lines(found: Compared) -> list[str]:
    """What a reader needs to judge a comparison, one statement a line."""
    c = found.comparison
    lines = [
        f"{c.first} and {c.second} differ in "
        + ("; ".join(x.text for x in found.differences) or "nothing"),
        f"{c.table.n} of {c.table.planned} planned pairs"
        + "".join(f"; {reason}: {count}" for reason, count in c.unpaired.items()),
        f"both {c.table.both}, only {c.first} {c.table.only_first}, "
        f"only {c.second} {c.table.only_second}, neither {c.table.neither}",
    ]
    if c.rates is not None and c.one_attempt is not None:
        for name, rate in zip((c.first, c.second), c.rates, strict=True):
            lines.append(f"{name} solved {rate.k} of {rate.n}: {_per_cent(rate)}")
        lines += _of_one_attempt(c.one_attempt)
    elif c.by_task is not None:
        lines.append(
            f"difference over {c.by_task.n} tasks: {_points(c.by_task)} ({c.by_task.method})"
        )
        lines.append(
            "no test: every task has the same difference"
            if c.by_task.pvalue is None
            else f"p {c.by_task.pvalue:.3g} of a paired t test over tasks"
        )
    else:
        lines.append("no test and no interval: fewer than two tasks have pairs")
    if found.adjusted is not None and found.adjusted != c.pvalue:
        lines.append(f"p {found.adjusted:.3g} among all comparisons (Holm)")
    lines += [_used(name, u) for name, u in zip((c.first, c.second), found.usage, strict=True)]
    lines.append(f"only {c.first}: {_listed(c.tasks('only_first'))}")
    lines.append(f"only {c.second}: {_listed(c.tasks('only_second'))}")
    return [bounded_text(line, 4000) for line in lines]


def compare_json(found: Compared) -> dict[str, Any]:
    """Everything, as JSON can hold it: an infinite odds ratio is None, a fraction a text."""
    c = found.comparison
    made = {
        "first": c.first,
        "second": c.second,
        "differences": [asdict(x) for x in found.differences],
        "attempts": c.attempts,
        "planned": c.table.planned,
        "paired": c.table.n,
        "coverage": c.table.coverage,
        "unpaired": dict(c.unpaired),
        "counts": {name: getattr(c.table, name) for name in TRANSITIONS},
        "tasks": {name: list(c.tasks(name)) for name in TRANSITIONS},
        "rates": None if c.rates is None else [asdict(rate) for rate in c.rates],
        "one_attempt": None if c.one_attempt is None else asdict(c.one_attempt),
        "by_task": None if c.by_task is None else asdict(c.by_task),
        "pvalue": c.pvalue,
        "pvalue_holm": found.adjusted,
        "usage": [asdict(usage) for usage in found.usage],
    }
    plain: dict[str, Any] = _plain(made)
    return plain


def _of_one_attempt(found: OneAttempt) -> list[str]:
    test, effect = found.test, found.detectable
    lines = [
        f"difference {_points(found.interval)} ({found.interval.method}); "
        f"{_ends(found.second_interval)} ({found.second_interval.method})",
        f"p {test.pvalue:.3g} ({test.method}; mid-p {test.midp:.3g})",
    ]
    if found.odds_ratio is not None:
        ratio = found.odds_ratio
        lines.append(f"odds ratio {ratio.value:.3g} ({ratio.low:.3g} to {ratio.high:.3g})")
    lines.append(
        f"{test.n} discordant tasks: "
        + (
            "no split of so few is significant"
            if found.needed is None
            else f"{found.needed.more} to {found.needed.less} or more uneven is significant "
            f"at {found.needed.alpha:g}"
        )
    )
    lines.append(
        f"{effect.n} tasks with this discordance find "
        + (
            f"no difference with a power of {effect.power:g}"
            if effect.effect is None
            else f"{100 * effect.effect:.1f} points with a power of {effect.power:g}"
        )
    )
    return lines


def _used(name: str, usage: Usage) -> str:
    cost = "unknown" if usage.cost is None else f"{usage.cost:.4f} $"
    bound = "at least " if usage.uncounted else ""
    model = (
        f"{usage.calls} model calls, {bound}{usage.input_tokens} tokens in, "
        f"{bound}{usage.output_tokens} out, cost {cost}; "
        if usage.calls
        else ""
    )
    return f"{name} used {model}{usage.agent_s:.0f} s of its agent in {usage.trials} trials"


def _per_cent(found: Estimate) -> str:
    return f"{100 * found.value:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f})"


def _points(found: Estimate) -> str:
    return f"{100 * found.value:+.1f} points, {_ends(found)}"


def _ends(found: Estimate) -> str:
    return f"{100 * found.low:+.1f} to {100 * found.high:+.1f}"


def _listed(tasks: Sequence[str]) -> str:
    more = f" and {len(tasks) - _SHOWN} more" if len(tasks) > _SHOWN else ""
    return (", ".join(tasks[:_SHOWN]) or "none") + more


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
