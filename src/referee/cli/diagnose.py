"""`referee diagnose`: what an artifact agent's own account of its work shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table

if TYPE_CHECKING:
    from referee.diagnose.case import Case

_SAID_BYTES = 64_000_000


def diagnose(
    folder: Annotated[Path, typer.Argument(help="Results in the released layout of gwBenchmarks.")],
    task: Annotated[
        str | None, typer.Option("--task", help="The task, where the files do not say it.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="The agent, where the files do not say it.")
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
                "standing": vars(stands),
                "findings": [finding.as_json() for finding in findings],
            }
        )
    else:
        rows = [[f.code, f.type, f.confidence, f.effect or "", f.evidence] for f in findings]
        heads = ["code", "type", "confidence", "effect", "evidence"]
        print_table(f"{folder}: {len(findings)} findings (rules {rules.version})", heads, rows)
        typer.echo(_sentence(stands.valid, stands.claim_accepted, stands.rerun))
    if any(finding.effect is not None for finding in findings):
        raise typer.Exit(1)


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


def _sentence(valid: bool, accepted: bool, rerun: bool) -> str:
    if not valid:
        return "The submission is invalid and has no rank."
    if rerun:
        return "No rank before a canonical run has decided."
    if accepted:
        return "No integrity rule speaks against the claim."
    return "The claim is rejected; the artifact may stand."
