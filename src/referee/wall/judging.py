"""What a phase of a check comes to, and whose fault it is when referee refuses something in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from referee.evidence.fault import EvidenceFault
from referee.record.fault import BadInput
from referee.record.text import bounded_text
from referee.wall.api import (
    CandidateError,
    CandidateFailure,
    CandidateResource,
    CandidateTimeout,
)

REASON_CHARS = 200
_ASKING = frozenset({"candidate", "artifact"})

Judged = tuple[str, str | None, str]
"""Outcome, reason and message."""


def is_evaluators(fault: BadInput | EvidenceFault, item: pytest.Item, own: Iterable[Path]) -> bool:
    """Whether a refusal that a check raised is the evaluator's, and none of the candidate's files.

    It is where the check has no way to the candidate, or where the fault names a file in one of the
    evaluator's `own` folders.
    """
    if not _ASKING & set(getattr(item, "fixturenames", ())):
        return True
    if fault.where is None:
        return False
    named = Path(fault.where)
    return named.is_absolute() and any(named.is_relative_to(folder) for folder in own)


def judge_phase(
    call: pytest.CallInfo[None], report: pytest.TestReport, *, ours: bool
) -> Judged | None:
    """Outcome, reason and message of one phase of a check that did not pass; None if it passed.
    `ours` says that what referee refused in it, if anything, is the evaluator's fault."""
    if hasattr(report, "wasxfail"):
        reason = "xfailed" if report.outcome == "skipped" else "xpassed"
        return "errored", reason, bounded_text(str(report.wasxfail))
    if call.excinfo is None:
        if report.outcome == "passed":
            return None
        return "errored", "xpassed", bounded_text(str(report.longrepr))
    error = call.excinfo.value
    message = bounded_text(_words_of(error))
    if isinstance(error, CandidateFailure):
        outcome = {CandidateTimeout: "timeout", CandidateResource: "resource"}.get(
            type(error), "failed"
        )
        reason = error.kind
        if isinstance(error, CandidateError):
            reason = f"exception:{error.exception}"
        return outcome, reason[:REASON_CHARS], message
    if isinstance(error, pytest.skip.Exception):
        return "errored", "skipped", message
    plain = _plain_failure(error, ours)
    if plain is None:
        return "errored", f"error:{type(error).__name__}"[:REASON_CHARS], message
    if call.when == "call":
        return "failed", plain, message
    return "errored", f"{call.when}:{plain}", message


def _plain_failure(error: BaseException, ours: bool) -> str | None:
    """The name of what a check says of the candidate by raising; None of a mistake in the check."""
    if isinstance(error, (AssertionError, pytest.fail.Exception)):
        return "assertion"
    return "refused" if isinstance(error, (BadInput, EvidenceFault)) and not ours else None


def _words_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as second:
        return f"(no message: {type(second).__name__} while it was built)"
