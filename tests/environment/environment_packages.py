"""Small packages, an index that serves them, and what the tests pass around."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from referee.environment.lock import Lock
from referee.task.model import Release, SourceFile


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel_bytes(name: str, version: str, files: dict[str, str], scripts: str = "") -> bytes:
    """A wheel of pure Python; `scripts` are lines of its console_scripts."""
    info = f"{name}-{version}.dist-info"
    everything = dict(files) | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if scripts:
        everything[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}\n"
    record = ""
    for path, text in everything.items():
        mark = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record += f"{path},sha256={mark.decode()},{len(text.encode())}\n"
    everything[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for path, text in everything.items():
            bundle.writestr(zipfile.ZipInfo(path), text)
    return out.getvalue()


def tar_of(members: list[tuple[Any, Any]], mode: str = "w:gz") -> bytes:
    """A tar of (path, bytes or text) pairs or (TarInfo, bytes or None) pairs."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as bundle:
        for head, data in members:
            raw = data.encode() if isinstance(data, str) else data
            info = head if isinstance(head, tarfile.TarInfo) else tarfile.TarInfo(head)
            if raw is not None:
                info.size = len(raw)
            bundle.addfile(info, io.BytesIO(raw) if raw is not None else None)
    return out.getvalue()


@dataclass
class Index:
    """A simple index. `asked` are the paths that clients asked for."""

    folder: Path
    url: str = ""
    asked: list[str] = field(default_factory=list)
    stop: Callable[[], None] = lambda: None

    def put(self, project: str, file: str, data: bytes) -> str:
        """Publish a file; its sha256."""
        target = self.folder / "simple" / project / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        rows = "".join(
            f'<a href="{p.name}#sha256={sha256(p.read_bytes())}">{p.name}</a><br>'
            for p in sorted(target.parent.iterdir())
            if p.name != "index.html"
        )
        (target.parent / "index.html").write_text(
            f"<!DOCTYPE html><html><body>{rows}</body></html>"
        )
        return sha256(data)

    def wheel(self, name: str, version: str, files: dict[str, str], scripts: str = "") -> str:
        """Publish a wheel; the line of a lock that pins it."""
        data = wheel_bytes(name, version, files, scripts)
        digest = self.put(name, f"{name}-{version}-py3-none-any.whl", data)
        return f"{name}=={version} --hash=sha256:{digest}\n"

    def sdist(self, name: str, version: str, files: dict[str, str]) -> Release:
        """Publish a source distribution; the release that names it."""
        top = f"{name}-{version}"
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        everything = {f"{top}/{path}": text for path, text in files.items()}
        data = tar_of([(f"{top}/PKG-INFO", about), *everything.items()])
        digest = self.put(name, f"{top}.tar.gz", data)
        return Release(
            registry="pypi", name=name, version=version, file=f"{top}.tar.gz", sha256=digest
        )


def use_index(monkeypatch: pytest.MonkeyPatch, url: str, home: Path) -> None:
    """Let everything in this test ask one index and read no configuration of the machine."""
    for key in list(os.environ):
        if key.startswith(("PIP_", "UV_")) or key.lower().endswith("_proxy"):
            monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("UV_DEFAULT_INDEX", url)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")


@dataclass
class Small:
    """A small task: a target package with a lock of two small packages."""

    source: SourceFile
    lock: Lock
    lock_text: str
