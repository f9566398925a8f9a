"""Mutation operators for C: small wrong changes at given lines, as byte edits.

The source is read by tree-sitter, which needs no headers; whether a mutant builds shows when it is
graded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from referee.author.edit import Edit, shown
from referee.record.fault import BadInput

if TYPE_CHECKING:
    from tree_sitter import Node

_OPERATORS = {
    **{"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",)},
    **{"<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("|",)},
}
_COMPARISONS = {
    **{"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")},
    **{"==": ("!=",), "!=": ("==",)},
}
_ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
_SYMMETRIC = re.compile(r"(^|_)(f?max|f?min|hypot)$", re.IGNORECASE)
_SPEAKS = {"printf", "fprintf", "puts", "perror", "assert"}
_FREES = re.compile(r"(^|_)free(_|$)")
_NOTHING = ("0", "NULL")


def c_edits_of(source: bytes, lines: Collection[int], where: str) -> Iterator[Edit]:
    """Every edit of a C source that begins at one of `lines` (counted from 1).

    Raises:
        BadInput: the parser is not installed.
        ValueError: the source cannot be read as C.
    """
    try:
        import tree_sitter_c
        from tree_sitter import Language, Parser
    except ImportError:
        raise BadInput(
            "mutants of C need the packages tree-sitter and tree-sitter-c",
            where=where,
            hint="run `pip install 'referee[author]'`",
        ) from None
    root = Parser(Language(tree_sitter_c.language())).parse(source).root_node
    if root.type != "translation_unit" or all(c.type == "ERROR" for c in root.named_children):
        raise ValueError("not C")
    wanted = set(lines)
    for node in _nodes(root):
        if node.start_point[0] + 1 in wanted and (make := _MAKERS.get(node.type)):
            yield from make(node)


def _nodes(node: Node) -> Iterator[Node]:
    if node.type == "ERROR" or node.type.startswith("preproc_"):
        # code under conditions of the preprocessor is still code
        if not node.type.startswith("preproc_if") and node.type != "preproc_else":
            return
    elif _without_effect(node):
        return
    yield node
    for child in node.named_children:
        yield from _nodes(child)


def _without_effect(node: Node) -> bool:
    """True for calls that change no answer: they print, or give memory back."""
    name = _name_of(node) if node.type == "call_expression" else ""
    return name in _SPEAKS or _FREES.search(name) is not None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _replace(kind: str, node: Node, text: str) -> Edit:
    what = f"`{shown(_text(node))}` becomes `{shown(text)}`"
    return Edit(kind, node.start_point[0] + 1, what, node.start_byte, node.end_byte, text.encode())


def _part(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def _binary(node: Node) -> Iterator[Edit]:
    left, operator, right = (_part(node, n) for n in ("left", "operator", "right"))
    if left is None or operator is None or right is None:
        return
    sides = (_text(left), _text(right))
    symbol = _text(operator)
    for other in _COMPARISONS.get(symbol, ()):
        yield _replace("comparison", node, f"{sides[0]} {other} {sides[1]}")
    for other in _OPERATORS.get(symbol, ()):
        yield _replace("operator", node, f"({sides[0]} {other} {sides[1]})")
        for side in sides:
            yield _replace("term", node, f"({side})")
    if symbol in ("&&", "||"):
        other = "||" if symbol == "&&" else "&&"
        yield _replace("boolean", node, f"({sides[0]} {other} {sides[1]})")
        for side in sides:
            yield _replace("boolean", node, f"({side})")


def _unary(node: Node) -> Iterator[Edit]:
    operator, argument = _part(node, "operator"), _part(node, "argument")
    if operator is not None and argument is not None and _text(operator) in ("!", "-", "~"):
        yield _replace("operator", node, f"({_text(argument)})")


def _number(node: Node) -> Iterator[Edit]:
    if node.parent is not None and node.parent.type == "array_declarator":
        return  # more room is not seen, and less is undefined
    text = _text(node)
    yield _replace("constant", node, f"({text} + 1)")
    if text.strip("0.fFlLuU") or "x" in text:
        yield _replace("constant", node, f"({text} - 1)")


def _branch(node: Node) -> Iterator[Edit]:
    test = _part(node, "condition")
    if test is None:
        return
    for value in ("0",) if node.type == "while_statement" else ("0", "1"):
        yield _replace("branch", test, f"({value})")


def _loop(node: Node) -> Iterator[Edit]:
    if (test := _part(node, "condition")) is not None:
        yield _replace("branch", test, "0")


def _return(node: Node) -> Iterator[Edit]:
    if node.named_children and _text(node.named_children[0]) not in _NOTHING:
        yield _replace("constant-return", node, "return 0;")


def _statement(node: Node) -> Iterator[Edit]:
    inner = node.named_children[0] if node.named_children else None
    if inner is None or not _without_effect(inner):
        yield _replace("statement", node, ";")


def _assignment(node: Node) -> Iterator[Edit]:
    operator, left, right = (_part(node, n) for n in ("operator", "left", "right"))
    if operator is None or left is None or right is None:
        return
    if (other := _ASSIGNMENTS.get(_text(operator))) is not None:
        yield _replace("operator", node, f"{_text(left)} {other} {_text(right)}")


def _update(node: Node) -> Iterator[Edit]:
    text = _text(node)
    yield _replace("operator", node, text.replace("++", "--") if "++" in text else text)


def _call(node: Node) -> Iterator[Edit]:
    arguments, function = _part(node, "arguments"), _part(node, "function")
    if arguments is None or function is None or _SYMMETRIC.search(_name_of(node)):
        return
    if function.type == "parenthesized_expression":  # `(type)(value)` reads like a call
        return
    words = [_text(child) for child in arguments.named_children]
    for index in range(len(words) - 1):
        pair = words[index : index + 2]
        if pair[0] != pair[1]:
            swapped = [*words[:index], *pair[::-1], *words[index + 2 :]]
            yield _replace("arguments", node, f"{_text(function)}({', '.join(swapped)})")
    if len(words) == 1:
        yield _replace("call", node, f"({words[0]})")


def _name_of(node: Node) -> str:
    function = _part(node, "function")
    return "" if function is None else _text(function)


_MAKERS: dict[str, Callable[[Node], Iterator[Edit]]] = {
    "binary_expression": _binary,
    "unary_expression": _unary,
    "number_literal": _number,
    "if_statement": _branch,
    "while_statement": _branch,
    "conditional_expression": _branch,
    "for_statement": _loop,
    "return_statement": _return,
    "expression_statement": _statement,
    "break_statement": _statement,
    "continue_statement": _statement,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "call_expression": _call,
}
