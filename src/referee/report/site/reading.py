"""From the folders of runs to a `Site`, through the same functions as tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.metric.counts import TrialCounts
from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.trial import Trial
from referee.record.verdict import Verdict
from referee.report.site.model import Key, Site, SiteArm, SiteTrial, letter_of, slugs
from referee.report.table import arm_names, renamed, require_same_contest
from referee.trial.index import load_plan, trial_counts
from referee.trial.layout import TRIAL_FILE, read_run, trial_entries, verdict_path


def read_site(
    runs: Sequence[Path], *, title: str | None = None, internal: bool = False, live: bool = False
) -> Site:
    """Everything that pages need but verdicts, which are read one by one.

    Raises:
        BadInput: no run, a damaged one, or runs that cannot share a table.
    """
    plans = {place: load_plan(place) for place in dict.fromkeys(runs)}
    if not plans:
        raise BadInput("no run was named", hint="give the folder of a run")
    require_same_contest(plans)
    arms = _arms(plans)
    named = {(one.run, one.arm.name): one for one in arms}
    heads, sealed, trials = {}, {}, {}
    for place in plans:
        _, text = read_run(place)
        heads[place] = text.head
        sealed[place] = text.lines[-1].kind == "seal"
        counts = {(c.task_id, c.arm, c.attempt): c for c in trial_counts(place)}
        for key, entry in sorted(trial_entries(text.lines).items()):
            if key not in counts:  # recorded after the counts were read: the next time has it
                continue
            arm = named[place, key[1]]
            made = _trial(place, arm, key, entry.path, counts[key], entry.verdicts, entry.digest)
            trials[made.key] = made
    (plan, *_) = plans.values()
    return Site(
        title=title or f"Results of the suite {plan.suite.name}",
        runs=plans,
        heads=heads,
        sealed=sealed,
        arms=arms,
        tasks=tuple(sorted(plan.selection, key=lambda task: task.task_id)),
        attempts={one.name: plans[one.run].attempts for one in arms},
        trials=trials,
        internal=internal,
        live=live,
    )


def verdict_of(trial: SiteTrial) -> Verdict | None:
    """The verdict that tables count, which is the first with a score; else the first of all, which
    leaves something open; None for a trial that was never graded.

    Raises:
        BadInput: a verdict cannot be read.
    """
    found: Verdict | None = None
    for digest in trial.verdicts:
        verdict = load_record(trial.folder / verdict_path(digest), Verdict)
        made = verdict.reproduction
        if verdict.scores is not None or (made is not None and made.total.score is not None):
            return verdict
        found = found or verdict
    return found


def _arms(plans: dict[Path, RunPlan]) -> tuple[SiteArm, ...]:
    names = arm_names(plans)
    every = [(place, arm) for place, plan in plans.items() for arm in plan.arms]
    ways = slugs([(arm.name, names[place][arm.name]) for place, arm in every])
    return tuple(
        SiteArm(names[place][arm.name], slug, letter_of(n), arm, place)
        for n, ((place, arm), slug) in enumerate(zip(every, ways, strict=True))
    )


def _trial(
    place: Path,
    arm: SiteArm,
    key: Key,
    path: str,
    counts: TrialCounts,
    verdicts: tuple[str, ...],
    digest: str,
) -> SiteTrial:
    folder = place / path
    trial = load_record(folder / TRIAL_FILE, Trial)
    ours = renamed(counts, {key[1]: arm.name})
    return SiteTrial((key[0], arm.name, key[2]), arm, folder, trial, ours, verdicts, digest)
