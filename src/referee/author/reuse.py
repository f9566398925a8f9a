"""Rows of an earlier validation that still hold: same grader, same checks, same submission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.author.cases import Case
from referee.author.evidence import VALIDATION
from referee.author.validation import SURVIVED, CaseRow, Validation
from referee.grade.facts import grader_facts
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.task.strict import read_json

_FIXED_PARTS = ("task", "baseline", "source", "lock")


def earlier_validation(root: Path, parts: Mapping[str, str]) -> Validation:
    """The last full validation of a package whose checks, environment and grader are the present
    ones; the reference and the repairs beside it may have changed.

    Raises:
        BadInput: there is none.
    """
    path = root / VALIDATION
    again = f"run `referee task validate {root}` without --reuse"
    if not path.is_file():
        raise BadInput(
            "there is no validation whose gradings could be reused", where=path, hint=again
        )
    last = read_json(path, Validation)
    changed = [name for name in _FIXED_PARTS if last.parts.get(name) != parts[name]]
    if last.mode != "full" or last.grader != grader_facts():
        changed.append("the grader" if last.mode == "full" else "the kind of validation")
    if changed:
        what = f"its gradings cannot be reused: {', '.join(changed)} changed since"
        raise BadInput(what, where=path, hint=again)
    return last


def still_holding(cases: Sequence[Case], last: Validation) -> dict[str, CaseRow]:
    """The earlier rows that say of a case what grading it again would say."""
    earlier = {row.id: row for row in last.rows}
    found = {}
    for case in cases:
        row = earlier.get(case.id)
        if row is not None and (again := _judged_again(case, row)) is not None:
            found[case.id] = again
    return found


def _judged_again(case: Case, row: CaseRow) -> CaseRow | None:
    """The row under the declarations of today; None if it has to be graded."""
    same = (row.kind, row.seed, row.submission) == (case.kind, case.seed, sha256_bytes(case.patch))
    if not same or row.problem is not None or row.withheld is not None:
        return None
    passed = row.scores is not None and row.scores.pass1 == 1
    if case.kind == "hunk" and passed != (case.cosmetic is not None):
        return None
    if case.kind == "generated" and row.caught and case.equivalent is not None:
        return None
    note = row.note
    if case.kind == "hunk" and passed:
        note = case.cosmetic
    elif case.kind == "generated" and passed:
        note = f"judged equivalent: {case.equivalent}" if case.equivalent else SURVIVED
    return row.model_copy(update={"what": case.what, "note": note})
