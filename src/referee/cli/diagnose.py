"""`referee diagnose`: what artifact work shows, in a run of ours or in released results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.console import print_json, print_table

if TYPE_CHECKING:
    from referee.diagnose.case import Case
    from referee.diagnose.integrity import Standing
    from referee.diagnose.rules import Finding
    from referee.diagnose.run import RunFindings, TrialFindings

_HEADS = ("code", "type", "confidence", "effect", "evidence")
_SAID_BYTES = 64_000_000


def diagnose(
    folder: Annotated[
        Path,
        typer.Argument(help="The folder of a run, or results in the released gwBenchmarks layout."),
    ],
    task: Annotated[
        str | None,
        typer.Option("--task", help="One task of a run; the task of results that do not say it."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", help="One arm of a run; the agent of results that do not say it."),
    ] = None,
    said: Annotated[
        Path | None,
        typer.Option("--said", help="What the agent said last: where its completion line stands."),
    ] = None,
    protocol: Annotated[
        bool,
        typer.Option("--protocol", help="Print the completion checklist instead: no score."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look for integrity violations and for what went wrong at which stage, by fixed rules.

    Exit code 1 if an integrity rule found something; the checklist of the protocol never does.
    """
    if (folder / "run.json").is_file():
        _of_run(folder, task, agent, asked=protocol or said is not None, as_json=as_json)
        return
    from referee.diagnose.case import case_of
    from referee.diagnose.integrity import standing
    from referee.diagnose.published import read_published
    from referee.diagnose.registry import all_rules

    completion = None if said is None else _tail(said)
    case = case_of(read_published(folder, agent=agent, task=task, completion=completion))
    if protocol:
        _print_checklist(folder, case, as_json=as_json)
        return
    rules = all_rules()
    findings = rules.diagnose(case)
    stands = standing(findings)
    if as_json:
        print_json(
            {
                "rules": rules.version,
                "standing": stands.as_json(),
                "findings": [finding.as_json() for finding in findings],
            }
        )
    else:
        print_table(
            f"{folder}: {len(findings)} findings (rules {rules.version})",
            _HEADS,
            [_row(f) for f in findings],
        )
        typer.echo(_sentence(stands))
    if stands.codes:
        raise typer.Exit(1)


def _of_run(folder: Path, task: str | None, arm: str | None, *, asked: bool, as_json: bool) -> None:
    from referee.diagnose.run import diagnose_run
    from referee.record.fault import BadInput

    if asked:
        raise BadInput(
            "--protocol and --said are about the released layout, and this is a run",
            where=folder,
            hint="leave them out",
        )
    found = diagnose_run(folder, task=task, arm=arm)
    if as_json:
        print_json(_run_json(found))
    else:
        _print_run(folder, found)
    if any(trial.standing.codes for trial in found.trials):
        raise typer.Exit(1)


def _run_json(found: RunFindings) -> dict[str, Any]:
    from referee.diagnose.run import stage_counts

    trials = [
        {
            "task": trial.task,
            "arm": trial.arm,
            "attempt": trial.attempt,
            "standing": trial.standing.as_json(),
            "findings": [finding.as_json() for finding in trial.findings],
            "remarks": list(trial.remarks),
        }
        for trial in found.trials
    ]
    return {
        "rules": found.rules,
        "trials": trials,
        "stages": stage_counts(found.trials),
        "withheld": list(found.withheld),
        "other_kinds": found.unread,
    }


def _print_run(folder: Path, found: RunFindings) -> None:
    from referee.diagnose.run import stage_counts

    for trial in found.trials:
        _print_trial(trial)
    counts = stage_counts(found.trials)
    stages = list(next(iter(counts.values()), {}))
    total = sum(len(trial.findings) for trial in found.trials)
    print_table(
        f"{folder}: {total} findings on {len(found.trials)} trials by stage (rules {found.rules})",
        ("arm", *(f"{stage}>" for stage in stages)),
        [[arm, *(str(n) for n in row.values())] for arm, row in counts.items()],
    )
    for path in found.withheld:
        typer.echo(f"{path}: withheld, so that nobody can say anything")
    if found.unread:
        typer.echo(f"{found.unread} trials of other kinds of task were not looked at")


def _print_trial(trial: TrialFindings) -> None:
    name = f"{trial.task}, {trial.arm}, attempt {trial.attempt}"
    if trial.findings:
        print_table(name, _HEADS, [_row(finding) for finding in trial.findings])
    else:
        typer.echo(f"{name}: no findings")
    if trial.standing.codes:
        typer.echo(
            _sentence(trial.standing, "The measure stands, and somebody should look at this.")
        )
    for remark in trial.remarks:
        typer.echo(remark)


def _row(finding: Finding) -> list[str]:
    f = finding
    return [f.code, f.type, f.confidence, f.effect or "", f.evidence]


def _tail(path: Path) -> str:
    """The text of the agent's output."""
    from referee.diagnose.document import read_small

    return read_small(path, _SAID_BYTES)


def _print_checklist(folder: Path, case: Case, *, as_json: bool) -> None:
    from referee.diagnose.protocol import checklist

    found = checklist(case)
    counts = {state: found.count(state) for state in ("met", "not met", "unknown")}
    if as_json:
        print_json({**found.as_json(), "counts": counts})
        return
    rows = [[i.name, i.state, i.wanted, i.found] for i in found.items]
    title = f"{folder}: the protocol of {found.task}"
    print_table(title, ["item", "state", "wanted", "found"], rows)
    typer.echo(
        f"{counts['met']} of {len(found.items)} met, {counts['not met']} not met, "
        f"{counts['unknown']} that this folder cannot show. This is a report, not a score."
    )


def _sentence(stands: Standing, rerun: str = "No rank before a canonical run has decided.") -> str:
    if not stands.valid:
        return "The submission is invalid and has no rank."
    if stands.rerun:
        return rerun
    if stands.claim_accepted:
        return "No integrity rule speaks against the claim."
    return "The claim is rejected; the artifact may stand."
