"""Taking a key out of what passes: an upstream may repeat it in an answer or an error."""

from __future__ import annotations

INSTEAD = b"[key]"


def redacted(text: str, key: str) -> str:
    """A text without the key."""
    return text.replace(key, INSTEAD.decode()) if key else text


class Redactor:
    """Takes the key out of a stream, also where it is cut into two chunks: bytes that may be its
    beginning are held back until more is known."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        """What may be passed on by now."""
        if not self._key:
            return chunk
        data = (self._held + chunk).replace(self._key, INSTEAD)
        keep = next(
            (
                n
                for n in range(min(len(self._key) - 1, len(data)), 0, -1)
                if data.endswith(self._key[:n])
            ),
            0,
        )
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def end(self) -> bytes:
        """What was held back; no key follows any more."""
        held, self._held = self._held, b""
        return held
