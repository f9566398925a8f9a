"""Losses that a source holds as written numbers, read from its text and never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from math import isfinite

from referee.diagnose.sources import tree_of

_LOSS = re.compile(r"(^|_)loss(es)?$")
_TURNS = 64
"""How far a loop variable is followed: no account has so many approaches."""


def written_losses(text: str) -> frozenset[float]:
    """Values that a source gives to something called a loss by writing them there.

    Read are `loss = 0.58`, `"loss": 0.58`, lists of such numbers, and `"loss": 0.08 + 0.002 * i`
    for i = 0 to 63. An expression that calls anything is computed, not written.
    """
    tree = tree_of(text)
    if tree is None:
        return frozenset()
    found: set[float] = set()
    for node in _given_to_losses(tree):
        numbers = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        for number in numbers:
            found |= _values(number)
    return frozenset(found)


def _given_to_losses(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from (value for key, value in pairs if _is_key(key))
        elif isinstance(node, ast.Assign) and any(_is_target(t) for t in node.targets):
            yield node.value


def _is_key(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _LOSS.search(node.value.lower()) is not None
    )


def _is_target(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return _is_key(node.slice)
    return isinstance(node, ast.Name) and _LOSS.search(node.id.lower()) is not None


def _values(node: ast.expr) -> set[float]:
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    if len(names) > 1:
        return set()
    try:
        values = [_value(node, float(i)) for i in range(_TURNS if names else 1)]
    except RecursionError:
        return set()
    return {v for v in values if v is not None and isfinite(v)}


def _value(node: ast.expr, turn: float) -> float | None:
    """The value of an expression of numbers and one loop variable; None if it is none."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _number(number)
        case ast.Name():
            return turn
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = _value(inner, turn)
            return None if value is None else -value
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left, turn), _value(right, turn)
            return None if a is None or b is None else _combined(a, op, b)
    return None


def _number(number: int | float) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


def _combined(a: float, op: ast.operator, b: float) -> float | None:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div() if b:
            return a / b
    return None
