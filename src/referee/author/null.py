"""Null submissions: repairs that do nothing useful, which must earn nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from referee.author.edit import parsed
from referee.author.mutate import changed_lines
from referee.author.variant import Workpiece, compiled, is_python
from referee.submission.apply import Applied
from referee.submission.refusal import Refused

_BODIES: Mapping[str, tuple[str, str]] = {
    "raise": ("every changed function raises", 'raise RuntimeError("null")'),
    "none": ("every changed function returns None", "return None"),
    "zero": ("every changed function returns zero", "return 0.0"),
    "nan": ("every changed function returns NaN", 'return float("nan")'),
    "sleep": ("every changed function sleeps", '__import__("time").sleep(86400)'),
    "exit": ("every changed function ends the process", '__import__("os")._exit(0)'),
}
_AT_IMPORT = ("raise", "sleep", "exit")


@dataclass(frozen=True)
class NullSubmission:
    """One of them; `id` is its kind."""

    id: str
    what: str
    applied: Applied


def null_submissions(work: Workpiece) -> tuple[NullSubmission, ...]:
    """Null submissions in the places that the reference changes: emptied files, and functions that
    raise, return nothing, zero or NaN, sleep, or end the process. Where no function changes, those
    that can do so act when the module is imported. The empty patch is not among them.
    """
    made = [
        NullSubmission(name, what, applied)
        for name, (what, body) in _BODIES.items()
        if (applied := _with_body(work, name, body)) is not None
    ]
    blank: dict[str, bytes | None] = {
        path: None if data is None else b"" for path, data in work.reference.changes.items()
    }
    if (emptied := _variant(work, blank)) is not None:
        made.append(NullSubmission("blank", "every changed file is empty", emptied))
    return tuple(made)


def _with_body(work: Workpiece, name: str, body: str) -> Applied | None:
    files: dict[str, bytes | None] = {}
    for path, after in work.reference.changes.items():
        if after is None or not is_python(path):
            continue
        edited = null_functions(after, changed_lines(work.before(path), after), body)
        if edited != after and compiled(edited) is not None:
            files[path] = edited
    if not files and name in _AT_IMPORT:
        for path, after in work.reference.changes.items():
            if after is not None and is_python(path):
                files[path] = after + b"\n" + body.encode() + b"\n"
    return _variant(work, files) if files else None


def _variant(work: Workpiece, files: Mapping[str, bytes | None]) -> Applied | None:
    try:
        applied = work.variant(files)
    except Refused:
        return None
    return applied if applied.changes else None


def null_functions(source: bytes, lines: set[int], body: str) -> bytes:
    """The source with `body` as the first statement of each outermost function that has one of
    `lines`; the source itself if it cannot be read."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError):
        return source
    rows = source.split(b"\n")
    for function in sorted(_outermost(tree), key=lambda f: f.lineno, reverse=True):
        if not lines & set(range(function.lineno, (function.end_lineno or 0) + 1)):
            continue
        first = function.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            if len(function.body) == 1:
                continue
            first = function.body[1]
        decorators = getattr(first, "decorator_list", [])
        line = decorators[0].lineno if decorators else first.lineno
        indent, rest = rows[line - 1][: first.col_offset], rows[line - 1][first.col_offset :]
        if indent.strip():
            rows[line - 1] = indent + body.encode() + b"; " + rest
        else:
            rows.insert(line - 1, indent + body.encode())
    return b"\n".join(rows)


def _outermost(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
        else:
            yield from _outermost(child)
