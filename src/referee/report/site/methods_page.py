"""What the page of methods lists: every setting of the runs, and the methods that were used."""

from __future__ import annotations

import json
from typing import Any

from referee.record.plan import Arm, RunPlan
from referee.report.site.leaderboard import Slice
from referee.report.site.model import Site
from referee.report.site.privacy import of_evaluators
from referee.report.table import comparability

Settings = list[tuple[str, str]]


def methods_page(site: Site, board: Slice) -> dict[str, Any]:
    """The values of `methods.html`."""
    methods = {
        found.method
        for line in board.lines
        for found in line.row.intervals.values()
        if found is not None
    }
    return {
        "methods": sorted(methods),
        "settings": [
            (place.name, _of_run(plan, site.heads[place])) for place, plan in site.runs.items()
        ],
        "arm_settings": [(arm, _of_arm(arm.arm, internal=site.internal)) for arm in site.arms],
    }


def _of_run(plan: RunPlan, head: str) -> Settings:
    data = {name: facts.text for name, facts in plan.data.items()}
    return [
        ("suite", f"{plan.suite.name}, {plan.suite.suite_digest}"),
        ("selection", f"{len(plan.selection)} tasks, {plan.selection_digest}"),
        ("attempts", str(plan.attempts)),
        ("seed", str(plan.seed)),
        ("grader", f"referee {plan.grader.version}, {plan.grader.code_digest}"),
        ("limits of the run", _json(plan.limits)),
        ("limits of the grader", _json(plan.grader.limits)),
        ("data", _json(data)),
        ("judge", _json(plan.judge)),
        ("not validated", ", ".join(plan.unvalidated) or "none"),
        ("machine", _json(plan.host)),
        ("begun", plan.created),
        ("comparability", comparability(plan)),
        ("ledger head", head),
    ]


def _of_arm(arm: Arm, *, internal: bool) -> Settings:
    hidden = of_evaluators(arm) and not internal
    return [
        ("agent", f"{arm.agent} {arm.agent_version}"),
        ("model", arm.model or "none"),
        ("condition", arm.condition_text or "none"),
        ("settings", "not shown" if hidden and arm.settings else _json(arm.settings)),
        ("digest", arm.digest),
    ]


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if value else "none"
