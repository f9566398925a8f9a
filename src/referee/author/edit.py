"""One small change of a source, as a byte edit."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

SHOWN_CHARS = 60


@dataclass(frozen=True)
class Edit:
    """Bytes `start:end` of the source become `text`; `kind` is the operator, `what` for people."""

    kind: str
    line: int
    what: str
    start: int
    end: int
    text: bytes

    def apply(self, source: bytes) -> bytes:
        """The edited source."""
        return source[: self.start] + self.text + source[self.end :]


def parsed(source: bytes) -> ast.Module:
    """The tree of a Python source; what it warns of is its authors' affair.

    Raises:
        SyntaxError, ValueError: it is no Python of the running interpreter.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def shown(text: str) -> str:
    """A piece of source on one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN_CHARS else flat[: SHOWN_CHARS - 3] + "..."
