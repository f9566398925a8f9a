"""The models of `validation.json`: what was graded, what came of it, and what that says."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from referee.record.model import Frozen
from referee.record.verdict import GraderFacts
from referee.task.model import Sha256

CaseKind = Literal[
    "reference",
    "nop",
    "alternative",
    "mutant",
    "hunk",
    "generated",
    "null",
    "budget",
    "partial",
    "wrong",
]
WRONG: tuple[CaseKind, ...] = ("mutant", "hunk", "generated")
"""Kinds of submissions that are wrong repairs, for the tables of what checks catch."""

SURVIVED = "it survived"
"""The note of a generated mutant that passed every check and was not judged equivalent."""

Whole = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Conditions(Frozen):
    """How a grading differed from a plain one; None and empty where it did not."""

    order: int | None = None
    env: dict[str, str] = Field(default_factory=dict)
    call_timeout_s: float | None = None
    timeout_s: float | None = None
    memory_mb: int | None = None
    pass1_only: bool = False


class CaseScores(Frozen):
    """The scores of one grading; None where its checks were not asked, because Pass@1 was
    decided without them."""

    public: Share | None
    private: Share
    fail2pass: Share
    pass2pass: Share | None
    pass1: Literal[0, 1]


class CaseRow(Frozen):
    """One submission that was graded. `caught_by` are the private and regression checks that it did
    not pass; `problem` says what fell short, `note` what an author should look at; `withheld` why
    there is no verdict; `again` why the machine failed a first grading, which was repeated.
    Generated mutants that are no wrong repairs at all have no scores. `patch` is kept for wrong
    repairs that passed. A reproduction has the exact `score` that came out and the one that was
    `expected`."""

    id: str
    kind: CaseKind
    what: str
    seed: Whole
    conditions: Conditions = Conditions()
    submission: Sha256
    scores: CaseScores | None = None
    caught_by: tuple[str, ...] = ()
    seconds: float = 0.0
    problem: str | None = None
    note: str | None = None
    withheld: str | None = None
    again: str | None = None
    patch: str | None = None
    expected: str | None = None
    score: str | None = None

    @property
    def caught(self) -> bool:
        """True if it was graded and did not pass."""
        return self.scores is not None and self.scores.pass1 == 0


class CatchRow(Frozen):
    """How many wrong repairs a check, or all checks of a contract, caught, and how many of them
    nothing else caught. `checks` is 1 for a check."""

    name: str
    contract: str | None
    checks: Whole
    caught: Whole
    only: Whole


class MutationScore(Frozen):
    """Generated mutants: candidates that there were, graded, caught, and judged equivalent by the
    author. `score` is caught / graded; `adjusted` leaves the equivalent ones out. Both are None
    where no mutant could be made."""

    candidates: Whole
    graded: Whole
    caught: Whole
    equivalent: Whole
    score: Share | None
    adjusted: Share | None


class Problem(Frozen):
    """Something that fell short, and the command that shows it again."""

    row: str
    what: str
    command: str


class Validation(Frozen):
    """The whole of `validation.json`. `parts` are the digests of the package's parts; `quick` and
    `partial` validations do not count. `reused` rows were graded by an earlier validation at the
    same checks by the same grader; `seconds` are those of both."""

    record_version: Literal[1] = 1
    canary: str | None
    task: str
    mode: Literal["full", "quick", "partial"]
    passed: bool
    parts: dict[str, Sha256]
    grader: GraderFacts
    seed: Whole
    repeats: Whole
    mutation: MutationScore
    contracts: tuple[CatchRow, ...]
    checks: tuple[CatchRow, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    rows: tuple[CaseRow, ...]
    seconds: float
    jobs: Whole
    reused: Whole = 0

    @property
    def survivors(self) -> tuple[CaseRow, ...]:
        """Generated mutants that passed, and that nobody has judged equivalent."""
        return tuple(row for row in self.rows if row.note == SURVIVED)

    @property
    def machine_failed(self) -> bool:
        """True if it did not pass and nothing fell short but what was withheld."""
        withheld = {row.id for row in self.rows if row.withheld}
        return not self.passed and {problem.row for problem in self.problems} <= withheld
