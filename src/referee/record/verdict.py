"""A verdict: all checks of one grading of one submission, and the scores that follow from them."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, JsonValue, StringConstraints, model_validator

from referee.record.canonical import sha256_json
from referee.record.measure import Measure
from referee.record.model import Frozen
from referee.record.reproduction import Reproduction
from referee.record.text import MESSAGE_CHARS

RECORD_VERSION: Final = 1
"""Version of everything below a run folder; another version is refused, never guessed at."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Rate = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(ge=0.0)]
Timing = dict[str, Seconds]
Message = Annotated[str, StringConstraints(max_length=MESSAGE_CHARS)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=200)]
CheckId = Annotated[str, StringConstraints(min_length=1, max_length=1000)]

CheckKind = Literal["public", "private", "regression"]
Outcome = Literal["passed", "failed", "errored", "timeout", "resource", "missing"]
Trust = Literal["wall", "in-process"]


class CheckResult(Frozen):
    """One locked question with one outcome.

    `reason` is a class such as `exception:ValueError`, `assertion` or `skipped`; `message` is for
    people and takes no part in any digest of content; `baseline_passed` is the outcome on the
    untouched snapshot.
    """

    id: CheckId
    kind: CheckKind
    contract: str | None = None
    outcome: Outcome
    reason: Reason | None = None
    message: Message = ""
    trust: Trust
    baseline_passed: bool

    @property
    def passed(self) -> bool:
        """Whether the outcome is `passed`; nothing else counts."""
        return self.outcome == "passed"


class Scores(Frozen):
    """Scores of one repair trial, each in [0, 1]; `pass2pass_empty` says that Pass2Pass is 1 only
    because no check passed on the untouched snapshot."""

    public: Rate
    private: Rate
    fail2pass: Rate
    pass2pass: Rate
    pass1: Literal[0, 1]
    pass2pass_empty: bool = False


class GraderFacts(Frozen):
    """What graded: the version of referee, the digest of its grading code, the limits it set."""

    version: str
    code_digest: Sha256
    limits: dict[str, JsonValue] = Field(default_factory=dict)


class EnforcementRow(Frozen):
    """How one limit was enforced in one phase (`agent`, `grade`, ...) of a trial."""

    phase: str
    limit: str
    by: str
    value: str


class Verdict(Frozen):
    """The whole of `verdict.json`.

    `refusal` is the named reason for which the submission was not applied; then `result_tree` is
    None and every check has failed. `environment` holds digests by name (`snapshot`, `packages`).
    `timing` is in seconds, by check id or phase. `measure` is there for artifact tasks. A
    verdict on a reproduction task has `reproduction`, and neither checks nor their scores.
    """

    record_version: Literal[1] = RECORD_VERSION
    task_id: str
    task_digest: Sha256
    submission_digest: Sha256
    base_tree: Sha256
    result_tree: Sha256 | None
    grader: GraderFacts
    environment: dict[str, str] = Field(default_factory=dict)
    checks: tuple[CheckResult, ...] = ()
    scores: Scores | None = None
    measure: Measure | None = None
    reproduction: Reproduction | None = None
    refusal: Reason | None = None
    enforcement: tuple[EnforcementRow, ...] = ()
    timing: Timing = Field(default_factory=dict)

    @model_validator(mode="after")
    def _closed(self) -> Verdict:
        ids = [check.id for check in self.checks]
        if len(set(ids)) != len(ids):
            raise ValueError("a check id stands twice in the verdict")
        asked = (bool(self.checks), self.scores is not None)
        if asked != ((True, True) if self.reproduction is None else (False, False)):
            raise ValueError("a verdict has checks and their scores, or a reproduction")
        if self.refusal is not None and any(check.passed for check in self.checks):
            raise ValueError("a refused submission has a passed check")
        return self

    @property
    def passed(self) -> bool:
        """Whether the submission is right: Pass@1, or a reproduction that is certainly complete."""
        if self.reproduction is not None:
            return self.reproduction.total.complete is True
        return self.scores is not None and self.scores.pass1 == 1

    @property
    def check_scores(self) -> Scores:
        """The scores of checks.

        Raises:
            ValueError: a rubric decided.
        """
        if self.scores is None:
            raise ValueError("a verdict on a reproduction has no scores of checks")
        return self.scores

    def content(self) -> dict[str, Any]:
        """What the verdict says, without what may differ between two equal gradings: messages
        (addresses, temporary paths), times, how the machine at hand enforced the limits, and the
        receipt of a replay, which holds a nonce."""
        value = self.as_json()
        for key in ("timing", "enforcement"):
            del value[key]
        if self.measure is None:  # as in records from before there were artifact tasks
            del value["measure"]
        if self.reproduction is None:
            del value["reproduction"]
        else:
            del value["reproduction"]["replay"]["record_sha256"]
            for leaf in value["reproduction"]["leaves"]:
                del leaf["detail"]
        for check in value["checks"]:
            del check["message"]
        return value

    @property
    def content_digest(self) -> str:
        """SHA-256 of `content()`: equal for two gradings that agree. It names the verdict's folder;
        the bytes of `verdict.json` are held by the ledger."""
        return sha256_json(self.content())
