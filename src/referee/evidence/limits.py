"""How much of a candidate's evidence is read. The values are those of the published readers."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes unless a name says otherwise; an array counts as it is held, 8 bytes for a
    real and 16 for a complex number. Packed data that unpack to more than an array may have, and to
    over `inflation` times what is stored, are a bomb and no large result."""

    file: int = 512 * MIB
    array: int = 256 * MIB
    text: int = 64 * MIB
    arrays: int = 4096
    inflation: int = 100
    json_depth: int = 64
    image: int = 64 * MIB
    image_side_px: int = 64
    image_px: int = 100_000_000
    listed_files: int = 100_000
    citation_text: int = 8 * MIB
    quote_chars: int = 2048
    bindings: int = 32
    bound_arrays: int = 256 * MIB
    context: int = 32 * 1024
    result: int = 128 * 1024


LIMITS = Limits()
