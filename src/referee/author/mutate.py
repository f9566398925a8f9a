"""Wrong repairs made from the lines that the reference itself changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from referee.author.operators import edits_of
from referee.author.operators_c import c_edits_of
from referee.author.variant import Workpiece, compiled, is_c, is_python, same_program
from referee.record.canonical import sha256_bytes, sha256_json
from referee.submission.apply import Applied
from referee.submission.linediff import changed_blocks, split_lines
from referee.submission.refusal import Refused

CAP = 40
ID_CHARS = 10


@dataclass(frozen=True)
class Mutant:
    """One generated wrong repair; `applied.patch` is its canonical patch against the snapshot.
    `id` is made of the operator and a hash of the changed file, so it is the same on every run."""

    id: str
    kind: str
    path: str
    line: int
    what: str
    applied: Applied


@dataclass(frozen=True)
class Generated:
    """The mutants that were taken, how many candidates there were, and what was left out."""

    mutants: tuple[Mutant, ...]
    candidates: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Candidate:
    id: str
    kind: str
    path: str
    line: int
    what: str
    content: bytes


def generate_mutants(
    work: Workpiece,
    *,
    cap: int = CAP,
    known: Collection[str] = (),
    without: Mapping[str, Collection[int]] | None = None,
) -> Generated:
    """Mutants of the reference, at most `cap`: each kind gets its turn, in an order that only the
    content of the mutants decides, so the same package has the same mutants everywhere.

    `known` are digests of trees that are graded anyway; `without` gives lines of repaired files
    that are not mutated. Candidates that do not compile, or that compile to the code of the
    reference or of the snapshot, are left out.
    """
    candidates: dict[str, _Candidate] = {}
    notes: list[str] = []
    for path in sorted(work.reference.changes):
        found, note = _candidates(work, path, (without or {}).get(path, ()))
        candidates |= {c.id: c for c in found}
        notes += [note] if note else []
    mutants: list[Mutant] = []
    seen = {work.reference.tree.digest, work.base.digest, *known}
    for candidate in _in_turn(list(candidates.values())):
        if len(mutants) >= cap:
            break
        applied = _applied(work, candidate)
        if applied is not None and applied.tree.digest not in seen:
            seen.add(applied.tree.digest)
            c = candidate
            mutants.append(Mutant(c.id, c.kind, c.path, c.line, c.what, applied))
    if len(candidates) > len(mutants) >= cap:
        notes.append(f"{cap} of {len(candidates)} candidates were taken, each kind in turn")
    return Generated(tuple(sorted(mutants, key=_position)), len(candidates), tuple(notes))


def _position(mutant: Mutant) -> tuple[str, int, str]:
    return mutant.path, mutant.line, mutant.id


def changed_lines(before: bytes | None, after: bytes) -> set[int]:
    """Lines of `after`, counted from 1, that are not in `before`."""
    blocks = changed_blocks(split_lines(before or b""), split_lines(after))
    return {line + 1 for block in blocks for line in range(block.b0, block.b1)}


def _candidates(
    work: Workpiece, path: str, without: Collection[int]
) -> tuple[list[_Candidate], str | None]:
    after = work.reference.changes[path]
    if after is None:
        return [], f"{path} is deleted: only dropped as a hunk"
    if not is_python(path) and not is_c(path):
        return [], f"{path} is neither Python nor C: only its hunks are dropped"
    before = work.before(path)
    lines = changed_lines(before, after) - set(without)
    try:
        after.decode("utf-8")
        edits = list(c_edits_of(after, lines, path) if is_c(path) else edits_of(after, lines))
    except (UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return [], f"{path} cannot be read here: only its hunks are dropped"
    found = [_candidate(path, e.kind, e.line, e.what, e.apply(after)) for e in edits]
    found += _reverted(path, before, after, lines)
    return [c for c in found if c.content != after], None


def _candidate(path: str, kind: str, line: int, what: str, content: bytes) -> _Candidate:
    name = sha256_json([path, sha256_bytes(content)])[:ID_CHARS]
    return _Candidate(f"{kind}-{name}", kind, path, line, what, content)


def _reverted(
    path: str, before: bytes | None, after: bytes, lines: Collection[int]
) -> Iterator[_Candidate]:
    """One block of changed lines put back as it was, where there are several."""
    if before is None:
        return
    old, new = split_lines(before), split_lines(after)
    blocks = changed_blocks(old, new)
    for block in blocks if len(blocks) > 1 else []:
        if block.b1 > block.b0 and not set(range(block.b0 + 1, block.b1 + 1)) <= set(lines):
            continue
        content = b"".join((*new[: block.b0], *old[block.a0 : block.a1], *new[block.b1 :]))
        what = f"lines {block.b0 + 1} to {max(block.b1, block.b0 + 1)} as they were"
        yield _candidate(path, "revert", block.b0 + 1, what, content)


def _applied(work: Workpiece, candidate: _Candidate) -> Applied | None:
    content = candidate.content
    if is_python(candidate.path):
        if compiled(content) is None:
            return None
        before = work.before(candidate.path)
        if same_program(content, work.reference.changes[candidate.path]):
            return None
        if len(work.reference.changes) == 1 and same_program(content, before):
            return None
    try:
        return work.variant({candidate.path: content})
    except Refused:
        return None


def _in_turn(candidates: list[_Candidate]) -> Iterator[_Candidate]:
    """One of each kind after the other, each kind in the order of the hashes in its ids."""
    kinds: defaultdict[str, list[_Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=lambda c: c.id):
        kinds[candidate.kind].append(candidate)
    queues = [iter(kinds[kind]) for kind in sorted(kinds)]
    while queues:
        for queue in list(queues):
            if (taken := next(queue, None)) is None:
                queues.remove(queue)
            else:
                yield taken
