"""The folder of a released result: where its files are and what else lies there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

from referee.diagnose.document import load_document, read_small
from referee.record.fault import BadInput

_MAX_FILES = 20_000
_MAX_TEXT = 4_000_000
_MAX_SOURCE = 256_000
_MAX_SOURCES = 8_000_000


class Place(Protocol):
    """Where an account lies: a folder, or the files of a submission."""

    @property
    def path(self) -> Path: ...
    def document(self, name: str) -> tuple[Path, Any] | None: ...
    def text(self, name: str) -> str | None: ...
    def changelog(self) -> str | None: ...
    def paths(self) -> tuple[str, ...]: ...
    def files(self) -> dict[str, int] | None: ...
    def sources(self) -> tuple[dict[str, str], tuple[str, ...]]: ...


class Folder:
    """A task's folder with `comparison` in it, or a `comparison` folder by itself.

    Only of a task's folder can one say that a file is missing: of the other kind nobody knows what
    was left out when it was copied.
    """

    def __init__(self, path: Path):
        """Take a folder.

        Raises:
            BadInput: it is none.
        """
        if not path.is_dir():
            raise BadInput("the folder is missing", where=path)
        self.path = path
        self._whole = any(
            (path / name).exists() for name in ("comparison", "models", "CHANGELOG.md")
        )

    def find(self, name: str) -> Path | None:
        """The file of this name in the folder or its `comparison`, or None."""
        places = (self.path / "comparison" / name, self.path / name)
        return next((p for p in places if p.is_file() and not p.is_symlink()), None)

    def document(self, name: str) -> tuple[Path, Any] | None:
        """The JSON file that `find` finds, and its value; or None.

        Raises:
            BadInput: see `load_document`.
        """
        path = self.find(name)
        return None if path is None else (path, load_document(path))

    def text(self, name: str) -> str | None:
        """The text of a file that `find` finds, or None.

        Raises:
            BadInput: it is not UTF-8, or larger than 4 MB.
        """
        path = self.find(name)
        return None if path is None else read_small(path, _MAX_TEXT)

    def changelog(self) -> str | None:
        """The changelog; empty if a whole folder has none, None if nobody can know."""
        text = self.text("CHANGELOG.md")
        return "" if text is None and self._whole else text

    def paths(self) -> tuple[str, ...]:
        """The paths of all files, in order."""
        return tuple(path for path, _ in self._walk())

    def files(self) -> dict[str, int] | None:
        """Sizes by path, in order of the paths; None if the folder is not whole."""
        return dict(self._walk()) if self._whole else None

    def sources(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """Texts of the Python files, in order of their paths, and the paths of those left out.

        Left out are files above 256 kB, and what goes beyond 8 MB in all: no agent writes so much
        by itself, and none can stop its own diagnosis by it. Bytes that are not UTF-8 are replaced.
        """
        texts: dict[str, str] = {}
        left_out: list[str] = []
        total = 0
        for path, size in self._walk():
            if not path.endswith(".py"):
                continue
            if size > _MAX_SOURCE or total + size > _MAX_SOURCES:
                left_out.append(path)
                continue
            total += size
            texts[path] = (self.path / path).read_bytes().decode("utf-8", "replace")
        return texts, tuple(left_out)

    def _walk(self) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for top, folders, names in os.walk(self.path):
            folders.sort()
            for name in names:
                path = Path(top) / name
                # a link may lead to another agent's files: it is no file of this one
                if not path.is_symlink() and path.is_file():
                    found.append((path.relative_to(self.path).as_posix(), path.stat().st_size))
            if len(found) > _MAX_FILES:
                raise BadInput(f"more than {_MAX_FILES} files", where=self.path)
        return sorted(found)
