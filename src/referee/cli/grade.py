"""`referee grade`: one patch, one verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table, status
from referee.cli.judging import Judge
from referee.cli.sizes import Data, read_size

if TYPE_CHECKING:
    from referee.record.measure import Measure
    from referee.record.reproduction import Reproduction
    from referee.record.verdict import Verdict


def grade(
    task: Annotated[str, typer.Argument(help="A task: its folder, or suite/id.")],
    patch: Annotated[Path, typer.Option("--patch", help="A patch file, as git diff writes it.")],
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the private inputs.")] = None,
    data: Data = "small",
    judge: Judge = None,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", help="Folder that gets what a replay froze; it must be new."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Grade one patch in fresh sandboxes.

    Exit code 0 if every private and regression check passed or a reproduction is complete, 1 if
    not, 3 if the machine failed or leaves stay open.
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
        open_store(),
        loaded,
        given,
        seed=chosen,
        size=size,
        judge=judge,
        evidence=_new_folder(evidence),
        say=status,
    )
    if as_json:
        print_json({**verdict.as_json(), "seed": chosen})
    elif submission.refusal is not None:
        refusal = submission.refusal
        place = f" at {refusal.path}" if refusal.path else ""
        lost = "every check has failed" if verdict.reproduction is None else "every leaf is 0"
        typer.echo(f"refused ({refusal.reason}{place}): {refusal.detail}; {lost}")
    elif verdict.reproduction is not None:
        _print_reproduction(verdict.task_id, verdict.reproduction)
    else:
        _print(verdict, chosen)
    if verdict.reproduction is not None and verdict.reproduction.withheld:
        raise typer.Exit(3)
    if not verdict.passed:
        raise typer.Exit(1)


def _new_folder(path: Path | None) -> Path | None:
    from referee.record.fault import BadInput

    if path is None:
        return None
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        raise BadInput("evidence needs a folder of its own", where=path, hint="name one") from None
    except OSError as error:
        raise BadInput(f"cannot be made ({error.strerror})", where=path) from error
    return path


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
    scores = verdict.check_scores
    typer.echo(
        f"PublicScore {scores.public:.3f}  PrivateScore {scores.private:.3f}  "
        f"Fail2Pass {scores.fail2pass:.3f}  Pass2Pass {scores.pass2pass:.3f}  "
        f"Pass@1 {scores.pass1}"
    )


def _print_reproduction(task: str, made: Reproduction) -> None:
    from fractions import Fraction

    rows = [
        [
            leaf.id,
            leaf.category,
            f"{100 * float(Fraction(leaf.share)):.2f}",
            leaf.by,
            "open" if leaf.score is None else f"{float(Fraction(leaf.score)):.3g}",
            leaf.reason or "",
        ]
        for leaf in made.leaves
    ]
    print_table(task, ["leaf", "category", "points>", "by", "score>", "reason"], rows)
    reason = f" ({made.replay.reason})" if made.replay.reason else ""
    typer.echo(f"replay {made.replay.status}{reason}")
    if made.judge is not None:
        stand_in = " (written rules, no model)" if made.judge.stand_in else ""
        typer.echo(f"judged by {made.judge.model}{stand_in}")
    low, high = float(Fraction(made.total.low)), float(Fraction(made.total.high))
    if made.total.score is None:
        typer.echo(f"R lies in {low:.4f} to {high:.4f}: {len(made.withheld)} leaves are open")
    else:
        typer.echo(f"R = {low:.4f} ({made.total.score})")
