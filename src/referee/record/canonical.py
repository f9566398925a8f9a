"""Canonical JSON and content hashes: one value, one byte string, one name."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

_CHUNK = 1 << 20


def canonical_json(value: Any) -> bytes:
    """Bytes of `value` as JSON with sorted keys, no blanks, UTF-8; NaN and infinities are refused.

    Raises:
        ValueError: a float is not finite.
        TypeError: a value has no JSON form.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode("utf-8")


def sha256_bytes(data: bytes) -> str:
    """Lower-case hex SHA-256 of `data` (64 characters)."""
    return hashlib.sha256(data).hexdigest()


def sha256_json(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`."""
    return sha256_bytes(canonical_json(value))


def sha256_file(path: Path) -> str:
    """SHA-256 of a regular file, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()
