"""A finding for each leaf, by what became of the replay: by code, by the judge, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.evidence.roots import Evidence
from referee.grade.reproduction.code import ByCode, ReplayFacts, decide_by_code, decide_nothing
from referee.grade.reproduction.scheme import Scheme
from referee.judge.protocol import Judge, JudgedTask
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.schema import Metric, Node, Units
from referee.metric.rubric.tree import Leaf
from referee.record.canonical import canonical_json
from referee.replay.failures import Effect
from referee.replay.record import OUTPUTS, ReplayRecord


@dataclass(frozen=True)
class Findings:
    """A finding for each leaf of the rubric; `zeroed` are leaves that are 0 because of `reason`
    alone, which is the replay's."""

    of_leaf: Mapping[str, Finding]
    coded: ByCode
    zeroed: frozenset[str] = frozenset()
    reason: str | None = None

    def detail(self, name: str) -> str:
        """What was measured for a leaf, or why it was not, for people."""
        faults = self.coded.faults.get(name, {})
        told = [f"{case}: {what}" if case else what for case, what in faults.items()]
        made = self.coded.measured.get(name, {})
        values = {case: one.result for case, one in made.items()}
        if values:
            told.append(canonical_json(values.get("", values)).decode())
        return "; ".join(told)


@dataclass(frozen=True)
class Judging:
    """Who judges, and what a verdict rests on beside the evidence; no judge withholds."""

    judge: Judge | None
    audit: Path
    digests: Mapping[str, str] = field(default_factory=dict)


def findings_of(
    scheme: Scheme,
    record: ReplayRecord,
    effect: Effect,
    evidence: Evidence,
    judging: Judging,
) -> Findings:
    """Decide every leaf.

    `judge_prefix` looks at all that was frozen, complete or not. `source_only` lets leaves about
    the model be judged from the source, and nothing else earn anything. `zero` and `exclude` are 0
    everywhere: a candidate that leaves nothing had the starter before it.
    """
    if effect in ("zero", "exclude"):
        return nothing(scheme, record.reason or effect)
    if effect == "judge_prefix":
        facts = ReplayFacts.of(record)
        coded = decide_by_code(scheme.rubric, scheme.plans, evidence, scheme.module, facts)
        judged = tuple(leaf for leaf in scheme.rubric.leaves if leaf.node.how.by == "judge")
        return Findings(_merged(coded, _judged(scheme, judged, coded, evidence, judging)), coded)
    reason = record.reason or effect
    rest = nothing(scheme, reason)
    judged = tuple(leaf for leaf in scheme.rubric.leaves if is_about_the_source(leaf))
    source = Evidence({k: r for k, r in evidence.roots.items() if k != OUTPUTS}, evidence.limits)
    earned = _judged(scheme, judged, ByCode(), source, judging)
    zeroed = rest.zeroed - earned.keys()
    return replace(rest, of_leaf={**rest.of_leaf, **earned}, zeroed=zeroed)


def is_about_the_source(leaf: Leaf) -> bool:
    """Whether a leaf can be earned without any output: the judge alone decides it, and it is about
    the model."""
    node = leaf.node
    return node.how.by == "judge" and node.check is None and leaf.category == "Modeling"


def nothing(scheme: Scheme, reason: str) -> Findings:
    """Every leaf 0, for one reason."""
    coded = decide_nothing(scheme.plans, scheme.rubric, reason)
    every = {
        leaf.id: Finding(zero_of(leaf.node), None if leaf.node.check is None else False)
        for leaf in scheme.rubric.leaves
    }
    return Findings(every, coded, frozenset(every), reason)


def zero_of(node: Node) -> object:
    """The value of a finding that earns nothing."""
    match node.how:
        case Units(units=units):
            return dict.fromkeys(units, 0)
        case Metric():
            return None
        case _:
            return 0


def _merged(coded: ByCode, judged: Mapping[str, Finding]) -> dict[str, Finding]:
    merged = {**coded.findings, **judged}
    return {
        name: replace(found, check=coded.checks[name]) if name in coded.checks else found
        for name, found in merged.items()
    }


def _judged(
    scheme: Scheme,
    leaves: tuple[Leaf, ...],
    coded: ByCode,
    evidence: Evidence,
    judging: Judging,
) -> dict[str, Finding]:
    """Findings of judged leaves; those that code has failed are not asked about."""
    failed = {leaf.id: zero_of(leaf.node) for leaf in leaves if coded.checks.get(leaf.id) is False}
    asked = tuple(leaf.id for leaf in leaves if leaf.id not in failed)
    found = {name: Finding(value) for name, value in failed.items()}
    if not asked:
        return found
    if judging.judge is None:
        return found | {name: Finding(Withheld("judge_unavailable")) for name in asked}
    task = JudgedTask(
        rubric=scheme.rubric,
        evidence=evidence,
        leaves=asked,
        audit=judging.audit,
        digests=judging.digests,
        checks={n: _in_words(coded.checks[n]) for n in asked if n in coded.checks},
        rules=scheme.rules,
        contract=scheme.contract,
        module=scheme.module,
    )
    given = judging.judge.findings(task)
    lost = Finding(Withheld("judge_unavailable"))
    return found | {name: given.get(name, lost) for name in asked}


def _in_words(check: bool | Withheld) -> str:
    if isinstance(check, Withheld):
        return f"could not be decided ({check.reason})"
    return "the conditions hold" if check else "the conditions do not hold"
