"""`referee task new|screen|freeze|abstract|validate|leaks`: an author makes and proves a task."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table, size_text, status
from referee.cli.progress import progress_bar
from referee.record.fault import BadInput

if TYPE_CHECKING:
    from referee.author.evidence import EvidenceLine
    from referee.author.validate import Settings
    from referee.author.validation import CaseRow, Validation
    from referee.environment.store import Store
    from referee.task.package import TaskPackage

Folder = Annotated[Path, typer.Argument(help="The folder of a task.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make, such as 079-my-task.")],
    as_json: Json = False,
) -> None:
    """Make the folder of a new task; it loads once it is filled in."""
    from referee.author.scaffold import new_task

    files = new_task(folder)
    if as_json:
        print_json({"folder": str(folder), "files": list(files)})
        return
    for name in files:
        typer.echo(f"{folder}/{name}")
    typer.echo(f"fill in what is empty; `referee task check {folder}` says what is missing")


def screen(
    task: Folder,
    why: Annotated[str | None, typer.Option("--why", help="Why it is not trivial.")] = None,
    as_json: Json = False,
) -> None:
    """Stage 1: record provenance, licence, why the task is worth asking, and what it overlaps."""
    from referee.author.screen import screen_task

    store, loaded = _opened(task)
    _say_line(screen_task(store, loaded, why, status), as_json)


def freeze(task: Folder, as_json: Json = False) -> None:
    """Stage 2: snapshot and lock by hash; reproduce.py must show the anomaly in the sandbox."""
    from referee.author.freeze import freeze_task

    store, loaded = _opened(task)
    _say_line(freeze_task(store, loaded, status), as_json)


def abstract(task: Folder, as_json: Json = False) -> None:
    """Stage 3: measure what the public package gives away, and refuse above a threshold."""
    from referee.author.abstract import abstract_task

    store, loaded = _opened(task)
    _say_line(abstract_task(store, loaded, status), as_json)


def leaks(task: Folder, as_json: Json = False) -> None:
    """Search the whole sandbox of an agent for hidden material and other releases.

    Exit code 1 if anything is found.
    """
    from referee.author.leaks import find_leaks

    store, loaded = _opened(task)
    report = find_leaks(store, loaded, status)
    if as_json:
        rows = [{"kind": x.kind, "where": x.where, "what": x.what} for x in report.leaks]
        found = {"task": loaded.label, "files": report.files, "bytes": report.bytes}
        print_json({**found, "leaks": rows, "without_canary": list(report.silent)})
    else:
        if report.leaks:
            rows_ = [[x.kind, x.where, x.what] for x in report.leaks]
            print_table(f"{loaded.label}: leaks", ["kind", "where", "what"], rows_)
        for name in report.silent:
            typer.echo(f"{name} carries no canary, so the search could not find it")
        typer.echo(f"{len(report.leaks)} leaks in {report.files} files ({size_text(report.bytes)})")
    if report.leaks or report.silent:
        raise typer.Exit(1)


def _opened(task: Path) -> tuple[Store, TaskPackage]:
    from referee.environment.store import open_store
    from referee.task.package import load_task

    return open_store(), load_task(task)


def _say_line(line: EvidenceLine, as_json: bool) -> None:
    if as_json:
        print_json(line.as_json())
        return
    rows = [[name, _short(value)] for name, value in line.facts.items()]
    print_table(f"{line.stage}: passed at {line.when}", ["fact", ""], rows)


def _short(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, dict):
        return "\n".join(f"{key}: {inner}" for key, inner in value.items())
    return str(value)


def validate(
    task: Folder,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Gradings at a time.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Repeats of each check.")] = 3,
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=2**63 - 1)] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One repeat, 8 mutants; does not count.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Grade these cases alone; keeps nothing.")
    ] = None,
    reuse: Annotated[
        bool, typer.Option("--reuse", help="Grade only what changed since the last validation.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Also write the outcome here.")] = None,
    as_json: Json = False,
) -> None:
    """Prove that the checks pass every right repair and catch every wrong one.

    Exit code 0 if they do, 1 if something fell short, 3 if the machine failed.
    """
    from referee.author.validate import validate_task
    from referee.record.atomic import write_atomic

    if reuse and (quick or only or seed is not None):
        raise BadInput(
            "--reuse takes the seed and the cases of the last validation",
            hint="leave out --quick, --only and --seed",
        )
    settings = replace(settings_of(jobs, repeats, seed, quick, only), reuse=reuse)
    store, loaded = _opened(task)
    with show_rows() as on_row:
        done = validate_task(store, loaded, settings, say=status, on_row=on_row)
    if out is not None:
        write_atomic(out, done.model_dump_json(indent=1).encode() + b"\n")
    if as_json:
        print_json(done.as_json())
    else:
        _print(done)
    if not done.passed:
        raise typer.Exit(3 if done.machine_failed else 1)


def settings_of(
    jobs: int | None,
    repeats: int,
    seed: int | None,
    quick: bool,
    only: list[str] | None,
    keep: bool = True,
) -> Settings:
    """What the options of a validation say; jobs and seed are chosen if they are not given."""
    import secrets

    from referee.author.validate import Settings

    return Settings(
        seed=secrets.randbits(32) if seed is None else seed,
        repeats=1 if quick else repeats,
        jobs=jobs or len(os.sched_getaffinity(0)),
        quick=quick,
        only=tuple(only or ()),
        keep=keep,
    )


@contextmanager
def show_rows() -> Iterator[Callable[[CaseRow, int, int], None]]:
    """A progress bar on standard error; one line per case where that is no terminal."""
    lock = threading.Lock()
    short = 0
    with progress_bar("cases", None, "0 fell short") as (update, line):

        def on_row(row: CaseRow, done: int, planned: int) -> None:
            nonlocal short
            with lock:
                short += row.problem is not None
                update(total=planned, completed=done, counts=f"{short} fell short")
                again = f", graded again after {row.again}" if row.again else ""
                line(f"[{done}/{planned}] {row.id}: {_outcome(row)}{again} ({row.seconds:.1f} s)")

        yield on_row


def _outcome(row: CaseRow) -> str:
    if row.problem is not None:
        return f"fell short: {row.problem}"
    if row.score is not None:
        return f"R = {row.score}"
    if row.scores is None:
        return "withheld" if row.withheld else row.note or "not counted"
    return "passed" if row.scores.pass1 else f"caught by {len(row.caught_by)}"


def _print(done: Validation) -> None:
    if any(row.expected is not None for row in done.rows):
        _print_known(done)
        return
    kinds = list(dict.fromkeys(row.kind for row in done.rows))
    rows = []
    for kind in kinds:
        of = [row for row in done.rows if row.kind == kind]
        short = sum(row.problem is not None for row in of)
        passed = sum(row.scores is not None and row.scores.pass1 == 1 for row in of)
        seconds = sum(row.seconds for row in of)
        rows.append([kind, str(len(of)), str(passed), str(short), f"{seconds:.0f}"])
    heads = ["cases", "graded>", "Pass@1>", "fell short>", "seconds>"]
    print_table(f"{done.task}: {done.mode} validation, seed {done.seed}", heads, rows)
    if done.mode == "partial":
        _print_catches(done)
    else:
        heads = ["contract", "checks>", "wrong repairs caught>", "by nothing else>"]
        shown = [[c.name, str(c.checks), str(c.caught), str(c.only)] for c in done.contracts]
        print_table("What the contracts catch", heads, shown)
    score = done.mutation
    if score.adjusted is not None:
        real = score.graded - score.equivalent
        typer.echo(
            f"mutation score {score.adjusted:.3f}: {score.caught} of {real} generated mutants "
            f"caught, {score.equivalent} more judged equivalent"
        )
    for row in done.rows:
        if row.note is not None and row.kind == "generated" and not row.caught:
            typer.echo(f"{row.id}: {row.note}: {row.what}")
    for note in done.notes:
        typer.echo(note)
    _print_problems(done)
    typer.echo(_conclusion(done))


def _print_known(done: Validation) -> None:
    heads = ["submission", "expected>", "R>", "seconds>"]
    cells = [
        [row.id, row.expected or "", row.score or "open", f"{row.seconds:.1f}"] for row in done.rows
    ]
    print_table(f"{done.task}: {done.mode} validation", heads, cells)
    _print_problems(done)
    typer.echo(_conclusion(done))


def _print_problems(done: Validation) -> None:
    if done.problems:
        heads = ["case", "what fell short", "shows it again"]
        print_table("Fell short", heads, [[p.row, p.what, p.command] for p in done.problems])


def _print_catches(done: Validation) -> None:
    heads = ["case", "not passed"]
    rows = [[row.id, name] for row in done.rows for name in row.caught_by or ("",)]
    print_table("What did not pass", heads, rows)


def _conclusion(done: Validation) -> str:
    if not done.passed:
        return f"{len(done.problems)} things fell short"
    if done.mode == "full":
        reused = f", {done.reused} of {len(done.rows)} gradings taken over" if done.reused else ""
        return f"validated in {done.seconds:.0f} s{reused}"
    return f"nothing fell short in {done.seconds:.0f} s; a {done.mode} validation does not count"
