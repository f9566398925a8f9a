"""The licence gate: may anybody use, change and pass on what a task is made of?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

_OPEN = {"Permissive", "Copyleft", "Copyleft Limited", "Public Domain"}
"""Categories of the licence database of the `license-expression` package that are not restricted:
https://scancode-licensedb.aboutcode.org/."""


def licence_restriction(expression: str) -> str | None:
    """Why an SPDX licence expression is restricted, or None if it is open.

    Fails closed: what is no SPDX expression, or of an unknown licence, is restricted. Of `A OR B`
    one open side is enough; of `A AND B` both must be open.
    """
    from license_expression import ExpressionError, ExpressionParseError

    spdx, categories = _database()
    try:
        parsed = spdx.parse(expression, validate=True, strict=True)
    except (ExpressionError, ExpressionParseError):
        return f"{expression!r} is no SPDX licence expression"
    if parsed is None:
        return "no licence is named"
    return _restriction(parsed, categories)


def _restriction(node: Any, categories: dict[str, str]) -> str | None:
    found = [_restriction(part, categories) for part in node.args]
    if node.__class__.__name__ == "OR":
        return None if None in found else found[0]
    if found:
        return next((why for why in found if why is not None), None)
    name = getattr(node, "license_symbol", node).key  # an exception only permits more
    category = categories.get(name, "of an unknown licence")
    return None if category in _OPEN else f"{name} is {category}"


@cache
def _database() -> tuple[Any, dict[str, str]]:
    from license_expression import get_license_index, get_spdx_licensing

    rows = get_license_index()
    return get_spdx_licensing(), {key: row["category"] for row in rows for key in _keys(row)}


def _keys(row: dict[str, Any]) -> Iterator[str]:
    if row.get("spdx_license_key"):
        yield row["spdx_license_key"]
    yield from row.get("other_spdx_license_keys", ())
