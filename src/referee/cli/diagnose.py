"""`referee diagnose`: what an artifact agent's own account of its work shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.console import print_json, print_table


def diagnose(
    folder: Annotated[Path, typer.Argument(help="Results in the released layout of gwBenchmarks.")],
    task: Annotated[
        str | None, typer.Option("--task", help="The task, where the files do not say it.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="The agent, where the files do not say it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look for integrity violations and for what went wrong at which stage, by fixed rules.

    Exit code 1 if an integrity rule found something.
    """
    from referee.diagnose.case import case_of
    from referee.diagnose.integrity import standing
    from referee.diagnose.published import read_published
    from referee.diagnose.registry import all_rules

    rules = all_rules()
    case = case_of(read_published(folder, agent=agent, task=task))
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


def _sentence(valid: bool, accepted: bool, rerun: bool) -> str:
    if not valid:
        return "The submission is invalid and has no rank."
    if rerun:
        return "No rank before a canonical run has decided."
    if accepted:
        return "No integrity rule speaks against the claim."
    return "The claim is rejected; the artifact may stand."
