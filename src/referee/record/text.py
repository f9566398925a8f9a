"""Text that comes from a candidate or a machine, made safe to keep in a record."""

from __future__ import annotations

MESSAGE_CHARS = 2000
_CUT = " [cut]"


def bounded_text(text: str, limit: int = MESSAGE_CHARS) -> str:
    """`text` as printable UTF-8 of at most `limit` characters.

    Control characters other than newline and tab, and code points that UTF-8 cannot hold, are
    written as escapes, so that no terminal or report can be steered by them. A longer text is cut
    in the middle: its beginning and its end are what people read.
    """
    if len(text) > 4 * limit:
        text = text[: 2 * limit] + text[-2 * limit :]
    clean = "".join(c if c in "\n\t" or c.isprintable() else _escape(c) for c in text)
    if len(clean) <= limit:
        return clean
    head = (limit - len(_CUT)) // 2
    tail = limit - len(_CUT) - head
    return clean[:head] + _CUT + clean[len(clean) - tail :]


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
