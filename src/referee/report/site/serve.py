"""The pages of a site over HTTP on this machine, made anew when a run has gone on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from referee.record.fault import BadInput
from referee.report.site.charts import draw
from referee.report.site.reading import read_site
from referee.report.site.render import Renderer
from referee.report.site.write import ASSETS, asset
from referee.trial.ledger import ledger_head

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""Names under which pages are given: under another, another site asks through a browser."""

_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_KINDS |= {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass
class LiveSite:
    """Pages of runs as they are now. Methods may be called from several threads."""

    runs: Sequence[Path]
    title: str | None = None
    internal: bool = False
    figures: bool = True
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _heads: tuple[str, ...] = ()
    _renderer: Renderer | None = None
    _figures: dict[str, bytes] = field(default_factory=dict)

    def heads(self) -> tuple[str, ...]:
        """The heads of the ledgers now.

        Raises:
            BadInput: a run cannot be read.
        """
        return tuple(ledger_head(run) for run in self.runs)

    def file(self, address: str) -> bytes | None:
        """The bytes at an address; None where there is nothing.

        Raises:
            BadInput: a run or a record cannot be read.
        """
        if address in ASSETS:
            return asset(address)
        with self._lock:
            renderer = self._renew()
            if address.startswith("figures/"):
                return self._figure(renderer, address)
            page = renderer.page(address)
        return None if page is None else page.encode()

    def _renew(self) -> Renderer:
        heads = self.heads()
        if self._renderer is None or heads != self._heads:
            site = read_site(self.runs, title=self.title, internal=self.internal, live=True)
            self._renderer = Renderer(site, with_figures=self.figures)
            self._heads, self._figures = heads, {}
        return self._renderer

    def _figure(self, renderer: Renderer, address: str) -> bytes | None:
        if address not in self._figures:
            for figure in renderer.figures():
                if address in figure.files():
                    self._figures |= draw(figure)
        return self._figures.get(address)


def live_app(live: LiveSite) -> Starlette:
    """An application that serves a live site to browsers on this machine."""

    def head(_: Request) -> Response:
        try:
            return JSONResponse({"heads": live.heads()})
        except BadInput as fault:
            return PlainTextResponse(str(fault), status_code=503)

    def page(request: Request) -> Response:
        address = request.path_params["address"] or "index.html"
        try:
            data = live.file(address)
        except BadInput as fault:
            return PlainTextResponse(str(fault), status_code=503)
        if data is None:
            return PlainTextResponse("there is no such page", status_code=404)
        kind = _KINDS.get(Path(address).suffix, "application/octet-stream")
        headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
        return Response(data, media_type=kind, headers=headers)

    return Starlette(
        routes=[Route("/head.json", head), Route("/{address:path}", page)],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS))],
    )
