"""From a `Site` to its pages, one by one: the same for files and for a server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from referee import __version__
from referee.record.verdict import Verdict
from referee.report.site import leaderboard, text
from referee.report.site.model import Site, SiteTrial
from referee.report.site.reading import verdict_of
from referee.report.site.task_page import task_page
from referee.report.site.trial_page import trial_page

TOP = (("index.html", "Leaderboard"), ("tasks.html", "Tasks"))


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
    """The pages of one site. `languages` are those of tasks, where their packages are known."""

    site: Site
    languages: Mapping[str, Sequence[str]] = field(default_factory=dict)

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
        if address == "index.html":
            return self._render("index.html", address, self._index())
        if address == "tasks.html":
            return self._render("tasks.html", address, {"languages": self.languages})
        return None

    def _verdict_at(self, address: str) -> Verdict | None:
        return verdict_of(self._trials[address])

    def _verdict(self, trial: SiteTrial) -> Verdict | None:
        return self._read(trial.address)

    def _render(self, template: str, address: str, values: Mapping[str, Any]) -> str:
        up = "../" * address.count("/")
        return self._environment.get_template(template).render(
            site=self.site, up=up, here=address, top=TOP, version=__version__, **values
        )

    def _index(self) -> dict[str, Any]:
        every = leaderboard.slices(self.site, self.languages)
        whole = every[0]
        conditions = sorted({arm.condition for arm in self.site.arms})
        return {
            "board": whole,
            "ranges": leaderboard.rank_ranges(self.site, whole.lines),
            "options": leaderboard.options(self.site, self.languages),
            "conditions": conditions,
            "titles": leaderboard.TITLES,
            "slices": {"\n".join(one.key): _texts(one) for one in every},
        }


def _texts(one: leaderboard.Slice) -> dict[str, Any]:
    return {
        "tasks": one.tasks,
        "arms": {
            line.arm.slug: [list(line.cells()[name]) for name in leaderboard.COLUMNS]
            for line in one.lines
        },
    }
