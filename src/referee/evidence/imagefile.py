"""Images as evidence for a reader's eye (extra `reproduction`): never for a number."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.evidence.fault import EvidenceError, EvidenceLimit
from referee.evidence.roots import Root
from referee.record.fault import Infrastructure

_MAGIC: Mapping[str, tuple[bytes, ...]] = {
    "PNG": (b"\x89PNG\r\n\x1a\n",),
    "JPEG": (b"\xff\xd8\xff",),
    "GIF": (b"GIF8",),
    "WEBP": (b"RIFF",),
    "TIFF": (b"II*\0", b"MM\0*"),
}


@dataclass(frozen=True, slots=True)
class Image:
    """An image that a judge may be shown: its format, and its size in pixels."""

    format: str
    width: int
    height: int


def read_image(root: Root, path: str) -> Image:
    """The format and size of a PNG, JPEG, GIF, WebP or TIFF file; its pixels are not unpacked.

    Raises:
        EvidenceError: none of these formats, damaged, or a side shorter than the least.
        EvidenceLimit: more bytes or pixels than are looked at.
        Infrastructure: `no_image_reader`, Pillow is not installed.
    """
    pillow, limits, where = _pillow(), root.limits, root.where(path)
    with root.open(path, limits.image) as stream:
        head = stream.read(8)
        form = next((name for name, magic in _MAGIC.items() if head.startswith(magic)), None)
        if form is None:
            raise EvidenceError(where, f"is none of {', '.join(_MAGIC)}")
        stream.seek(0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Pillow's own size warning; ours is below
                image = pillow.open(stream, formats=(form,))
                width, height = image.size
                image.verify()
        except pillow.DecompressionBombError:
            raise EvidenceLimit(where, f"has over {limits.image_px} pixels") from None
        except Exception as error:
            # Pillow's plugins raise whatever a damaged file makes them stumble over.
            raise EvidenceError(where, f"not a readable {form}: {str(error)[:100]}") from None
    if width * height > limits.image_px:
        raise EvidenceLimit(where, f"has {width * height} pixels, not {limits.image_px} at most")
    if min(width, height) < limits.image_side_px:
        told = f"is {width} x {height} pixels, and each side must have {limits.image_side_px}"
        raise EvidenceError(where, told)
    return Image(form, width, height)


def _pillow() -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise Infrastructure("no_image_reader", f"{error}; install referee[reproduction]") from None
