"""`referee report`: the results of runs as pages that open without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more runs.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    title: Annotated[str | None, typer.Option("--title", help="What stands above it.")] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw figures (extra `report`).")
    ] = True,
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
    pages = write_site(Renderer(site, with_figures=figures, published=published), out)
    typer.echo(f"wrote {pages} pages: open {out / 'index.html'}")
