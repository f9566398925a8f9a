"""Every pair of arms at the tasks that both have: the pages of `referee compare`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from referee.record.fault import BadInput
from referee.report.arm_difference import arm_differences
from referee.report.compare import TRANSITIONS, Comparison, Pair, compare
from referee.report.compare_runs import Compared
from referee.report.compare_text import compare_lines
from referee.report.site.model import Site, SiteArm, SiteTrial
from referee.report.usage import Usage, of_trial, total
from referee.stats.multiple import holm

WORDS = {
    "both": "Both solved",
    "only_first": "Only {first} solved",
    "only_second": "Only {second} solved",
    "neither": "Neither solved",
}


@dataclass(frozen=True)
class SitePair:
    """Two arms of the site and their comparison; `compared` is None with the reason in `why`."""

    first: SiteArm
    second: SiteArm
    compared: Compared | None
    why: str = ""

    @property
    def address(self) -> str:
        """Its page, from the top of the site."""
        return f"compare/{self.first.slug}/{self.second.slug}.html"


def site_pairs(site: Site) -> dict[str, SitePair]:
    """All pairs of arms by their address; p-values are adjusted by Holm's method over them all."""
    usage = {
        arm.name: total(of_trial(t.trial) for t in site.trials.values() if t.arm is arm)
        for arm in site.arms
    }
    made = [(a, b, _compare(site, a, b)) for a, b in combinations(site.arms, 2)]
    pvalues = [
        found.pvalue
        for _, _, found in made
        if isinstance(found, Comparison) and found.pvalue is not None
    ]
    adjusted = iter(holm(pvalues).adjusted if pvalues else ())
    pairs = []
    for first, second, found in made:
        if isinstance(found, str):
            pairs.append(SitePair(first, second, None, found))
            continue
        value = None if found.pvalue is None else next(adjusted)
        pairs.append(SitePair(first, second, _compared(first, second, found, value, usage)))
    return {pair.address: pair for pair in pairs}


def _compared(
    first: SiteArm,
    second: SiteArm,
    found: Comparison,
    adjusted: float | None,
    usage: Mapping[str, Usage],
) -> Compared:
    used = (usage[first.name], usage[second.name])
    return Compared(arm_differences(first.arm, second.arm), found, adjusted, used)


def _compare(site: Site, first: SiteArm, second: SiteArm) -> Comparison | str:
    counts = [trial.counts for trial in site.trials.values() if trial.counts.has_checks]
    attempts = min(site.attempts[first.name], site.attempts[second.name])
    try:
        tasks = [task.task_id for task in site.tasks]
        return compare(first.name, second.name, counts, tasks, attempts)
    except BadInput as fault:
        return fault.what


def pair_page(site: Site, pair: SitePair) -> dict[str, Any]:
    """The values of `compare.html`. Transitions lead to the trials of both arms."""
    found = pair.compared
    names = {"first": pair.first.name, "second": pair.second.name}
    groups = []
    if found is not None:
        for name in TRANSITIONS:
            own = [_linked(site, pair, p) for p in found.comparison.pairs if p.transition == name]
            groups.append((WORDS[name].format(**names), own))
    lines = [] if found is None else compare_lines(found)
    told = [line for line in lines if not line.startswith("only ")]
    return {"pair": pair, "groups": groups, "lines": told}


def _linked(site: Site, pair: SitePair, one: Pair) -> tuple[str, SiteTrial, SiteTrial]:
    several = min(site.attempts[pair.first.name], site.attempts[pair.second.name]) > 1
    return (
        f"{one.task}#{one.attempt}" if several else one.task,
        site.trials[one.task, pair.first.name, one.attempt],
        site.trials[one.task, pair.second.name, one.attempt],
    )


def matrix(site: Site, pairs: Mapping[str, SitePair]) -> list[tuple[SiteArm, list[Any]]]:
    """For each arm a row with one cell for each arm: the pair (seen from the row's side, with the
    counts of tasks that only it and only the other solved), or None on the diagonal."""
    known = {(p.first.name, p.second.name): p for p in pairs.values()}
    return [(a, [_cell(known, a, b) for b in site.arms]) for a in site.arms]


def _cell(
    known: Mapping[tuple[str, str], SitePair], row: SiteArm, column: SiteArm
) -> dict[str, Any] | None:
    if row.name == column.name:
        return None
    here = known.get((row.name, column.name))
    pair = here or known[column.name, row.name]
    if pair.compared is None:
        return {"pair": pair, "more": None, "less": None, "p": None}
    table = pair.compared.comparison.table
    more, less = table.only_first, table.only_second
    if here is None:
        more, less = less, more
    return {"pair": pair, "more": more, "less": less, "p": pair.compared.adjusted}
