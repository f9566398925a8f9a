"""Values that an agent or a model sent, as a record can hold them."""

from __future__ import annotations

import math

from pydantic import JsonValue

_DEEPEST = 64


def clean_text(text: str) -> str:
    """Half characters (lone surrogates) become question marks; two halves become their whole."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean(value: object, depth: int = 0) -> JsonValue:
    """Whole characters, finite numbers, bounded depth; what is none of JSON's becomes text."""
    if depth > _DEEPEST:
        return "..."
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): clean(inside, depth + 1) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inside, depth + 1) for inside in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return clean_text(str(value))
