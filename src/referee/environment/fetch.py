"""Reading addresses: http(s) with the user's proxies, certificates and passwords, and file://."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import netrc
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from referee.environment.progress import Say, megabytes

_TIMEOUT_S = 60.0
_TRIES = 3
_BLOCK = 1 << 18
_T = TypeVar("_T")


class Offline(Exception):
    """The other side cannot be reached."""


class Absent(Exception):
    """The other side was reached and does not have it (404, 403, 410, or no such file)."""


def split_password(url: str) -> tuple[str, str | None]:
    """An address without user and password, and the `Authorization` header that they make; where
    the address has none, the user's netrc file is asked."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https"):
        return url, None
    user, password = parts.username, parts.password or ""
    if user is None:
        user, password = _from_netrc(parts.hostname or "")
    else:
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    if not user:
        return urllib.parse.urlunsplit(parts), None
    plain = f"{urllib.parse.unquote(user)}:{urllib.parse.unquote(password)}"
    return urllib.parse.urlunsplit(parts), "Basic " + base64.b64encode(plain.encode()).decode()


def _from_netrc(host: str) -> tuple[str, str]:
    with contextlib.suppress(OSError, netrc.NetrcParseError):
        if found := netrc.netrc(os.environ.get("NETRC")).authenticators(host):
            return found[0], found[2] or ""
    return "", ""


@contextlib.contextmanager
def _opened(
    url: str, accept: str, authorities: str | None
) -> Iterator[tuple[http.client.HTTPResponse, str]]:
    plain, authorization = split_password(url)
    headers = {"Accept": accept, "User-Agent": "referee", "Accept-Encoding": "identity"}
    if authorization:
        headers["Authorization"] = authorization
    context = ssl.create_default_context(cafile=authorities)
    request = urllib.request.Request(plain, headers=headers)
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S, context=context) as answer:
        yield answer, answer.geturl()


def _tried(once: Callable[[], _T]) -> _T:
    """Try a few times; a refusal is final at once.

    Raises:
        Absent, Offline
    """
    reason = ""
    for attempt in range(_TRIES):
        try:
            return once()
        except urllib.error.HTTPError as error:
            if error.code in (401, 403, 404, 410):
                raise Absent(f"{error.code} {error.reason}") from error
            reason = f"{error.code} {error.reason}"
        except urllib.error.URLError as error:
            inner = error.reason
            if isinstance(inner, FileNotFoundError):
                raise Absent("no such file") from error
            reason = str(getattr(inner, "strerror", None) or inner)
            if isinstance(inner, ConnectionRefusedError | ssl.SSLCertVerificationError):
                break
        except (http.client.HTTPException, TimeoutError, ConnectionError) as error:
            reason = str(error) or type(error).__name__
        if attempt + 1 < _TRIES:
            time.sleep(0.5 * 2**attempt)
    raise Offline(reason)


def read_page(url: str, accept: str, authorities: str | None) -> tuple[bytes, str, str]:
    """The body, content type and final address of a page (at most 64 MiB).

    Raises:
        Absent, Offline
    """

    def once() -> tuple[bytes, str, str]:
        with _opened(url, accept, authorities) as (answer, final):
            return answer.read(64 << 20), answer.headers.get_content_type(), final

    return _tried(once)


def save_file(url: str, target: Path, authorities: str | None, say: Say) -> str:
    """Write the file at `url` to `target`; return its SHA-256 (hex).

    Raises:
        Absent, Offline
        OSError: `target` cannot be written.
    """

    def once() -> str:
        digest = hashlib.sha256()
        with _opened(url, "*/*", authorities) as (answer, _), target.open("wb") as stream:
            total = int(answer.headers.get("Content-Length") or 0)
            done, told = 0, time.monotonic()
            while block := answer.read(_BLOCK):
                digest.update(block)
                stream.write(block)
                done += len(block)
                if total and time.monotonic() - told > 0.5:
                    told = time.monotonic()
                    say(f"{target.name}: {megabytes(done)} of {megabytes(total)}")
            if total and done != total:
                raise ConnectionError(f"the connection ended after {done} of {total} bytes")
        return digest.hexdigest()

    return _tried(once)
