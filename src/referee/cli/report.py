"""`referee report`: the results of runs as pages that open without a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from referee.report.site.model import Site


def report(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more runs.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    title: Annotated[str | None, typer.Option("--title", help="What stands above it.")] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw figures (extra `report`).")
    ] = True,
    suite: Annotated[
        str | None,
        typer.Option("--suite", help="The suite's name or folder, if it is not to be found."),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Also what arXiv 2608.19799 reports, so marked.")
    ] = False,
    internal: Annotated[
        bool,
        typer.Option(
            "--internal",
            help="Also show what only evaluators may see: names and messages of private checks, "
            "submissions of references, mutants and baselines. Do not publish that.",
        ),
    ] = False,
) -> None:
    """Write a static site: leaderboard, tasks and trials, from the records alone."""
    from referee.report.site.reading import read_site
    from referee.report.site.render import Renderer
    from referee.report.site.write import require_replaceable, write_site

    require_replaceable(out)
    site = read_site(runs, title=title, internal=internal)
    renderer = Renderer(site, task_languages(site, suite), figures, published)
    pages = write_site(renderer, out)
    typer.echo(f"wrote {pages} pages: open {out / 'index.html'}")


def task_languages(site: Site, suite: str | None) -> dict[str, tuple[str, ...]]:
    """The languages of the site's tasks, from the packages that the runs were made with; those of
    the run's own suite are looked for unless one is named.

    Raises:
        BadInput: the suite that is named cannot be found.
    """
    from referee.task.selection import languages_at
    from referee.task.suite import find_suites, resolve_suite

    (plan, *_) = site.runs.values()
    digests = {task.task_id: task.task_digest for task in site.tasks}
    if suite is not None:
        return languages_at(resolve_suite(suite), digests)
    named = [found for found in find_suites() if found.table.name == plan.suite.name]
    return languages_at(named[0], digests) if named else {}
