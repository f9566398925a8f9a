"""Server-sent events, cut out of a stream of bytes as they arrive (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LARGEST = 32 << 20


@dataclass(frozen=True)
class Event:
    """One event: its bytes as they came, with the blank line; its name; its data."""

    raw: bytes
    name: str
    data: str


class EventCutter:
    """Gives whole events; what is left at the end is no event."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._looked = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that end in this chunk. No byte is looked at twice.

        Raises:
            ValueError: an event is larger than 32 MiB.
        """
        self._rest += chunk
        start = 0
        while (end := _END.search(self._rest, max(start, self._looked - 3))) is not None:
            raw = bytes(self._rest[start : end.end()])
            start = self._looked = end.end()
            yield _event(raw)
        del self._rest[:start]
        self._looked = len(self._rest)
        if len(self._rest) > _LARGEST:
            raise ValueError("an event of a stream is larger than 32 MiB")

    @property
    def rest(self) -> bytes:
        """Bytes after the last whole event."""
        return bytes(self._rest)


def _event(raw: bytes) -> Event:
    name, data = "", []
    for line in raw.decode("utf-8", "replace").splitlines():
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
    return Event(raw, name, "\n".join(data))
