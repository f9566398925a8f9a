"""`referee judge eval`: a judge beside leaves whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.console import print_json, print_table, status
from referee.cli.progress import progress_bar

if TYPE_CHECKING:
    from referee.author.judge_eval import Asked, JudgeReport
    from referee.judge.reliability import Reliability

app = typer.Typer(help="Measure a judge.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Measure a judge."""


@app.command("eval")
def evaluate(
    suite: Annotated[
        str, typer.Argument(help="A suite of reproduction tasks, or one.")
    ] = "reproduction",
    judge: Annotated[
        str, typer.Option("--judge", help="scripted, recorded:FILE, or a model profile.")
    ] = "scripted",
    tasks: Annotated[str | None, typer.Option("--tasks", help="Ids and ranges of tasks.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Times each leaf is asked.")] = 3,
    least_f1: Annotated[
        float, typer.Option("--least-f1", min=0.0, max=1.0, help="F1 that a judge must reach.")
    ] = 0.8,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask a judge about leaves whose truth the authors know, and print how far it can be trusted.

    Exit code 1 if F1 is too low, or order, container or injected orders moved a verdict; 3 if a
    verdict could not be had.
    """
    from referee.author.judge_eval import judge_eval
    from referee.environment.store import open_store

    found = [t for t in _tasks(suite, tasks) if t.agent.file.referee.kind == "reproduction"]
    with _showing() as on_leaf:
        report = judge_eval(
            open_store(), found, judge, repeats=repeats, say=status, on_leaf=on_leaf
        )
    if as_json:
        print_json(asdict(report))
    else:
        _print(report)
    f1 = report.overall.f1
    if not (f1 is not None and f1 >= least_f1 and report.sound):
        raise typer.Exit(3 if f1 is None else 1)
    if report.errors:
        raise typer.Exit(3)


def _tasks(suite: str, tasks: str | None) -> list[Any]:
    from pathlib import Path

    from referee.task.package import load_task
    from referee.task.suite import resolve_suite, select_labels

    if (Path(suite) / "task.toml").is_file():
        return [load_task(Path(suite))]
    named = resolve_suite(suite)
    return list(named.load(select_labels(named, tasks)))


@contextmanager
def _showing() -> Iterator[Callable[[Asked, int, int], None]]:
    wrong = 0
    with progress_bar("leaves", None, "0 wrong") as (update, line):

        def on_leaf(row: Asked, done: int, planned: int) -> None:
            nonlocal wrong
            wrong += _is_wrong(row)
            update(total=planned, completed=done, counts=f"{wrong} wrong")
            line(f"[{done}/{planned}] {row.task} {row.submission} {row.leaf}: {_words(row)}")

        yield on_leaf


def _is_wrong(row: Asked) -> bool:
    return any(said is not None and said != row.truth for said in row.plain)


def _words(row: Asked) -> str:
    said = ["open" if one is None else str(int(one)) for one in row.plain]
    return f"{', '.join(said)} (truth {int(row.truth)})"


def _print(report: JudgeReport) -> None:
    who = f"{report.judge.model}, asked {report.repeats} times"
    heads = ["leaves about", "verdicts>", "accuracy>", "precision>", "recall>", "F1>"]
    heads += ["flips>", "errors>"]
    rows = [[name, *_cells(one)] for name, one in report.categories.items()]
    macro = "-" if report.macro_f1 is None else f"{report.macro_f1:.3f}"
    rows += [["mean of these", "", "", "", "", macro, "", ""], ["all", *_cells(report.overall)]]
    print_table(f"JudgeEval: {who}", heads, rows)
    told = {
        "another order": report.order,
        "another container of the data": report.containers,
        "orders in the candidate's files (false leaves)": report.injected,
        "orders, to no verdict at all": report.silenced,
    }
    cells = [[name, f"{part.count}/{part.of}"] for name, part in told.items()]
    print_table("Verdicts that were moved by", ["", "leaves>"], cells)
    for reason, count in report.errors.items():
        typer.echo(f"withheld: {reason} {count}")
    wrong = [row for row in report.leaves if _is_wrong(row)]
    if wrong:
        shown = [[r.task, r.submission, r.leaf, _words(r)] for r in wrong]
        print_table("Wrong", ["task!", "submission", "leaf", "said"], shown)


def _cells(one: Reliability) -> list[str]:
    rates = (one.accuracy, one.precision, one.recall, one.f1, one.flip_rate, one.error_rate)
    return [
        f"{one.verdicts}/{one.asked}",
        *("-" if rate is None else f"{rate:.3f}" for rate in rates),
    ]
