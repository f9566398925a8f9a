"""What a rule and a finding are, and the set of all rules, ours and those of other packages."""

from __future__ import annotations

import importlib.metadata
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from referee.diagnose.case import Case
from referee.diagnose.tasks import TaskFacts
from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.record.text import bounded_text

Confidence = Literal["certain", "strong", "indicative"]
Effect = Literal["artifact", "claim", "rerun"]
Stage = Literal["A", "B", "C", "D", "E", "F", "G", "I"]

STAGES: dict[str, str] = {
    "I": "integrity",
    "A": "task understanding",
    "B": "method selection",
    "C": "code",
    "D": "evaluation",
    "E": "physics",
    "F": "verification",
    "G": "reporting",
}
ENTRY_POINTS = "referee.diagnosis_rules"
"""The group in which an installed package registers a rule, or a sequence of rules."""

VERSION = "2"
"""Of the rules of this package; a change that can change a finding changes it."""

_EVIDENCE_CHARS = 400
_CODE = re.compile(r"[A-GI][0-9]{1,3}[a-z]?")


class Finding(Frozen):
    """One thing that a rule found.

    `effect` stands on integrity findings: `artifact` makes the submission invalid and unranked,
    `claim` rejects the agent's own number and leaves the canonical score, `rerun` keeps the
    submission unranked until a canonical run has decided.
    """

    agent: str
    task: str
    stage: Stage
    code: str
    type: str
    evidence: str
    confidence: Confidence
    n_approaches: int
    effect: Effect | None = None


@dataclass(frozen=True)
class Hit:
    """What a rule's own function yields: evidence, and what differs from the rule's defaults."""

    evidence: str
    confidence: Confidence | None = None
    effect: Effect | None = None


Look = Callable[[Case], Iterable[Hit | str]]


@dataclass(frozen=True)
class Rule:
    """A deterministic question to a case: same files, same findings.

    `doc` says what it finds, why that matters and how it can be wrong. `confidence` is the
    greatest that it claims; a finding may claim less.
    """

    code: str
    name: str
    stage: Stage
    doc: str
    confidence: Confidence
    applies: Callable[[TaskFacts], bool]
    look: Look
    effect: Effect | None = None

    def find(self, case: Case) -> list[Finding]:
        """The findings of this rule, in its own order; none where it does not apply."""
        if not self.applies(case.task):
            return []
        found = (Hit(h) if isinstance(h, str) else h for h in self.look(case))
        hits = list(dict.fromkeys(found))  # what holds of two attempts of another arm is one thing
        return [
            Finding(
                agent=case.work.agent,
                task=case.work.task,
                stage=self.stage,
                code=self.code,
                type=self.name,
                evidence=bounded_text(" ".join(hit.evidence.split()), _EVIDENCE_CHARS),
                confidence=hit.confidence or self.confidence,
                n_approaches=case.work.scorecards,
                effect=hit.effect or self.effect,
            )
            for hit in hits
        ]


def every_task(task: TaskFacts) -> bool:
    """For rules that apply to all tasks."""
    return True


def surrogate_task(task: TaskFacts) -> bool:
    """For rules about the protocol of twenty approaches."""
    return task.surrogate


def only(*names: str) -> Callable[[TaskFacts], bool]:
    """For rules about named tasks."""
    return lambda task: task.name in names


def rule(
    code: str,
    name: str,
    confidence: Confidence,
    *,
    applies: Callable[[TaskFacts], bool] = every_task,
    effect: Effect | None = None,
) -> Callable[[Look], Rule]:
    """Make a `Rule` of a function that yields hits; its docstring is the rule's doc.

    Raises:
        BadInput: the code is not a stage's letter and a number, or the function has no docstring.
    """
    if not _CODE.fullmatch(code):
        raise BadInput(f"rule code {code!r}: a stage's letter and a number are wanted")

    def made(look: Look) -> Rule:
        doc = inspect.getdoc(look)
        if not doc:
            raise BadInput(f"rule {code} has no docstring", hint="say how it can be wrong")
        stage: Any = code[0]
        return Rule(code, name, stage, " ".join(doc.split()), confidence, applies, look, effect)

    return made


@dataclass(frozen=True)
class RuleSet:
    """Rules in order of their codes; the version names them all, those of other packages too."""

    rules: tuple[Rule, ...]
    version: str

    def diagnose(self, case: Case) -> tuple[Finding, ...]:
        """All findings on a case, integrity first, then stages A to G, each by rule number."""
        return tuple(f for r in self.rules for f in r.find(case))

    def by_code(self, code: str) -> Rule:
        """The rule of a code.

        Raises:
            BadInput: there is none.
        """
        for r in self.rules:
            if r.code == code:
                return r
        raise BadInput(f"there is no rule {code}", hint="list them all")


def rule_set(rules: Sequence[Rule], version: str = VERSION) -> RuleSet:
    """Rules as an ordered set.

    Raises:
        BadInput: two rules have one code.
    """
    codes = [r.code for r in rules]
    if twice := sorted({c for c in codes if codes.count(c) > 1}):
        raise BadInput(f"two rules have the code {twice[0]}", hint="rename one")
    return RuleSet(tuple(sorted(rules, key=_order)), version)


def _order(r: Rule) -> tuple[int, int, str]:
    number = int(re.sub(r"\D", "", r.code))
    return list(STAGES).index(r.stage), number, r.code


def plugged_in() -> tuple[list[Rule], list[str]]:
    """Rules of installed packages, and `NAME==VERSION` of each package that gives any.

    Raises:
        BadInput: an entry point cannot be imported, or is no rule and no sequence of rules.
    """
    rules: list[Rule] = []
    origins: set[str] = set()
    found = importlib.metadata.entry_points(group=ENTRY_POINTS)
    for entry in sorted(found, key=lambda e: (e.name, e.value)):
        try:
            value = entry.load()
        except (ImportError, AttributeError) as error:
            raise BadInput(f"diagnosis rules {entry.name} ({entry.value}): {error}") from None
        given = [value] if isinstance(value, Rule) else value
        if not isinstance(given, list | tuple) or not all(isinstance(r, Rule) for r in given):
            raise BadInput(f"diagnosis rules {entry.name} ({entry.value}): no Rule objects")
        rules += given
        if entry.dist is not None:
            origins.add(f"{entry.dist.name}=={entry.dist.version}")
    return rules, sorted(origins)
