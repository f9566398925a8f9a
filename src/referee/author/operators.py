"""Mutation operators: small wrong changes at given lines of a Python source, as byte edits."""

from __future__ import annotations

import ast
import copy
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator

from referee.author.edit import Edit, parsed, shown

_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_SKIPPED_FIELDS = {"annotation", "returns", "decorator_list", "type_comment", "type_params"}
_SKIPPED_NODES = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
_SPEAKS = {"warn", "warning", "debug", "info", "error", "print", "log"}
_SYMMETRIC = {"max", "min", "maximum", "minimum", "hypot", "gcd", "lcm", "isclose", "allclose"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def edits_of(source: bytes, lines: Collection[int]) -> Iterator[Edit]:
    """Every edit of a UTF-8 Python source that begins at one of `lines` (counted from 1).

    Annotations, decorators, f-strings, imports, docstrings and the words of exceptions,
    assertions, warnings and logs are left alone: what they say is no science. Nothing is said
    about whether an edited source compiles.

    Raises:
        SyntaxError: the source is no Python of the running interpreter.
    """
    place = _Place(source, sorted(set(lines)))
    yield from _walk(parsed(source), place, None)


class _Place:
    """Where nodes lie in the source, and which of them are on the lines asked for."""

    def __init__(self, source: bytes, lines: list[int]):
        self.source = source
        self.lines = lines
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def hit(self, first: int, last: int) -> bool:
        at = bisect_left(self.lines, first)
        return at < len(self.lines) and self.lines[at] <= last

    def hits(self, node: ast.expr | ast.stmt) -> bool:
        return self.hit(node.lineno, node.end_lineno or node.lineno)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode("utf-8", "replace")

    def replace(self, kind: str, node: ast.expr | ast.stmt, text: str) -> Edit:
        start, end = self.span(node)
        what = f"`{shown(self.text(node))}` becomes `{shown(text)}`"
        return Edit(kind, node.lineno, what, start, end, text.encode())

    def swap(self, kind: str, node: ast.expr, other: ast.expr) -> Edit:
        text = ast.unparse(ast.fix_missing_locations(other))
        plain = isinstance(other, (ast.Constant, ast.Name, ast.Call, ast.Attribute))
        bare = plain and not text.startswith("-") and not isinstance(node, ast.Constant)
        edit = self.replace(kind, node, text)
        return edit if bare else Edit(*_fields(edit), text=f"({text})".encode())


def _fields(edit: Edit) -> tuple[str, int, str, int, int]:
    return edit.kind, edit.line, edit.what, edit.start, edit.end


def _walk(node: ast.AST, place: _Place, function: ast.AST | None) -> Iterator[Edit]:
    if isinstance(node, _SKIPPED_NODES):
        if isinstance(node, ast.Raise) and place.hits(node):
            yield place.replace("statement", node, "pass")
        return
    if isinstance(node, _FUNCTIONS):
        function = node
        yield from _early_returns(node, place)
    if isinstance(node, (ast.expr, ast.stmt)) and place.hits(node):
        yield from _edits_at(node, place)
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED_FIELDS or _is_docstring_body(node):
            continue
        if isinstance(node, ast.Assert) and name == "msg":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child, place, function)


def _is_docstring_body(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Call) and _speaks(node)


def _speaks(node: ast.Call) -> bool:
    return _name_of(node) in _SPEAKS


def _name_of(node: ast.Call) -> str | None:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


def _edits_at(node: ast.expr | ast.stmt, place: _Place) -> Iterator[Edit]:
    for kinds, make in _MAKERS:
        if isinstance(node, kinds):
            yield from make(node, place)


def _binary(node: ast.BinOp, place: _Place) -> Iterator[Edit]:
    sides = (node.left, node.right)
    if any(isinstance(s, (ast.JoinedStr, ast.Constant)) and _is_text(s) for s in sides):
        return
    other = copy.deepcopy(node)
    other.op = _BINARY[type(node.op)]()
    yield place.swap("operator", node, other)
    for side in sides:
        yield place.swap("term", node, copy.deepcopy(side))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


def _augmented(node: ast.AugAssign, place: _Place) -> Iterator[Edit]:
    other = copy.deepcopy(node)
    other.op = _BINARY[type(node.op)]()
    yield place.replace("operator", node, ast.unparse(other))
    yield place.replace("statement", node, "pass")


def _compare(node: ast.Compare, place: _Place) -> Iterator[Edit]:
    for index, op in enumerate(node.ops):
        for new in _COMPARE[type(op)]:
            other = copy.deepcopy(node)
            other.ops[index] = new()
            yield place.swap("comparison", node, other)


def _boolean(node: ast.BoolOp, place: _Place) -> Iterator[Edit]:
    other = copy.deepcopy(node)
    other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield place.swap("boolean", node, other)
    for index in range(len(node.values)):
        fewer = copy.deepcopy(node)
        del fewer.values[index]
        yield place.swap("boolean", node, fewer if len(fewer.values) > 1 else fewer.values[0])


