"""What code decides: findings of leaves from recomputed numbers and from the replay's record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from referee.evidence.fault import EvidenceFault, EvidenceLimit
from referee.evidence.manifest import Manifest, read_manifest
from referee.evidence.measure import Measurement, MetricModule
from referee.evidence.plan import AcrossCases, CarriedOut, EachCase, carry_out
from referee.evidence.roots import Evidence
from referee.grade.reproduction.plans import GATE, OfReplay, Plans
from referee.metric.rubric.embodied import gate_of
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.numeric import coded_finding, hybrid_check
from referee.metric.rubric.tree import Rubric
from referee.record.canonical import canonical_json
from referee.replay.record import ReplayRecord


@dataclass(frozen=True)
class ReplayFacts:
    """What conditions of a leaf about the replay can point to; times in seconds. `named` says that
    the script printed the nonce of this very replay."""

    completed: bool
    exit_code: int | None
    wall_s: float | None
    timed_out: bool
    unchanged: bool
    outputs: int
    output_bytes: int
    named: bool = False

    @classmethod
    def of(cls, record: ReplayRecord) -> ReplayFacts:
        """The facts of a record."""
        outputs = record.outputs or {}
        return cls(
            completed=record.status == "completed",
            exit_code=record.exit_code,
            wall_s=record.wall_s,
            timed_out=record.timed_out,
            unchanged=record.source_inputs_unchanged is True,
            outputs=len(outputs),
            output_bytes=sum(fact.size for fact in outputs.values()),
            named=record.nonce_in_console,
        )


@dataclass(frozen=True)
class ByCode:
    """`findings` has every leaf that code decides, `checks` what the fail-only conditions of a leaf
    came to. For each of these leaves `measured` has the measurements by case, and `faults` says by
    case (or under the empty name) why there is none. `groups` says whether each evidence group is
    met: all that its plan asks for could be measured. `gate` bounds the factor of coverage, None
    where the rubric has none."""

    findings: Mapping[str, Finding] = field(default_factory=dict)
    checks: Mapping[str, bool | Withheld] = field(default_factory=dict)
    measured: Mapping[str, Mapping[str, Measurement]] = field(default_factory=dict)
    faults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    groups: Mapping[str, bool | Withheld] = field(default_factory=dict)
    gate: tuple[Fraction, Fraction] | None = None


def decide_by_code(
    rubric: Rubric, plans: Plans, evidence: Evidence, module: MetricModule, facts: ReplayFacts
) -> ByCode:
    """Carry out each plan once, and look at the conditions of each leaf.

    What the candidate lacks is 0 with its reason; what the evaluator could not look at, or what its
    own module failed on, is withheld.
    """
    at_hand = _Hands(evidence, module, facts)
    done = {name: at_hand.carry_out(plan) for name, plan in plans.items()}
    findings: dict[str, Finding] = {}
    checks: dict[str, bool | Withheld] = {}
    for name, outcome in done.items():
        if name not in rubric.by_id:
            continue
        node = rubric.by_id[name].node
        if node.check is not None:
            checks[name] = hybrid_check(node, outcome.returned)
        if node.how.by == "code":
            findings[name] = coded_finding(node, outcome.returned)
    return ByCode(
        findings=findings,
        checks=checks,
        measured={name: outcome.made for name, outcome in done.items()},
        faults={name: outcome.faults for name, outcome in done.items() if outcome.faults},
        groups={group.id: _is_met(done[group.id].returned) for group in rubric.root.groups},
        gate=_gate(rubric, done.get(GATE)),
    )


def _is_met(returned: Any) -> bool | Withheld:
    """Whether everything that a plan asks for is there."""
    found = list(returned.values()) if isinstance(returned, Mapping) else [returned]
    if not found or any(one is None for one in found):
        return False
    return next((one for one in found if isinstance(one, Withheld)), True)


def _gate(rubric: Rubric, outcome: CarriedOut | None) -> tuple[Fraction, Fraction] | None:
    policy = rubric.root.gate_and_cap
    if policy is None or outcome is None:
        return None
    told = outcome.returned
    if told is None:
        return Fraction(0), Fraction(0)
    try:
        gate = gate_of(policy, told["coverage"], int(told["seen"]), int(told["planned"]))
    except (KeyError, TypeError, ValueError):
        return Fraction(0), Fraction(1)  # the evaluator's own failure leaves it open
    return gate, gate


class _Hands:
    """Reads the manifest once, and carries out equal plans once."""

    def __init__(self, evidence: Evidence, module: MetricModule, facts: ReplayFacts) -> None:
        self._evidence, self._module, self._facts = evidence, module, facts
        self._manifest = _manifest_of(evidence)
        self._done: dict[bytes, CarriedOut] = {}

    def carry_out(self, plan: EachCase | AcrossCases | OfReplay) -> CarriedOut:
        if isinstance(plan, OfReplay):
            return CarriedOut(vars(self._facts), {}, {})
        if isinstance(self._manifest, CarriedOut):
            return self._manifest
        key = canonical_json(plan.as_json())
        if key not in self._done:
            self._done[key] = carry_out(self._evidence, self._module, self._manifest, plan)
        return self._done[key]


def _manifest_of(evidence: Evidence) -> Manifest | CarriedOut:
    """The manifest, or what every plan comes to without one."""
    try:
        return read_manifest(evidence)
    except EvidenceLimit as fault:
        returned: Any = Withheld("evaluator_limit")
        return CarriedOut(returned, {}, {"": str(fault)})
    except EvidenceFault as fault:
        return CarriedOut(None, {}, {"": str(fault)})


def decide_nothing(plans: Plans, rubric: Rubric, reason: str) -> ByCode:
    """The leaves of plans where no output counts as evidence: each is 0, for one reason."""
    nodes = {name: rubric.by_id[name].node for name in plans if name in rubric.by_id}
    return ByCode(
        findings={n: Finding(_nothing(rubric, n)) for n, x in nodes.items() if x.how.by == "code"},
        checks={n: False for n, x in nodes.items() if x.check is not None},
        faults={name: {"": reason} for name in plans},
        groups={group.id: False for group in rubric.root.groups},
        gate=None if rubric.root.gate_and_cap is None else (Fraction(0), Fraction(0)),
    )


def _nothing(rubric: Rubric, name: str) -> object:
    node = rubric.by_id[name].node
    return coded_finding(node, None).value
