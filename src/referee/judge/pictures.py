"""Images that a judge is shown: each once in a conversation, of bounded number and size."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

from referee.evidence.imagefile import read_image
from referee.evidence.roots import CANDIDATE_ROOTS, Root
from referee.record.canonical import sha256_bytes

MOST_PICTURES = 24
MOST_BYTES = 2 << 20
_MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as it is sent: where it lies, its digest, its media type and its bytes."""

    label: str
    sha256: str
    media: str
    data: bytes

    @property
    def base64(self) -> str:
        """The bytes as text."""
        return base64.b64encode(self.data).decode("ascii")


@dataclass
class Album:
    """The pictures of one conversation. Those of paper and references are shown only to leaves that
    are about an image (`with_ours`)."""

    with_ours: bool = False
    shown: set[str] = field(default_factory=set)
    waiting: list[Picture] = field(default_factory=list)

    def look(self, root: Root, path: str) -> dict[str, str]:
        """Format and size of an image; it waits to be shown if it may be.

        Raises:
            EvidenceFault, Infrastructure: as `read_image`.
        """
        image = read_image(root, path)
        told = {"image": str(image)}
        if image.format not in _MEDIA:
            return told | {"shown": f"no: a judge is not shown {image.format}"}
        if root.kind not in CANDIDATE_ROOTS and not self.with_ours:
            return told | {"shown": "no: this criterion is not about an image"}
        data = root.read(path, root.limits.image)
        if len(data) > MOST_BYTES:
            return told | {"shown": f"no: {len(data)} bytes, and {MOST_BYTES} are shown at most"}
        digest = sha256_bytes(data)
        if digest in self.shown:
            return told | {"shown": "before: the same image"}
        if len(self.shown) >= MOST_PICTURES:
            return told | {"shown": f"no: {MOST_PICTURES} images were shown"}
        self.shown.add(digest)
        self.waiting.append(Picture(root.where(path), digest, _MEDIA[image.format], data))
        return told | {"shown": "below"}

    def take(self) -> tuple[Picture, ...]:
        """The pictures that wait, which are then on their way."""
        taken, self.waiting = tuple(self.waiting), []
        return taken