def _unary(node: ast.UnaryOp, place: _Place) -> Iterator[Edit]:
    if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield place.swap("operator", node, copy.deepcopy(node.operand))


def _constant(node: ast.Constant, place: _Place) -> Iterator[Edit]:
    for value in _other_values(node.value):
        yield place.swap("constant", node, ast.Constant(value))


def _other_values(value: object) -> tuple[int | float | str | bool, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1) if abs(value) < 1 << 60 else (value + 1,)
    if isinstance(value, float):
        return (1.0,) if value == 0 else (2 * value, -value)
    if isinstance(value, str):
        return ("",) if value else ("x",)
    return ()


def _branch(node: ast.If | ast.While | ast.IfExp, place: _Place) -> Iterator[Edit]:
    if not place.hits(node.test):
        return
    if isinstance(node, ast.IfExp):
        yield place.swap("branch", node, copy.deepcopy(node.body))
        yield place.swap("branch", node, copy.deepcopy(node.orelse))
        return
    yield place.replace("branch", node.test, "False")
    if isinstance(node, ast.If):
        yield place.replace("branch", node.test, "True")


def _loop(node: ast.For, place: _Place) -> Iterator[Edit]:
    if place.hits(node.iter):
        yield place.replace("branch", node.iter, "()")


def _filter(node: ast.ListComp, place: _Place) -> Iterator[Edit]:
    for generator in node.generators:
        for test in generator.ifs:
            if place.hits(test):
                yield place.replace("branch", test, "True")


def _call(node: ast.Call, place: _Place) -> Iterator[Edit]:
    if _speaks(node):
        return
    plain = not any(isinstance(arg, ast.Starred) for arg in node.args)
    if plain and _name_of(node) not in _SYMMETRIC:
        for index in range(len(node.args) - 1):
            if not (place.hits(node.args[index]) or place.hits(node.args[index + 1])):
                continue
            other = copy.deepcopy(node)
            pair = other.args[index : index + 2]
            other.args[index : index + 2] = pair[::-1]
            yield place.swap("arguments", node, other)
    for index, keyword in enumerate(node.keywords):
        if keyword.arg is not None and place.hits(keyword.value):
            other = copy.deepcopy(node)
            del other.keywords[index]
            yield place.swap("arguments", node, other)
    if plain and len(node.args) == 1 and not node.keywords:
        yield place.swap("call", node, copy.deepcopy(node.args[0]))
    elif isinstance(node.func, ast.Attribute) and not node.args:
        yield place.swap("call", node, copy.deepcopy(node.func.value))


def _return(node: ast.Return, place: _Place) -> Iterator[Edit]:
    if node.value is None:
        return
    value = ast.unparse(node.value)
    for text in ("None", "0"):
        if value != text:
            yield place.replace("constant-return", node, f"return {text}")


def _statement(node: ast.stmt, place: _Place) -> Iterator[Edit]:
    if isinstance(node, ast.Assign):
        written = all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in node.targets)
    else:
        written = not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call)
    if written and not (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _speaks(node.value)
    ):
        yield place.replace("statement", node, "pass")


def _early_returns(
    function: ast.FunctionDef | ast.AsyncFunctionDef, place: _Place
) -> Iterator[Edit]:
    """Leave the function just before its first changed statement: with nothing, and with what
    came in."""
    first = next((s for s in _statements(function) if place.hit(s.lineno, s.lineno)), None)
    if first is None or (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return
    line = place.starts[first.lineno - 1]
    indent = place.source[line : line + first.col_offset]
    if indent.strip():
        return
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    names = [name for name in names if name not in ("self", "cls")]
    for value in ("None", *names[:1]):
        text = b"return " + value.encode() + b"\n" + indent
        what = f"`return {value}` before `{shown(place.text(first))}`"
        start = line + first.col_offset
        yield Edit("early-return", first.lineno, what, start, start, text)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function in order of lines, without those of functions in it."""
    found: list[ast.stmt] = []
    stack = list(ast.iter_child_nodes(node))
    while stack:
        child = stack.pop()
        if isinstance(child, ast.stmt):
            found.append(child)
        if not isinstance(child, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(child))
    return iter(sorted(found, key=lambda s: (s.lineno, s.col_offset)))


_Maker = Callable[..., Iterator[Edit]]
_MAKERS: tuple[tuple[tuple[type[ast.AST], ...], _Maker], ...] = (
    ((ast.BinOp,), _binary),
    ((ast.AugAssign,), _augmented),
    ((ast.Compare,), _compare),
    ((ast.BoolOp,), _boolean),
    ((ast.UnaryOp,), _unary),
    ((ast.Constant,), _constant),
    ((ast.If, ast.While, ast.IfExp), _branch),
    ((ast.For,), _loop),
    ((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _filter),
    ((ast.Call,), _call),
    ((ast.Return,), _return),
    ((ast.Assign, ast.Expr, ast.Break, ast.Continue), _statement),
)
