"""The simple index: which files a project has, and where."""

from __future__ import annotations

import json
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

from packaging.utils import canonicalize_name

from referee.environment.fetch import Absent, Offline, read_page

_JSON = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON}, application/vnd.pypi.simple.v1+html;q=0.3, text/html;q=0.2"


def links_of(place: str, project: str | None, authorities: str | None) -> dict[str, str]:
    """File name -> address of each file that an index lists for `project`, or that a folder or
    page of links holds (`project` None).

    Raises:
        Absent: the index does not know the project, or the folder does not exist.
        Offline: it cannot be reached, or answers what is no index.
    """
    if (folder := _local(place)) is not None:
        return _local_links(folder, project, authorities)
    url = place if project is None else f"{place.rstrip('/')}/{canonicalize_name(project)}/"
    body, kind, final = read_page(url, _ACCEPT, authorities)
    return _with_password(parse_links(body, kind, final), place)


def parse_links(body: bytes, kind: str, base: str) -> dict[str, str]:
    """File name -> address in an index page of content type `kind` at address `base`.

    Raises:
        Offline: the JSON is not that of an index (a login page in between, perhaps).
    """
    if kind == _JSON:
        try:
            rows = [(str(row["filename"]), str(row["url"])) for row in json.loads(body)["files"]]
        except (ValueError, KeyError, TypeError) as error:
            raise Offline(f"{base} does not answer as a package index") from error
        return {name: urllib.parse.urljoin(base, url) for name, url in rows}
    parser = _Anchors()
    parser.feed(body.decode("utf-8", "replace"))
    links = {}
    for href in parser.hrefs:
        url = urllib.parse.urldefrag(urllib.parse.urljoin(parser.base or base, href)).url
        links[urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])] = url
    return links


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.hrefs.append(href)
        elif tag == "base" and href:
            self.base = href


def _local(place: str) -> Path | None:
    parts = urllib.parse.urlsplit(place)
    if parts.scheme == "file":
        return Path(urllib.parse.unquote(parts.path))
    return Path(place) if not parts.scheme else None


def _local_links(folder: Path, project: str | None, authorities: str | None) -> dict[str, str]:
    if project is not None:
        folder = folder / canonicalize_name(project)
        page = folder / "index.html"
        if page.is_file():
            return parse_links(page.read_bytes(), "text/html", page.as_uri())
    if folder.is_file():
        return parse_links(folder.read_bytes(), "text/html", folder.absolute().as_uri())
    try:
        return {p.name: p.absolute().as_uri() for p in folder.iterdir() if p.is_file()}
    except OSError as error:
        raise Absent(str(error)) from error


def _with_password(links: dict[str, str], place: str) -> dict[str, str]:
    """Files on the index's own host are asked for with the index's user and password."""
    whole = urllib.parse.urlsplit(place)
    if not whole.username:
        return links
    own = whole.netloc.rpartition("@")
    result = {}
    for name, url in links.items():
        parts = urllib.parse.urlsplit(url)
        if parts.netloc == own[2]:
            url = urllib.parse.urlunsplit(parts._replace(netloc=whole.netloc))
        result[name] = url
    return result
