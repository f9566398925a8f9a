"""`referee grade`: one patch, one verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table, status
from referee.cli.sizes import Data, read_size

if TYPE_CHECKING:
    from referee.record.measure import Measure
    from referee.record.verdict import Verdict


def grade(
    task: Annotated[str, typer.Argument(help="A task: its folder, or suite/id.")],
    patch: Annotated[Path, typer.Option("--patch", help="A patch file, as git diff writes it.")],
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the private inputs.")] = None,
    data: Data = "small",
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Grade one patch in fresh sandboxes.

    Exit code 0 if every private and regression check passed, 1 if not, 3 if the machine failed.
    """
    import secrets

    from referee.environment.store import open_store
    from referee.task.suite import resolve_task
    from referee.trial.grade_one import grade_patch

    loaded = resolve_task(task)
    size = read_size(data)
    given = _read(patch)
    chosen = secrets.randbits(63) if seed is None else seed
    submission, verdict = grade_patch(
        open_store(), loaded, given, seed=chosen, size=size, say=status
    )
    if as_json:
        print_json({**verdict.as_json(), "seed": chosen})
    elif submission.refusal is not None:
        refusal = submission.refusal
        place = f" at {refusal.path}" if refusal.path else ""
        typer.echo(f"refused ({refusal.reason}{place}): {refusal.detail}; every check has failed")
    else:
        _print(verdict, chosen)
    if verdict.scores.pass1 != 1:
        raise typer.Exit(1)


def _read(patch: Path) -> bytes:
    from referee.record.fault import BadInput

    try:
        return patch.read_bytes()
    except OSError as error:
        raise BadInput(
            f"the patch cannot be read ({error.strerror})", where=patch, hint="give a patch file"
        ) from error


def _measured(measure: Measure) -> str:
    units = "" if measure.units == "1" else f" {measure.units}"
    value = "no value" if measure.value is None else f"{measure.value:.6g}{units}"
    required = ""
    if measure.requirement is not None and measure.valid:
        word = "reaches" if measure.met else "does not reach"
        required = f", which {word} the required {measure.requirement:.6g}"
    valid = (
        "" if measure.valid else "; the artifact did not keep to its contract, so it has no rank"
    )
    return f"{measure.name}: {value}{required}{valid}"


def _print(verdict: Verdict, seed: int) -> None:
    rows = [
        [c.id, c.contract or "", c.outcome, c.reason or "", "yes" if c.baseline_passed else "no"]
        for c in verdict.checks
        if not (c.kind == "regression" and c.passed)
    ]
    kept = sum(c.kind == "regression" and c.passed for c in verdict.checks)
    heads = ["check", "contract", "outcome", "reason", "passed before"]
    print_table(f"{verdict.task_id} (seed {seed})", heads, rows)
    if kept:
        typer.echo(f"{kept} regression checks passed, not listed")
    if verdict.measure is not None:
        typer.echo(_measured(verdict.measure))
    scores = verdict.scores
    typer.echo(
        f"PublicScore {scores.public:.3f}  PrivateScore {scores.private:.3f}  "
        f"Fail2Pass {scores.fail2pass:.3f}  Pass2Pass {scores.pass2pass:.3f}  "
        f"Pass@1 {scores.pass1}"
    )
