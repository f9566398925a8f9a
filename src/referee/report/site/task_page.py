"""What the page of one task shows: who solved it, and which contracts held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.record.plan import SelectedTask
from referee.record.verdict import Verdict
from referee.report.site import privacy
from referee.report.site.leaderboard import languages_of
from referee.report.site.model import Site, SiteArm, SiteTrial


@dataclass(frozen=True)
class ContractRow:
    """Of one contract, by arm: checks that passed, and checks that were asked, over all scored
    attempts; None for an arm without any."""

    kind: str
    name: str
    shares: tuple[tuple[int, int] | None, ...]


Reader = Callable[[SiteTrial], Verdict | None]


def task_page(
    site: Site, task: SelectedTask, languages: Mapping[str, Sequence[str]], read: Reader
) -> dict[str, Any]:
    """The values of `task.html`."""
    rows = [(arm, site.of(task.task_id, arm.name)) for arm in site.arms]
    recorded = [t for _, each in rows for t in each if t is not None]
    scored = [t for t in recorded if t.counts.scored and t.counts.has_checks]
    return {
        "task": task,
        "languages": languages_of(task, languages),
        "rows": rows,
        "contracts": _contracts(site, rows, read),
        "solved": sum(t.state[0] in "PC" for t in recorded),
        "scored": len(scored),
        "planned": sum(len(each) for _, each in rows),
    }


def _contracts(
    site: Site, rows: Sequence[tuple[SiteArm, Sequence[SiteTrial | None]]], read: Reader
) -> list[ContractRow]:
    passed: Counter[tuple[str, str, str]] = Counter()
    asked: Counter[tuple[str, str, str]] = Counter()
    for arm, trials in rows:
        for trial in trials:
            verdict = read(trial) if trial is not None else None
            for check in verdict.checks if verdict else ():
                name = privacy.contract_of(check, internal=site.internal)
                key = (check.kind, name, arm.name)
                asked[key] += 1
                passed[key] += check.passed
    order = {"public": 0, "private": 1, "regression": 2}
    names = sorted({(kind, name) for kind, name, _ in asked}, key=lambda k: (order[k[0]], k[1]))
    return [
        ContractRow(kind, name, tuple(_share(passed, asked, kind, name, a) for a in site.arms))
        for kind, name in names
    ]


def _share(
    passed: Counter[tuple[str, str, str]],
    asked: Counter[tuple[str, str, str]],
    kind: str,
    name: str,
    arm: SiteArm,
) -> tuple[int, int] | None:
    key = (kind, name, arm.name)
    return (passed[key], asked[key]) if asked[key] else None
