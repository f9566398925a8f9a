"""Formulas in t and q, evaluated by walking a whitelisted syntax tree; nothing is ever executed.

A formula is one expression, or lines `name = expression` of which the last is the result:

    eta = q / (1 + q)**2
    h22 = eta * (20 - t)**(-1/4) * exp(-1j * (t + q))

Allowed: t, q, pi, numbers (1j too), + - * / **, elementary functions of one argument, and names
that an earlier line has set. The result is that of numpy on doubles: where a formula has no real
value the result is NaN, and where it is too large an infinity.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.record.fault import BadInput

Array = NDArray[Any]

FUNCTIONS: Mapping[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sech": lambda x: 1 / np.cosh(x),
    "abs": np.abs,
}
VARIABLES = ("t", "q")
CONSTANTS: Mapping[str, float] = {"pi": float(np.pi)}

_BINARY: Mapping[type[ast.operator], Callable[[Array, Array], Array]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Array], Array]] = {
    ast.UAdd: np.positive,
    ast.USub: np.negative,
}
_HINTS = {
    "Attribute": "write exp(t), not np.exp(t)",
    "BitXor": "write ** for a power",
    "Subscript": "a closed form has no tables",
    "List": "a closed form has no tables",
    "IfExp": "a closed form has no branches",
    "Lambda": "a closed form has no functions of its own",
}


@dataclass(frozen=True)
class Bounds:
    """How large a formula may be; the protocol asks for fewer than twenty lines."""

    chars: int = 20_000
    lines: int = 20
    nodes: int = 3_000
    depth: int = 80


@dataclass(frozen=True)
class ClosedForm:
    """A formula that was found to be closed; `literals` counts the numbers written in it."""

    lines: tuple[tuple[str, ast.expr], ...]
    literals: int
    nodes: int
    variables: tuple[str, ...]

    def __call__(self, t: ArrayLike, q: ArrayLike) -> Array:
        """Values on t and q (float64, broadcast against each other): float64 or complex128.

        Raises:
            BadInput: t and q have shapes that do not go together.
        """
        times, ratios = np.asarray(t, dtype=np.float64), np.asarray(q, dtype=np.float64)
        try:
            shape = np.broadcast_shapes(times.shape, ratios.shape)
        except ValueError:
            raise BadInput(f"t {times.shape} and q {ratios.shape} do not go together") from None
        known: dict[str, Array] = {"t": times, "q": ratios}
        known |= {name: np.asarray(value) for name, value in CONSTANTS.items()}
        with np.errstate(all="ignore"):
            for name, tree in self.lines:
                known[name] = _value(tree, known)
        return np.array(np.broadcast_to(known[self.lines[-1][0]], shape))


def parse_closed_form(text: str, bounds: Bounds = Bounds()) -> ClosedForm:
    """A formula from its text, checked from the first character to the last.

    Raises:
        BadInput: it is not written in the language above, or is larger than `bounds`.
    """
    if len(text) > bounds.chars:
        raise BadInput(f"the formula has {len(text)} characters, and {bounds.chars} are allowed")
    statements = _parsed(text)
    if not statements:
        raise BadInput("the formula is empty")
    if len(statements) > bounds.lines:
        raise BadInput(f"the formula has more than {bounds.lines} lines")
    check = _Check(bounds)
    lines = []
    for number, statement in enumerate(statements, 1):
        last = number == len(statements)
        name, tree = _assignment(statement, number, last)
        check.expression(tree, 0)
        check.set(name, statement.lineno)
        lines.append((name, tree))
    used = tuple(v for v in VARIABLES if v in check.used)
    return ClosedForm(tuple(lines), check.literals, check.nodes, used)


def _parsed(text: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of `1(t)`, which is refused anyway
            return ast.parse(text.strip(), mode="exec").body
    except SyntaxError as error:
        raise BadInput(f"the formula cannot be read: {error.msg}, line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError):
        raise BadInput("the formula cannot be read, or is nested too deeply") from None


def _assignment(statement: ast.stmt, number: int, last: bool) -> tuple[str, ast.expr]:
    """The name that a line sets, and its expression; the last line needs no name."""
    if isinstance(statement, ast.Expr) and last:
        return "", statement.value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            return target.id, statement.value
    raise BadInput(
        f"line {number} of the formula is no `name = expression`",
        hint="the last line may be an expression alone",
    )


class _Check:
    """Walks the syntax tree and refuses whatever is not in the language."""

    def __init__(self, bounds: Bounds):
        self.bounds = bounds
        self.nodes = 0
        self.literals = 0
        self.used: set[str] = set()
        self.names: set[str] = {*VARIABLES, *CONSTANTS}

    def set(self, name: str, line: int) -> None:
        """Let later lines use a name."""
        if name in {*VARIABLES, *CONSTANTS} or name in FUNCTIONS:
            raise BadInput(f"line {line} of the formula sets {name}, which has a meaning already")
        self.names.add(name)

    def expression(self, node: ast.expr, depth: int) -> None:
        """Refuse an expression that is not in the language."""
        self.nodes += 1
        if self.nodes > self.bounds.nodes or depth > self.bounds.depth:
            raise BadInput("the formula is too large or nested too deeply")
        for child in self._children(node):
            self.expression(child, depth + 1)

    def _children(self, node: ast.expr) -> list[ast.expr]:
        match node:
            case ast.Constant(value=value):
                self._number(value)
                return []
            case ast.Name(id=name):
                self._name(name)
                return []
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return [operand]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return [left, right]
            case ast.Call(func=ast.Name(id=name), args=[one], keywords=[]) if name in FUNCTIONS:
                return [one]
        raise _refusal(node)

    def _number(self, value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float | complex):
            raise BadInput(f"{str(value)[:40]!r} is no number")
        try:
            number = complex(value)
        except OverflowError:
            number = complex("inf")
        if not np.isfinite(number):
            raise BadInput("a number in the formula is beyond the range of a double")
        self.literals += 1

    def _name(self, name: str) -> None:
        if name not in self.names:
            raise BadInput(f"the name {name[:40]} is not known", hint=_known(self.names))
        self.used.add(name)


def _known(names: set[str]) -> str:
    return "known are " + ", ".join([*sorted(n for n in names if n), *FUNCTIONS])


def _refusal(node: ast.expr) -> BadInput:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return BadInput(
            f"{node.func.id[:40]}(...) is no elementary function of one argument",
            hint="known are " + ", ".join(FUNCTIONS),
        )
    inner: ast.AST = node
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        inner = node.op
    elif isinstance(node, ast.Call):
        inner = node.func
    kind = type(inner).__name__
    return BadInput(f"{kind} has no place in a closed form", hint=_HINTS.get(kind))


def _value(node: ast.expr, known: Mapping[str, Array]) -> Array:
    """The value of a checked expression; every number becomes a double, so that none can grow."""
    match node:
        case ast.Constant(value=value):
            number: Any = value
            return np.asarray(complex(number) if isinstance(value, complex) else float(number))
        case ast.Name(id=name):
            return known[name]
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_value(operand, known))
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, known), _value(right, known))
        case ast.Call(func=ast.Name(id=name), args=[one]):
            return FUNCTIONS[name](_value(one, known))
    raise _refusal(node)


def difference(form: ClosedForm, t: ArrayLike, q: ArrayLike, predicted: ArrayLike) -> float:
    """The largest |formula - prediction| over the largest |prediction|; infinite where the two
    differ in being finite, or where the prediction is zero everywhere and the formula is not.

    Raises:
        BadInput: the shapes do not go together.
    """
    ours, theirs = form(t, q), np.asarray(predicted)
    if ours.shape != theirs.shape:
        raise BadInput(f"the formula gives {ours.shape} and the prediction is {theirs.shape}")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return float("inf")
    apart, scale = float(np.abs(ours - theirs).max()), float(np.abs(theirs).max())
    return apart / scale if scale > 0 else (0.0 if apart == 0 else float("inf"))
