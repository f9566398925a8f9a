"""JSON pointers (RFC 6901) into plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def at_pointer(value: Any, pointer: str) -> Any:
    """The part of `value` at `pointer`: keys of mappings and indices of lists, `~1` for `/` and
    `~0` for `~`; the empty pointer is the whole.

    Raises:
        KeyError: there is nothing there.
        ValueError: the pointer does not begin with `/`.
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"the pointer {pointer!r} does not begin with /")
    for token in pointer.split("/")[1:]:
        value = _step(value, token.replace("~1", "/").replace("~0", "~"), pointer)
    return value


def escaped(token: str) -> str:
    """A key as one token of a pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def _step(value: Any, token: str, pointer: str) -> Any:
    if isinstance(value, Mapping) and token in value:
        return value[token]
    if isinstance(value, list | tuple) and _is_index(token) and int(token) < len(value):
        return value[int(token)]
    raise KeyError(pointer)


def _is_index(token: str) -> bool:
    # Nine digits are more than any list here has, and int() takes no other form of digits.
    plain = token.isascii() and token.isdigit() and len(token) < 10
    return plain and (token == "0" or token[0] != "0")
