"""The folder of a released result: where its files are and what else lies there."""

from __future__ import annotations

import os
from pathlib import Path

from referee.record.fault import BadInput
from referee.task.strict import read_text

_MAX_FILES = 20_000
_MAX_SOURCE = 1_000_000
_MAX_SOURCES = 400


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

    def text(self, name: str) -> str | None:
        """The text of a file that `find` finds, or None.

        Raises:
            BadInput: it is not UTF-8.
        """
        path = self.find(name)
        return None if path is None else read_text(path)

    def changelog(self) -> str | None:
        """The changelog; empty if a whole folder has none, None if nobody can know."""
        text = self.text("CHANGELOG.md")
        return "" if text is None and self._whole else text

    def files(self) -> dict[str, int] | None:
        """Sizes by path, in order of the paths; None if the folder is not whole."""
        return dict(self._walk()) if self._whole else None

    def sources(self) -> dict[str, str]:
        """Texts of the Python files, in order of their paths.

        Raises:
            BadInput: there are too many, or one is not UTF-8.
        """
        paths = [p for p, size in self._walk() if p.endswith(".py") and size <= _MAX_SOURCE]
        if len(paths) > _MAX_SOURCES:
            raise BadInput(f"more than {_MAX_SOURCES} Python files", where=self.path)
        return {p: read_text(self.path / p) for p in paths}

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
