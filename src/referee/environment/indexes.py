"""Which package indexes the user has set up, in the words of uv and of pip."""

from __future__ import annotations

import configparser
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PUBLIC_INDEX = "https://pypi.org/simple"


@dataclass(frozen=True)
class Indexes:
    """Simple-index addresses in the order in which they are asked, folders or pages of `links`, and
    the file of certificate authorities, if one is named."""

    urls: tuple[str, ...]
    links: tuple[str, ...] = ()
    authorities: str | None = None

    @property
    def shown(self) -> str:
        """The indexes without passwords, for messages."""
        return ", ".join(url.rpartition("@")[2] if "@" in url else url for url in self.urls)


def find_indexes(environ: Mapping[str, str] | None = None) -> Indexes:
    """Read the configuration: environment variables win over files, uv's words over pip's."""
    env = os.environ if environ is None else environ
    uv, pip = _uv_settings(env), _pip_settings(env)
    main = (
        env.get("UV_DEFAULT_INDEX")
        or env.get("UV_INDEX_URL")
        or env.get("PIP_INDEX_URL")
        or uv.get("default")
        or pip.get("index-url")
        or PUBLIC_INDEX
    )
    extra = [
        *_words(env.get("UV_INDEX")),
        *_words(env.get("UV_EXTRA_INDEX_URL")),
        *uv.get("extra", ()),
        *_words(env.get("PIP_EXTRA_INDEX_URL") or pip.get("extra-index-url")),
    ]
    links = [
        *_words((env.get("UV_FIND_LINKS") or "").replace(",", " ")),
        *_words(env.get("PIP_FIND_LINKS") or pip.get("find-links")),
    ]
    authorities = (
        env.get("SSL_CERT_FILE")
        or env.get("PIP_CERT")
        or env.get("REQUESTS_CA_BUNDLE")
        or pip.get("cert")
    )
    urls = [_without_name(main), *map(_without_name, extra)]
    return Indexes(tuple(dict.fromkeys(urls)), tuple(dict.fromkeys(links)), authorities or None)


def uv_environment(indexes: Indexes, cache: Path) -> dict[str, str]:
    """The environment of a uv that asks these indexes, keeps its cache in `cache`, and is steered
    by nothing else: the user's proxies, credentials and time limits stay, their projects do not."""
    kept = (
        "HTTP_TIMEOUT",
        "HTTP_RETRIES",
        "NATIVE_TLS",
        "SYSTEM_CERTS",
        "INSECURE_HOST",
        "KEYRING_PROVIDER",
    )
    dropped = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
    env = {
        key: value
        for key, value in os.environ.items()
        if key not in dropped and (not key.startswith("UV_") or _is_kept(key, kept))
    }
    env |= {
        "UV_DEFAULT_INDEX": indexes.urls[0],
        "UV_INDEX": " ".join(indexes.urls[1:]),
        "UV_FIND_LINKS": ",".join(indexes.links),
        # Every file is chosen by hash, so that it does not matter which index has it.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_CACHE_DIR": str(cache),
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "UV_NO_CONFIG": "1",
        "NO_COLOR": "1",
    }
    if indexes.authorities:
        env["SSL_CERT_FILE"] = indexes.authorities
    return {key: value for key, value in env.items() if value}


def _is_kept(key: str, kept: tuple[str, ...]) -> bool:
    name = key.removeprefix("UV_")
    return name in kept or (name.startswith("INDEX_") and name.endswith(("_USERNAME", "_PASSWORD")))


def _words(text: str | None) -> list[str]:
    return (text or "").split()


def _without_name(url: str) -> str:
    """uv allows `name=address`."""
    name, mark, rest = url.partition("=")
    return rest if mark and name.replace("-", "").replace("_", "").isalnum() else url


def _uv_settings(env: Mapping[str, str]) -> dict[str, Any]:
    """`default` address and `extra` addresses of the first uv.toml that names any."""
    for path in _uv_files(env):
        try:
            table = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        rows = [row for row in table.get("index", ()) if isinstance(row, dict) and "url" in row]
        default = [str(row["url"]) for row in rows if row.get("default")]
        extra = [str(row["url"]) for row in rows if not row.get("default")]
        found = {
            "default": default[0] if default else table.get("index-url"),
            "extra": [*extra, *map(str, table.get("extra-index-url", ()))],
        }
        if found["default"] or found["extra"]:
            return found
    return {}


def _uv_files(env: Mapping[str, str]) -> Iterator[Path]:
    if given := env.get("UV_CONFIG_FILE"):
        yield Path(given)
    home = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME") or "/nonexistent") / ".config")
    yield home / "uv" / "uv.toml"
    for folder in (env.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":"):
        yield Path(folder) / "uv" / "uv.toml"
    yield Path("/etc/uv/uv.toml")


def _pip_settings(env: Mapping[str, str]) -> dict[str, str]:
    """The `[global]` and then `[download]` options of pip's files, later files winning."""
    given = env.get("PIP_CONFIG_FILE")
    if given == os.devnull:
        return {}
    home = Path(env.get("HOME") or "/nonexistent")
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    files = [
        *(Path(d) / "pip/pip.conf" for d in (env.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")),
        Path("/etc/pip.conf"),
        home / ".pip/pip.conf",
        config / "pip/pip.conf",
        Path(sys.prefix) / "pip.conf",
        *([Path(given)] if given else []),
    ]
    settings: dict[str, str] = {}
    for path in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(path.read_text("utf-8"))
        except (OSError, ValueError, configparser.Error):
            continue
        for section in ("global", "download"):
            if parser.has_section(section):
                settings |= dict(parser.items(section))
    return settings
