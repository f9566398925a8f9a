"""Writes a site as files: a whole one, or none."""

from __future__ import annotations

import shutil
import tempfile
from importlib.resources import files
from pathlib import Path

from referee.record.fault import BadInput
from referee.report.site.charts import draw
from referee.report.site.render import Renderer

MARKER = "referee-site.txt"
_SAID = "Made by `referee report`, which may replace this folder.\n"
ASSETS = ("site.css", "site.js")


def asset(name: str) -> bytes:
    """One of our files that every page takes."""
    return files("referee.report.site").joinpath("static", name).read_bytes()


def write_site(renderer: Renderer, out: Path) -> int:
    """Write all pages below `out`, and return how many. A folder that is there is replaced if
    `referee report` made it, and only when the new one is whole.

    Raises:
        BadInput: `out` holds something else, or cannot be written; or a record cannot be read.
    """
    require_replaceable(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", where=out) from error
    try:
        pages = _fill(renderer, place)
        place.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        place.rename(out)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return pages


def require_replaceable(out: Path) -> None:
    """Refuse a place that holds something that no `referee report` made.

    Raises:
        BadInput: it does.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise BadInput("is not a folder", where=out, hint="choose another --out")
    if out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file():
        raise BadInput(
            "the folder is not empty, and no report made it", where=out, hint="choose another --out"
        )


def _fill(renderer: Renderer, place: Path) -> int:
    (place / MARKER).write_text(_SAID, encoding="utf-8")
    for name in ASSETS:
        (place / name).write_bytes(asset(name))
    for figure in renderer.figures():
        for address, data in draw(figure).items():
            (place / address).parent.mkdir(exist_ok=True)
            (place / address).write_bytes(data)
    pages = 0
    for address in renderer.addresses():
        page = renderer.page(address)
        if page is None:
            raise ValueError(f"{address} is an address without a page")
        target = place / address
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
        pages += 1
    return pages
