"""What can be read from the text of Python sources without running them."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping

FORBIDDEN_MODULES = frozenset(
    {"sklearn", "torch", "tensorflow", "jax", "keras", "xgboost", "joblib", "pickle"}
)
"""Modules that no evaluation of a closed form needs: models, kernels and stored objects."""

FORBIDDEN_NAMES = frozenset(
    {
        "svd",
        "pca",
        "eim",
        "interp",
        "interp1d",
        "cubicspline",
        "univariatespline",
        "spline",
        "splev",
        "rbfinterpolator",
        "solve_ivp",
        "odeint",
        "quad",
        "load",
    }
)
"""Calls that make a stored basis, a table, an ODE or a quadrature part of an evaluation."""

_ABSOLUTE = re.compile(r"^(/(Users|home|root|data|mnt|scratch|tmp)/|[A-Za-z]:\\)")


def tree_of(text: str) -> ast.Module | None:
    """The syntax tree of a source, or None if it has none that can be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an agent's odd escapes are no concern of our user
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _trees(sources: Mapping[str, str]) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(sources):
        if (tree := tree_of(sources[path])) is not None:
            yield path, tree


def imports(text: str) -> frozenset[str]:
    """Top-level names of the modules that a source imports."""
    found: set[str] = set()
    for node in _walk(text):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def _walk(text: str) -> Iterator[ast.AST]:
    tree = tree_of(text)
    return iter(()) if tree is None else ast.walk(tree)


def calls(text: str) -> frozenset[str]:
    """Last parts of the names that a source calls, in lower case: `np.linalg.svd` gives svd."""
    found: set[str] = set()
    for node in _walk(text):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                found.add(node.func.attr.lower())
            elif isinstance(node.func, ast.Name):
                found.add(node.func.id.lower())
    return frozenset(found)


def strings(text: str) -> tuple[str, ...]:
    """String literals of a source, docstrings too, in order of the walk."""
    return tuple(
        node.value
        for node in _walk(text)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def absolute_paths(text: str) -> tuple[str, ...]:
    """String literals that are absolute paths of somebody's machine."""
    return tuple(s for s in strings(text) if _ABSOLUTE.match(s))


def swallowed(text: str) -> tuple[float, ...]:
    """Constants that a source returns from an `except` that catches everything."""
    found: list[float] = []
    for node in _walk(text):
        if isinstance(node, ast.ExceptHandler) and _catches_all(node):
            found += _returned(node.body)
    return tuple(found)


def _catches_all(node: ast.ExceptHandler) -> bool:
    return node.type is None or (
        isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
    )


def _returned(body: Iterable[ast.stmt]) -> list[float]:
    return [
        float(node.value.value)
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Return)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, int | float)
    ]


def falls_back(text: str) -> bool:
    """A symbolic search is imported or run in a `try` whose `except` fits a polynomial."""
    for node in _walk(text):
        if not isinstance(node, ast.Try):
            continue
        tried = _names(node.body)
        handled = _names(s for h in node.handlers for s in h.body)
        symbolic = any(w in n for n in tried for w in ("pysr", "gplearn", "symbolicregressor"))
        if symbolic and any(w in n for n in handled for w in ("polyfit", "polynomial", "lstsq")):
            return True
    return False


def _names(body: Iterable[ast.stmt]) -> set[str]:
    """All names, attributes and imported modules in statements, in lower case."""
    found: set[str] = set()
    for node in (n for s in body for n in ast.walk(s)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name.lower())
            case ast.ImportFrom(module=str(name)):
                found.add(name.lower())
    return found


def writes_a_file(text: str) -> bool:
    """A source calls something that writes: open for writing, save, dump, write_text and the like.

    True too where the source cannot be read, or hands the work to a module of its own: then nobody
    can say that it writes nothing.
    """
    if tree_of(text) is None:
        return True
    writers = {"save", "savez", "savez_compressed", "savetxt", "dump", "write", "write_text"}
    writers |= {"write_bytes", "to_csv", "to_json", "tofile", "open", "save_model", "main", "run"}
    known = {"numpy", "scipy", "json", "os", "sys", "math", "pathlib", "h5py", "time", "pickle"}
    return bool(calls(text) & writers) or bool(imports(text) - known)


def wrong_effective_spin(sources: Mapping[str, str]) -> str | None:
    """The place of `(chi1 + q*chi2)/(1 + q)`, in which the masses are exchanged; None if nowhere.

    With q = m1/m2 >= 1 the effective spin is (q*chi1 + chi2)/(1 + q).
    """
    for path, tree in _trees(sources):
        for node in ast.walk(tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _exchanged(node):
                return f"{path}:{node.lineno}"
    return None


def _exchanged(node: ast.BinOp) -> bool:
    top, bottom = node.left, node.right
    if not (isinstance(top, ast.BinOp) and isinstance(top.op, ast.Add)):
        return False
    if not (isinstance(bottom, ast.BinOp) and isinstance(bottom.op, ast.Add)):
        return False
    if {_text(bottom.left), _text(bottom.right)} != {"1", "q"}:
        return False
    terms = [_text(top.left), _text(top.right)]
    alone = [t for t in terms if "q*" not in t and "*q" not in t]
    with_q = [t for t in terms if t not in alone]
    first, second = "".join(alone), "".join(with_q)
    return _is_spin(first, "1") and _is_spin(second, "2")


def _is_spin(term: str, number: str) -> bool:
    return re.search(rf"(chi|s|spin)_?{number}", term) is not None


def _text(node: ast.expr) -> str:
    try:
        text = ast.unparse(node)
    except RecursionError:  # an expression that no formula of two spins is
        return ""
    return re.sub(r"[\s()]", "", text).lower().replace("1.0", "1")


def normalised(text: str, agents: Iterable[str]) -> str:
    """A source with agents' names made one token and blanks collapsed, to compare copies."""
    for agent in sorted(set(agents), key=lambda a: (-len(a), a)):
        alone = rf"(?<![A-Za-z0-9]){re.escape(agent)}(?![A-Za-z0-9])"
        text = re.sub(alone, "AGENT", text, flags=re.IGNORECASE)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def fingerprint(text: str) -> str:
    """A short hash of a normalised source."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def shared_lines(one: str, other: str) -> float:
    """The part of the longer source's lines that stand in the other too, as multisets."""
    a, b = one.splitlines(), other.splitlines()
    if not a or not b:
        return 0.0
    left: dict[str, int] = {}
    for line in b:
        left[line] = left.get(line, 0) + 1
    common = 0
    for line in a:
        if left.get(line, 0):
            left[line] -= 1
            common += 1
    return common / max(len(a), len(b))
