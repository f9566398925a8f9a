"""How much of hidden material stands in public text: shares of token n-grams, and named paths."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from referee.author.edit import parsed
from referee.author.mutate import changed_lines
from referee.author.variant import Workpiece, is_python
from referee.record.tree import scan_tree
from referee.submission.linediff import split_lines
from referee.submission.policy import is_binary
from referee.task.package import TaskPackage

GRAM = 8
"""Tokens of an n-gram: long enough that two authors do not write the same by chance."""

MOST_TOLD = 0.02
MOST_REFERENCE = 0.05
MOST_ASSERTIONS = 0.10
"""The largest shares: of either in what is told, and of each in the whole public package."""

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")
Grams = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Overlap:
    """What an agent is told and shown, against what it must not see. `told` is the instruction and
    the context, `shown` all public text; shares are between 0 and 1 of the hidden n-grams. `named`
    are changed files whose path is told; an artifact's files are named by the task itself."""

    reference_grams: int
    reference_told: float
    reference_shown: float
    assertion_grams: int
    assertions_told: float
    assertions_shown: float
    named: tuple[str, ...]

    def problems(self) -> tuple[str, ...]:
        """What passes a threshold."""
        found = []
        if max(self.reference_told, self.assertions_told) > MOST_TOLD:
            found.append(
                f"{self.reference_told:.1%} of the reference's and {self.assertions_told:.1%} of "
                "the hidden assertions' n-grams stand in the instruction or its context; at most "
                f"{MOST_TOLD:.0%} may"
            )
        if self.reference_shown > MOST_REFERENCE:
            found.append(
                f"{self.reference_shown:.1%} of the reference's n-grams stand in the public "
                f"package; at most {MOST_REFERENCE:.0%} may"
            )
        if self.assertions_shown > MOST_ASSERTIONS:
            found.append(
                f"{self.assertions_shown:.1%} of the hidden assertions' n-grams stand in the "
                f"public package; at most {MOST_ASSERTIONS:.0%} may"
            )
        if self.named:
            found.append(f"the instruction or its context names {', '.join(self.named)}")
        return tuple(found)

    def facts(self) -> dict[str, JsonValue]:
        """The numbers, for a line of evidence."""
        return {
            "reference_grams": self.reference_grams,
            "reference_told": round(self.reference_told, 4),
            "reference_shown": round(self.reference_shown, 4),
            "assertion_grams": self.assertion_grams,
            "assertions_told": round(self.assertions_told, 4),
            "assertions_shown": round(self.assertions_shown, 4),
            "named": list(self.named),
        }


def measure_overlap(task: TaskPackage, work: Workpiece) -> Overlap:
    """The overlap of a task's public package with its reference and its hidden assertions."""
    told_text, shown_text = public_text(task)
    told, shown = grams(told_text), grams(shown_text)
    reference = reference_grams(work)
    hidden: Grams = frozenset().union(
        *(assertion_grams(p.read_bytes()) for p in hidden_tests(task))
    )
    return Overlap(
        len(reference),
        share(reference, told),
        share(reference, shown),
        len(hidden),
        share(hidden, told),
        share(hidden, shown),
        _named(task, work, told_text),
    )


def _named(task: TaskPackage, work: Workpiece, told: str) -> tuple[str, ...]:
    if task.agent.file.referee.kind == "artifact":
        return ()
    return tuple(path for path in sorted(work.reference.changes) if path in told)


def tokens(text: str) -> list[str]:
    """Words, numbers and single signs, without blanks."""
    return _TOKEN.findall(text)


def grams(text: str, size: int = GRAM) -> Grams:
    """Every run of `size` tokens."""
    row = tokens(text)
    return frozenset(tuple(row[i : i + size]) for i in range(len(row) - size + 1))


def share(hidden: Grams, public: Grams) -> float:
    """The part of the hidden n-grams that is public; 0 if there are none."""
    return len(hidden & public) / len(hidden) if hidden else 0.0


def public_text(task: TaskPackage) -> tuple[str, str]:
    """What an agent is told (instruction, context, science), and all that it is shown."""
    told, shown = [task.agent.instruction], []
    for folder in ("context", "science", "public"):
        root = task.root / "environment" / folder
        for path in scan_tree(root).files if root.is_dir() else ():
            data = (root / path).read_bytes()
            if not is_binary(data):
                shown.append(data.decode("utf-8", "replace"))
                if folder != "public":
                    told.append(shown[-1])
    return "\n".join(told), "\n".join([task.agent.instruction, *shown])


def reference_grams(work: Workpiece) -> Grams:
    """N-grams of the lines that the reference adds, without those of the files as they were."""
    found: set[tuple[str, ...]] = set()
    for path, text in added_text(work).items():
        before = (work.before(path) or b"").decode("utf-8", "replace")
        found |= grams(text) - grams(before)
    return frozenset(found)


def added_text(work: Workpiece) -> Mapping[str, str]:
    """The lines that the reference adds, by path; comments of Python files are left out."""
    made = {}
    for path, after in work.reference.changes.items():
        if after is None or is_binary(after):
            continue
        rows = split_lines(after)
        lines = [
            rows[n - 1].decode("utf-8", "replace")
            for n in sorted(changed_lines(work.before(path), after))
        ]
        if is_python(path):
            lines = [line for line in lines if not line.lstrip().startswith("#")]
        made[path] = "".join(lines)
    return made


def hidden_tests(task: TaskPackage) -> Iterator[Path]:
    """The hidden Python files of a task."""
    yield from sorted((task.evaluator.tests / "private").rglob("*.py"))


def assertion_grams(source: bytes) -> Grams:
    """N-grams of the assert statements of a test file, and of its calls of `assert_...`."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError):
        return frozenset()
    found: set[tuple[str, ...]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and _asserts(node)):
            found |= grams(ast.unparse(node))
    return frozenset(found)


def _asserts(node: ast.Call) -> bool:
    name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
    return str(name).startswith("assert")
