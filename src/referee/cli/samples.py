"""`referee samples`: the single samples of the artifact tasks of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.console import print_json, print_table

if TYPE_CHECKING:
    from referee.report.samples import TaskSamples


def samples(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    published: Annotated[
        bool, typer.Option("--published", help="Also the published values of gwBenchmarks.")
    ] = False,
    worst: Annotated[
        int, typer.Option("--worst", min=0, help="Also so many of each arm's worst samples.")
    ] = 0,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", help="Write a figure of each task here, as SVG and PNG."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print where the single samples of each arm lie: median, 5th and 95th percentile.

    Everything comes from the records of the run.
    """
    from referee.report.samples import as_json as plain
    from referee.report.samples import samples_of_run

    tasks = samples_of_run(run, published=published, worst=worst)
    files = [] if figures is None else _figures(figures, tasks)
    if as_json:
        print_json({"tasks": [plain(task) for task in tasks], "figures": files})
        return
    for task in tasks:
        _print(task)
    for file in files:
        typer.echo(f"wrote {file}")


def _print(task: TaskSamples) -> None:
    from referee.report import samples as shown

    print_table(shown.title(task), shown.HEADS, shown.cells(task))
    for sentence in shown.remarks(task):
        typer.echo(sentence)
    if worst := shown.worst_cells(task):
        print_table("", shown.WORST_HEADS, worst)
    if task.published is not None:
        print_table("", shown.PUBLISHED_HEADS, shown.published_cells(task))
        for sentence in shown.published_remarks(task):
            typer.echo(sentence)
    typer.echo("")


def _figures(folder: Path, tasks: tuple[TaskSamples, ...]) -> list[str]:
    from referee.report.figures import write_figures

    return [str(path) for path in write_figures(tasks, folder)]
