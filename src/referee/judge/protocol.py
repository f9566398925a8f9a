"""What a judge is to the grading: one that says who it is and gives a finding for each leaf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from referee.evidence.measure import MetricModule
from referee.evidence.roots import Evidence
from referee.metric.rubric.leaf import Finding
from referee.metric.rubric.tree import Rubric


@dataclass(frozen=True, slots=True)
class Identity:
    """Who judges. `fingerprint` is the digest of everything about the judge that could change a
    verdict (not of the task); `stand_in` marks rules that we wrote, which are no model."""

    transport: str
    model: str
    stand_in: bool
    fingerprint: str


@dataclass(frozen=True)
class JudgedTask:
    """What a judge may know, and where it writes its private audit.

    `leaves` are the ids to decide, `checks` the results of their fail-only conditions in words,
    `digests` those of all that a verdict rests on beside what is here: rubric, policy, refs, the
    evidence tree and the receipt of the replay. `audit` is a private folder beside the verdict.
    """

    rubric: Rubric
    evidence: Evidence
    leaves: tuple[str, ...]
    audit: Path
    digests: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""
    contract: str = ""
    module: MetricModule | None = None


class Judge(Protocol):
    """Decides leaves: a `Finding` for each id of `task.leaves`, `Withheld` where it could not."""

    @property
    def identity(self) -> Identity: ...

    def findings(self, task: JudgedTask) -> Mapping[str, Finding]: ...
