"""What the pages of a site are made of: arms, tasks and trials, as the records have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import ascii_uppercase

from referee.metric.counts import TrialCounts
from referee.record.plan import Arm, RunPlan, SelectedTask
from referee.record.trial import Trial

Key = tuple[str, str, int]
"""Task, arm (by its name in the site) and attempt."""


@dataclass(frozen=True)
class SiteArm:
    """An arm of one of the runs. `name` is what tables call it, `slug` its name in addresses,
    `letter` what stands for it in figures."""

    name: str
    slug: str
    letter: str
    arm: Arm
    run: Path

    @property
    def condition(self) -> str:
        """Its condition as `factor=level, ...`, or an empty text."""
        return self.arm.condition_text


@dataclass(frozen=True)
class SiteTrial:
    """A recorded trial: `folder` is its record, `counts` what it came to, `verdicts` the digests
    of its verdicts in the order of gradings."""

    key: Key
    arm: SiteArm
    folder: Path
    trial: Trial
    counts: TrialCounts
    verdicts: tuple[str, ...]
    record_digest: str

    @property
    def address(self) -> str:
        """Its page, from the top of the site."""
        task, _, attempt = self.key
        return f"trials/{task}/{self.arm.slug}/{attempt}.html"

    @cached_property
    def state(self) -> tuple[str, str]:
        """A letter and a word for what it came to; a share of private checks stands in the word."""
        if not self.counts.scored:
            return "W", "withheld"
        if not self.counts.has_checks:
            made = self.trial.reproduction
            complete = made is not None and made.complete is True
            return ("C", "complete") if complete else ("R", "not complete")
        if self.counts.scores()["pass1"] == 1.0:
            return "P", "passed"
        return ("S", "some private checks passed") if self.counts.private[0] else ("F", "failed")


@dataclass(frozen=True)
class Site:
    """Runs of one contest. `internal` says that what only evaluators may see is shown too."""

    title: str
    runs: Mapping[Path, RunPlan]
    heads: Mapping[Path, str]
    sealed: Mapping[Path, bool]
    arms: tuple[SiteArm, ...]
    tasks: tuple[SelectedTask, ...]
    attempts: Mapping[str, int]
    trials: Mapping[Key, SiteTrial]
    internal: bool = False
    live: bool = False

    def of(self, task: str, arm: str) -> tuple[SiteTrial | None, ...]:
        """The trials of an arm at a task, attempt by attempt; None for one that is pending."""
        return tuple(
            self.trials.get((task, arm, n)) for n in range(1, self.attempts.get(arm, 0) + 1)
        )


def letter_of(place: int) -> str:
    """A to Z, then AA, AB, ...: the sign of the arm at a place in a figure."""
    high, low = divmod(place, len(ascii_uppercase))
    return (letter_of(high - 1) if high else "") + ascii_uppercase[low]


def slugs(names: list[tuple[str, str]]) -> list[str]:
    """Names of arms for addresses, out of (name in its run, name in tables); where two runs share
    one (letters' case aside), a number follows after a sign that no name of an arm can have."""
    found: list[str] = []
    seen: dict[str, int] = {}
    for plain, _ in names:
        key = plain.casefold()
        seen[key] = seen.get(key, 0) + 1
        found.append(plain if seen[key] == 1 else f"{plain}~{seen[key]}")
    return found
