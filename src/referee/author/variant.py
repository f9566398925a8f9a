"""The reference repair of a task as changes to its snapshot, and variants of it."""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from referee.environment.snapshot import Snapshot
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.record.tree import EXECUTABLE, REGULAR, Tree
from referee.submission.apply import Applied, settle, tree_reader
from referee.submission.policy import Policy
from referee.submission.refusal import Refused
from referee.submission.render import Reader
from referee.task.package import TaskPackage
from referee.trial.reference import reference_changes

_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Workpiece:
    """A snapshot and its reference repair: what wrong repairs are made from."""

    base: Tree
    read: Reader
    policy: Policy
    reference: Applied

    def before(self, path: str) -> bytes | None:
        """The bytes of a file in the snapshot, or None."""
        return self.read(path) if path in self.base.files else None

    def variant(self, files: Mapping[str, bytes | None]) -> Applied:
        """The reference with other bytes (None: no file) at these paths.

        Raises:
            Refused: the result passes a limit of the task.
        """
        changes = {**self.reference.changes, **files}
        modes = {path: self._mode(path) for path in changes}
        return settle(self.base, self.read, changes, modes, self.policy)

    def _mode(self, path: str) -> str:
        if path in self.reference.modes:
            return self.reference.modes[path]
        entry = self.base.files.get(path)
        return REGULAR if entry is None else entry.mode


def open_workpiece(store: Store, task: TaskPackage, snapshot: Snapshot) -> Workpiece:
    """The workpiece of a task.

    Raises:
        BadInput: the reference does not apply, passes a limit, or changes nothing.
    """
    where = task.evaluator.solution / "reference.toml"
    policy = Policy.of_task(task)
    read = tree_reader(snapshot.manifest, snapshot.tree)
    changes: dict[str, bytes | None] = {}
    modes: dict[str, str] = {}
    for path, change in reference_changes(store, task, snapshot).items():
        changes[path] = None if change is None else change[0]
        if change is not None:
            modes[path] = EXECUTABLE if change[1] & 0o111 else REGULAR
    try:
        reference = settle(snapshot.manifest, read, changes, modes, policy)
    except Refused as refused:
        raise BadInput(f"the reference is refused ({refused.refusal})", where=where) from None
    if not reference.changes:
        raise BadInput("the reference changes nothing", where=where)
    return Workpiece(snapshot.manifest, read, policy, reference)


def is_python(path: str) -> bool:
    """True for Python sources."""
    return path.endswith(".py")


def is_c(path: str) -> bool:
    """True for C sources and headers, the other ones that mutants are generated from."""
    return path.endswith((".c", ".h"))


def compiled(source: bytes) -> types.CodeType | None:
    """The code of a Python source without its docstrings, or None if it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            for node in ast.walk(tree):
                if isinstance(node, _WITH_DOCSTRING) and _has_docstring(node):
                    # a `pass` in its place would stand before a __future__ import
                    first = node.body.pop(0)
                    if not node.body and not isinstance(node, ast.Module):
                        node.body.append(ast.copy_location(ast.Pass(), first))
            return compile(tree, "<variant>", "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _has_docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> bool:
    first = node.body[0] if node.body else None
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def same_program(first: bytes | None, second: bytes | None) -> bool:
    """True if two Python sources compile to the same code, wherever its lines stand: then they
    differ in comments, docstrings or layout alone."""
    if first is None or second is None:
        return first == second
    one, two = compiled(first), compiled(second)
    return one is not None and two is not None and _bare(one) == _bare(two)


def _bare(code: types.CodeType) -> tuple[object, ...]:
    return (
        code.co_code,
        code.co_exceptiontable,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_name,
        tuple(_constant(value) for value in code.co_consts),
    )


def _constant(value: object) -> object:
    if isinstance(value, types.CodeType):
        return _bare(value)
    # 1 == 1.0 == True and 0.0 == -0.0, and they are not the same program
    return (type(value).__name__, repr(value))
