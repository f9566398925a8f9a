"""How a long piece of work says what it is doing."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], None]
"""Takes one short line, such as `downloading six-1.17.0.tar.gz (34 kB)`."""


def silent(_line: str) -> None:
    """A `Say` for those who do not listen."""


def megabytes(size: int) -> str:
    """A size in bytes as people read it: `34 kB`, `35.8 MB`."""
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1e3))} kB"
