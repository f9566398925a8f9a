"""Wrong repairs that are right for the public inputs alone.

The public programs run once on a reference whose changed functions write down what they are called
with. A special case is the reference whose functions look their arguments up in that list: found,
they do as the reference does; else as the snapshot does. It passes everything that is public, as
the repair of an agent that only satisfies the reported case would.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.author.edit import parsed
from referee.author.mutate import ID_CHARS, Mutant, changed_lines
from referee.author.variant import Workpiece, compiled, is_python
from referee.author.visible import PUBLIC_CHECKS, REPRODUCE, run_visibly
from referee.grade.workspace import Bench
from referee.record.canonical import sha256_bytes, sha256_json
from referee.submission.apply import Applied
from referee.submission.refusal import Refused
from referee.task.package import TaskPackage

KIND = "special-case"
MOST_CALLS = 5_000
MOST_SINGLE = 3
_RECORD = "/tmp/special-calls"

_INSIDE = Path(__file__).with_name("special_inside.py").read_text()


@dataclass(frozen=True)
class SpecialCases:
    """Mutants that answer public inputs alone, and why there are no others."""

    mutants: tuple[Mutant, ...]
    notes: tuple[str, ...]


def changed_functions(before: bytes | None, after: bytes) -> tuple[str, ...]:
    """Dotted names of the functions at the top of a module or of its classes that have a changed
    line, and that were there before."""
    if before is None:
        return ()
    lines = changed_lines(before, after)
    removed = changed_lines(after, before)
    try:
        old, new = dict(_functions(parsed(before))), dict(_functions(parsed(after)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        name
        for name, spans in new.items()
        if name in old and (lines & set(spans) or removed & set(old[name]))
    )


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, range]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, range(child.lineno, (child.end_lineno or 0) + 1)
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def special_cases(
    bench: Bench, task: TaskPackage, work: Workpiece, *, most_single: int = MOST_SINGLE
) -> SpecialCases:
    """One mutant in which every changed function is right for the public calls alone; where several
    functions change, also one for each (at most `most_single`) in which the others are right.

    Raises:
        BadInput: the reference does not build.
        Infrastructure: the sandbox failed.
    """
    targets = {
        path: names
        for path, after in work.reference.changes.items()
        if after is not None
        and is_python(path)
        and (names := changed_functions(work.before(path), after))
    }
    if not targets:
        return SpecialCases((), ("no special cases: no Python function changes",))
    recorder = _edited(work, targets, lambda names, _before: _call("record", names, _RECORD))
    if recorder is None:
        return SpecialCases((), ("no special cases: the recording reference is refused",))
    called = _recorded(bench, task, recorder)
    calls = tuple(dict.fromkeys(digest for digest, _name in called))
    if not calls or len(calls) > MOST_CALLS:
        said = "none" if not calls else f"more than {MOST_CALLS}"
        note = f"no special cases: {said} of the public calls reach the changed functions"
        return SpecialCases((), (note,))
    found = [_mutant(work, targets, calls, "every changed function")]
    singles = [(path, name) for path, names in targets.items() for name in names]
    reached = {name for _digest, name in called}
    notes = []
    for path, name in singles[:most_single] if len(singles) > 1 else []:
        if name in reached:
            found.append(_mutant(work, {path: (name,)}, calls, name))
        else:  # what nobody calls by its name, such as an entry of a list, is not replaced either
            notes.append(f"no special case of {name} alone: no public call reaches it")
    return SpecialCases(tuple(m for m in found if m is not None), tuple(notes))


def _recorded(bench: Bench, task: TaskPackage, recorder: Applied) -> tuple[tuple[str, str], ...]:
    """What was called in public: a digest of the arguments, and the function's name."""
    programs = (REPRODUCE, PUBLIC_CHECKS, ("cat", _RECORD))
    *_ran, said = run_visibly(bench, task, recorder, programs)
    if said.exit_code != 0:
        return ()
    lines = dict.fromkeys(said.stdout.decode("utf-8", "replace").splitlines())
    return tuple((digest, name) for line in lines for digest, _, name in [line.partition(" ")])


def _mutant(
    work: Workpiece, targets: Mapping[str, tuple[str, ...]], calls: tuple[str, ...], what: str
) -> Mutant | None:
    def text(names: tuple[str, ...], before: bytes) -> str:
        return _call("choose", names, " ".join(calls), before.decode("utf-8", "replace"))

    applied = _edited(work, targets, text)
    if applied is None:
        return None
    path = next(iter(targets))
    content = sha256_json([[p, sha256_bytes(applied.changes[p] or b"")] for p in sorted(targets)])
    said = f"{what} is right for the public calls and as before for others"
    return Mutant(f"{KIND}-{content[:ID_CHARS]}", KIND, path, 1, said, applied)


def _call(function: str, names: tuple[str, ...], *values: str) -> str:
    given = ", ".join(map(repr, (list(names), *values)))
    return f"_special_{function}(globals(), {given})"


def _edited(
    work: Workpiece,
    targets: Mapping[str, tuple[str, ...]],
    text: Callable[[tuple[str, ...], bytes], str],
) -> Applied | None:
    """The reference with a text at the end of each file; None if it is refused or no Python."""
    files: dict[str, bytes | None] = {}
    for path, names in targets.items():
        after, before = work.reference.changes[path], work.before(path)
        assert after is not None
        assert before is not None
        end = f"\n\n{_INSIDE}\n\n{text(names, before)}\n"
        files[path] = after.rstrip(b"\n") + end.encode()
        if compiled(files[path] or b"") is None:
            return None
    try:
        return work.variant(files)
    except Refused:
        return None
