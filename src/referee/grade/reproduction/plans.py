"""`tests/config/plans.json`: for each leaf that code decides, what is measured, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, RootModel

from referee.evidence.measure import MetricModule
from referee.evidence.plan import AcrossCases, EachCase
from referee.metric.rubric.schema import Identifier
from referee.metric.rubric.tree import Leaf, Rubric
from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.task.reproduction.package import REPLAY_OPERATION
from referee.task.strict import read_json

GATE = "gate_and_cap"
"""The plan whose operation gives `coverage`, `seen` and `planned`."""


class OfReplay(Frozen):
    """What the replay itself says: see `ReplayFacts`."""

    kind: Literal["replay"]


LeafPlan = Annotated[EachCase | AcrossCases | OfReplay, Field(discriminator="kind")]
Plans = Mapping[str, EachCase | AcrossCases | OfReplay]


class _PlansFile(RootModel[dict[Identifier, LeafPlan]]):
    pass


def read_plans(path: Path, rubric: Rubric, module: MetricModule) -> Plans:
    """The plans of a task: one for each leaf that code decides or may fail, one for each evidence
    group, one by the name `gate_and_cap` where the rubric has that; and no other.

    Raises:
        BadInput: the first fault of the file, with the leaf it is about.
    """
    plans = read_json(path, _PlansFile).root
    for name, what in _problems(plans, rubric, module):
        raise BadInput(f"{name}: {what}", where=path)
    return plans


def _problems(plans: Plans, rubric: Rubric, module: MetricModule) -> Iterator[tuple[str, str]]:
    others = other_plans(rubric)
    for name in plans:
        if name not in rubric.by_id and name not in others:
            yield name, "has a plan and is no leaf of the rubric"
    for name in others:
        if (plan := plans.get(name)) is None:
            yield name, "has no plan, and nothing else says how it is answered"
        elif not isinstance(plan, OfReplay):
            yield from ((name, what) for what in _operation_problems(plan, module))
    for leaf in rubric.leaves:
        plan = plans.get(leaf.id)
        if not needs_plan(leaf):
            if plan is not None:
                yield leaf.id, "has a plan, and the judge alone decides it"
        elif plan is None:
            yield leaf.id, "is decided by code and has no plan"
        else:
            yield from ((leaf.id, what) for what in _plan_problems(plan, leaf, module))


def other_plans(rubric: Rubric) -> tuple[str, ...]:
    """What has a plan beside the leaves: evidence groups, and coverage."""
    gate = () if rubric.root.gate_and_cap is None else (GATE,)
    return (*(group.id for group in rubric.root.groups), *gate)


def needs_plan(leaf: Leaf) -> bool:
    """Whether code decides a leaf, or may fail it."""
    return leaf.node.how.by == "code" or leaf.node.check is not None


def _plan_problems(
    plan: EachCase | AcrossCases | OfReplay, leaf: Leaf, module: MetricModule
) -> Iterator[str]:
    operation = REPLAY_OPERATION if isinstance(plan, OfReplay) else plan.operation
    if operation != leaf.node.metric_operation:
        yield f"its plan is about {operation}, and the rubric about {leaf.node.metric_operation}"
    if not isinstance(plan, OfReplay):
        yield from _operation_problems(plan, module)


def _operation_problems(plan: EachCase | AcrossCases, module: MetricModule) -> Iterator[str]:
    operation = plan.operation
    spec = module.operations.get(operation)
    if spec is None:
        yield f"the metric module has no operation {operation}"
        return
    given = set(plan.columns) if isinstance(plan, EachCase) else set(plan.sources)
    if given != set(spec.quantities):
        wanted = ", ".join(sorted(spec.quantities)) or "nothing"
        yield f"{operation} needs {wanted}, and the plan has {', '.join(sorted(given))}"
    if set(plan.context) != set(spec.context):
        wanted = ", ".join(sorted(spec.context)) or "nothing"
        yield f"the context of {operation} must be {wanted}"
