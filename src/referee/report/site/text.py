"""Text in pages: nothing in it can steer a browser or a reader, and no page grows without end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Control characters, signs that turn the direction of writing or cannot be seen, and halves of
surrogate pairs: in a diff they would hide what it does."""


def plain(text: str) -> str:
    """`text` with every sign that steers written as an escape; CR before LF is dropped."""
    if text.isprintable():  # the common case, and nothing printable steers
        return text
    return _STEERS.sub(_named, text.replace("\r\n", "\n"))


def _named(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def written_size(text: str) -> int:
    """Bytes of a text in a page."""
    return len(escape(text).encode("utf-8", "backslashreplace"))


@dataclass(frozen=True)
class Cut:
    """The part of a text that is shown, and how many characters are left out."""

    text: str
    left_out: int = 0


def cut(text: str, most: int) -> Cut:
    """At most `most` bytes of a text, as they stand in a page: its beginning and its end."""
    text = plain(text)
    if len(text) * 6 <= most or written_size(text) <= most:
        return Cut(text)
    half = most // 2
    head, tail = _within(text, half), _within(text[::-1], half)[::-1]
    left = len(text) - len(head) - len(tail)
    return Cut(f"{head}\n[{left} characters are left out here]\n{tail}", left)


def _within(text: str, most: int) -> str:
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if written_size(text[:middle]) <= most else (low, middle - 1)
    return text[:low]


def per_cent(value: float | None) -> str:
    """A share as per cent with one decimal, without the sign."""
    return "–" if value is None else f"{100 * value:.1f}"


def seconds(value: float | None) -> str:
    """A duration for people."""
    if value is None:
        return "–"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 120:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def count(value: int | float | None) -> str:
    """A whole number with thin spaces between thousands."""
    return "–" if value is None else f"{round(value):,}".replace(",", "\u202f")


def money(value: float | None) -> str:
    """Dollars; `unknown` if the price of one call is."""
    if value is None:
        return "unknown"
    return f"${value:.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def listed(words: Sequence[str]) -> str:
    """Words as in a sentence."""
    return ", ".join(words) if words else "none"
