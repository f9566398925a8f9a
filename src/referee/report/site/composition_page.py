"""What the tasks of a run are: domains and paradigms, as in the paper's figure 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.report.site.leaderboard import languages_of
from referee.report.site.model import Site

LETTERS = {
    "issue-driven": "I",
    "expert-exploratory": "X",
    "engineering-integration": "E",
    "artifact": "A",
    "reproduction": "R",
}
"""What stands for a paradigm in a figure, beside its colour."""


def composition_page(site: Site, languages: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The values of `composition.html`: counts of tasks by domain and paradigm."""
    cells = Counter((task.domain, task.paradigm) for task in site.tasks)
    domains = Counter(task.domain for task in site.tasks)
    paradigms = Counter(task.paradigm for task in site.tasks)
    known = Counter(one for task in site.tasks for one in languages_of(task, languages))
    names = sorted(paradigms)
    return {
        "paradigms": [(name, paradigms[name]) for name in names],
        "rows": [
            (domain, [cells[domain, name] for name in names], count)
            for domain, count in sorted(domains.items(), key=lambda d: (-d[1], d[0]))
        ],
        "languages": sorted(known.items(), key=lambda k: (-k[1], k[0])),
    }
