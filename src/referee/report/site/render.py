"""From a `Site` to its pages, one by one: the same for files and for a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from referee import __version__
from referee.record.verdict import Verdict
from referee.report.reproductions import reproduction_rows
from referee.report.site import leaderboard, text
from referee.report.site.charts import (
    Figure,
    domain_figure,
    reproduction_figures,
    score_figures,
)
from referee.report.site.comparisons import SitePair, matrix, pair_page, site_pairs
from referee.report.site.composition_page import composition_page
from referee.report.site.methods_page import methods_page
from referee.report.site.model import Site, SiteTrial
from referee.report.site.reading import verdict_of
from referee.report.site.special_tables import special_tables
from referee.report.site.task_page import task_page
from referee.report.site.trial_page import trial_page

TOP = (
    ("index.html", "Leaderboard"),
    ("tasks.html", "Tasks"),
    ("compare.html", "Comparisons"),
    ("composition.html", "Composition"),
    ("methods.html", "Methods"),
)


def environment() -> Environment:
    """Templates with every value escaped, and no value that is not there taken for nothing."""
    made = Environment(
        loader=PackageLoader("referee.report.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain,
    )
    made.filters.update(
        seconds=text.seconds,
        count=text.count,
        money=text.money,
        per_cent=text.per_cent,
        data=script_data,
    )
    return made


def _plain(value: Any) -> Any:
    return text.plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def script_data(value: Any) -> Markup:
    """JSON for a block of data in a page: no sign in it ends the block or begins a comment."""
    made = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        made = made.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(made)


@dataclass
class Renderer:
    """The pages of one site. `languages` are those of tasks, where their packages are known;
    `published` adds what arXiv 2608.19799 reports, so marked."""

    site: Site
    languages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    with_figures: bool = True
    published: bool = False

    def __post_init__(self) -> None:
        self._environment = environment()
        # the page of a task and those of its trials read the same verdicts, one after another
        most = 2 * max(1, sum(self.site.attempts.values()))
        self._read = lru_cache(maxsize=most)(self._verdict_at)
        self._trials = {trial.address: trial for trial in self.site.trials.values()}
        self._tasks = {f"tasks/{task.task_id}.html": task for task in self.site.tasks}

    def addresses(self) -> Iterator[str]:
        """Every page, those that share verdicts next to each other."""
        yield from (address for address, _ in TOP)
        by_task: dict[str, list[str]] = {}
        for trial in self.site.trials.values():
            by_task.setdefault(trial.key[0], []).append(trial.address)
        yield from self.pairs
        for address, task in self._tasks.items():
            yield address
            yield from by_task.get(task.task_id, ())

    def page(self, address: str) -> str | None:
        """The text of a page; None where there is no such page.

        Raises:
            BadInput: a record cannot be read.
        """
        if address in self._trials:
            values = trial_page(self.site, self._trials[address], self._verdict)
            return self._render("trial.html", address, values)
        if address in self._tasks:
            values = task_page(self.site, self._tasks[address], self.languages, self._verdict)
            return self._render("task.html", address, values)
        if address in self.pairs:
            return self._render("pair.html", address, pair_page(self.site, self.pairs[address]))
        if address in self._tops:
            return self._render(address, address, self._tops[address]())
        return None

    def figures(self) -> tuple[Figure, ...]:
        """The figures that pages show; `charts.draw` makes their files."""
        if not self.with_figures:
            return ()
        several = len(self.site.runs) > 1
        reproduced = [
            figure
            for place in self.site.runs
            for figure in reproduction_figures(
                reproduction_rows(place), place.name if several else ""
            )
        ]
        return (*score_figures(self.board.lines), *reproduced, domain_figure(self.site))

    @cached_property
    def slices(self) -> tuple[leaderboard.Slice, ...]:
        """The leaderboards of all filters; the first one has none set."""
        return leaderboard.slices(self.site, self.languages)

    @property
    def board(self) -> leaderboard.Slice:
        """The leaderboard without a filter."""
        return self.slices[0]

    @cached_property
    def pairs(self) -> dict[str, SitePair]:
        """Every pair of arms by the address of its page."""
        return site_pairs(self.site)

    def _verdict_at(self, address: str) -> Verdict | None:
        return verdict_of(self._trials[address])

    def _verdict(self, trial: SiteTrial) -> Verdict | None:
        return self._read(trial.address)

    def _render(self, template: str, address: str, values: Mapping[str, Any]) -> str:
        up = "../" * address.count("/")
        return self._environment.get_template(template).render(
            site=self.site, up=up, here=address, top=TOP, version=__version__, **values
        )

    @property
    def _tops(self) -> dict[str, Callable[[], dict[str, Any]]]:
        return {
            "index.html": self._index,
            "tasks.html": dict,
            "compare.html": lambda: {
                "matrix": matrix(self.site, self.pairs),
                "pairs": list(self.pairs.values()),
            },
            "composition.html": lambda: {
                **composition_page(self.site, self.languages),
                "figures": [one for one in self.figures() if one.name == "domains"],
            },
            "methods.html": lambda: methods_page(self.site, self.board),
        }

    def _index(self) -> dict[str, Any]:
        return {
            "board": self.board,
            "ranges": leaderboard.rank_ranges(self.site, self.board.lines),
            "options": leaderboard.options(self.site, self.languages),
            "conditions": sorted({arm.condition for arm in self.site.arms}),
            "titles": leaderboard.TITLES,
            "figures": [one for one in self.figures() if one.name != "domains"],
            "tables": special_tables(self.site, published=self.published),
            "slices": {"\n".join(one.key): _texts(one) for one in self.slices},
        }


def _texts(one: leaderboard.Slice) -> dict[str, Any]:
    return {
        "tasks": one.tasks,
        "arms": {
            line.arm.slug: [list(line.cells()[name]) for name in leaderboard.COLUMNS]
            for line in one.lines
        },
    }
