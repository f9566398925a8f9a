"""Plans: where the quantities of an operation are in a candidate's manifest of observations.

A plan is the task's, not the candidate's. What one case lacks costs that case alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from referee.evidence.binding import Binding
from referee.evidence.fault import EvidenceFault, EvidenceLimit
from referee.evidence.manifest import Manifest, binding_of, checked_entry
from referee.evidence.measure import Measurement, MetricModule, Name, Scalar, measure
from referee.evidence.roots import Evidence
from referee.metric.rubric.leaf import Withheld
from referee.record.fault import Infrastructure
from referee.record.model import Frozen

Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Source(Frozen):
    """Where one quantity is: key and case of an observation, and the logical name of a column."""

    key: Text
    case: Text
    column: Text


class EachCase(Frozen):
    """The operation for each case by itself. `columns` has the logical column of each quantity, and
    `cases` the case of each name under which a result is found."""

    kind: Literal["each_case"]
    operation: Text
    key: Text
    columns: Annotated[dict[Name, Text], Field(min_length=1)]
    cases: Annotated[dict[Text, Text], Field(min_length=1)]
    context: dict[Name, Scalar] = Field(default_factory=dict)


class AcrossCases(Frozen):
    """The operation once, on quantities of any cases."""

    kind: Literal["across_cases"]
    operation: Text
    sources: Annotated[dict[Name, Source], Field(min_length=1)]
    context: dict[Name, Scalar] = Field(default_factory=dict)


Plan = Annotated[EachCase | AcrossCases, Field(discriminator="kind")]


@dataclass(frozen=True)
class CarriedOut:
    """What a plan came to. `returned` goes to the conditions of a leaf: a result, None where the
    candidate left no evidence, or `Withheld`; for each case by its name, or once. `made` has the
    measurements, and `faults` says by name (or under the empty name) why there is none."""

    returned: Any
    made: Mapping[str, Measurement]
    faults: Mapping[str, str]


def carry_out(
    evidence: Evidence, module: MetricModule, manifest: Manifest, plan: Plan
) -> CarriedOut:
    """Measure what a plan asks for.

    Raises:
        KeyError: the module has no such operation, or the operation no such quantity.
    """
    units = {n: q.unit for n, q in module.operations[plan.operation].quantities.items()}
    outcomes = {
        name: _carried(evidence, module, manifest, plan, {q: (s, units[q]) for q, s in of.items()})
        for name, of in _sources(plan).items()
    }
    by_name = {name: outcome.returned for name, outcome in outcomes.items()}
    return CarriedOut(
        returned=by_name[""] if isinstance(plan, AcrossCases) else by_name,
        made={name: o.made for name, o in outcomes.items() if o.made is not None},
        faults={name: o.fault for name, o in outcomes.items() if o.fault is not None},
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    returned: Any
    made: Measurement | None = None
    fault: str | None = None


def _sources(plan: Plan) -> dict[str, dict[str, Source]]:
    if isinstance(plan, AcrossCases):
        return {"": plan.sources}
    return {
        name: {q: Source(key=plan.key, case=case, column=c) for q, c in plan.columns.items()}
        for name, case in plan.cases.items()
    }


def _carried(
    evidence: Evidence,
    module: MetricModule,
    manifest: Manifest,
    plan: Plan,
    sources: Mapping[str, tuple[Source, str]],
) -> _Outcome:
    try:
        bound = _bound(evidence, manifest, sources)
        made = measure(evidence, module, plan.operation, bound, plan.context)
    except EvidenceLimit as fault:
        return _Outcome(Withheld("evaluator_limit"), fault=str(fault))
    except EvidenceFault as fault:
        return _Outcome(None, fault=str(fault))
    except Infrastructure as fault:
        return _Outcome(Withheld(fault.reason), fault=str(fault))
    return _Outcome(made.result, made)


def _bound(
    evidence: Evidence, manifest: Manifest, sources: Mapping[str, tuple[Source, str]]
) -> dict[str, Binding]:
    wanted = {(source.key, source.case) for source, _ in sources.values()}
    entries = {at: checked_entry(evidence, manifest, *at) for at in sorted(wanted)}
    return {
        quantity: binding_of(manifest, entries[source.key, source.case], source.column, unit)
        for quantity, (source, unit) in sources.items()
    }
