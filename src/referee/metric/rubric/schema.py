"""`rubric.json` as data: nodes, and how each leaf is decided."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from referee.metric.acceptance import Condition, Pointer
from referee.metric.rubric.exact import Exact, Weight, positive
from referee.record.model import Frozen
from referee.record.reproduction import Category

Identifier = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$", max_length=120)
]
Text = Annotated[str, StringConstraints(min_length=1)]
By = Literal["code", "judge"]


class Binary(Frozen):
    """0 or 1. `by` says who decides: conditions on recomputed values, or the judge."""

    kind: Literal["binary"] = "binary"
    by: By = "judge"


class Units(Frozen):
    """The mean of named units, each 0 or 1."""

    kind: Literal["units"]
    units: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    by: By = "code"

    @field_validator("units")
    @classmethod
    def _differ(cls, units: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(units)) != len(units):
            raise ValueError("a unit is named twice")
        return units


class FiveLevel(Frozen):
    """A judge's grade, snapped to 0, 1/4, 1/2, 3/4 or 1."""

    kind: Literal["five_level"]
    by: Literal["judge"] = "judge"


class Metric(Frozen):
    """A measured number between `floor` (0) and `target` (1), clipped.

    `path` points to the number in what the leaf's metric returned. `source` says where the target
    was published, `alignment` how near the measured quantity is to the published one, such as
    `direct` or `proxy`.
    """

    kind: Literal["metric"]
    path: Pointer = ""
    floor: Exact
    target: Exact
    direction: Literal["higher", "lower"]
    source: Text
    alignment: Text = "direct"
    by: Literal["code"] = "code"

    @model_validator(mode="after")
    def _points_the_right_way(self) -> Metric:
        ahead = self.target > self.floor if self.direction == "higher" else self.target < self.floor
        if not ahead:
            raise ValueError(f"the target is not {self.direction} than the floor")
        return self


Scoring = Annotated[Binary | Units | FiveLevel | Metric, Field(discriminator="kind")]


class FailOnly(Frozen):
    """Conditions that can only fail a leaf; if they hold, the judge decides `manual`."""

    mode: Literal["fail_only"]
    manual: Text


class EvidenceHint(Frozen):
    """Where evidence of a leaf may be found: a hint, never a requirement on names."""

    path: Text
    kind: Literal[
        "source",
        "source_complete",
        "json",
        "csv",
        "sampled_csv",
        "npz",
        "hdf5",
        "data",
        "image",
        "text",
        "log",
        "directory",
    ]
    role: str = ""
    recursive: bool = False


class Node(Frozen):
    """One node of a rubric. What is below `sub_tasks` here belongs to leaves alone.

    `requires` names leaves that must have the full score, or evidence groups that must be met,
    before this leaf can earn anything. `gate` marks a leaf whose failure asks for a review of the
    evidence and changes no other score. `effective_points`, if given, must be a hundred times the
    leaf's share of the whole.
    """

    id: Identifier
    title: str = ""
    requirements: Text
    weight: Weight
    sub_tasks: tuple[Node, ...] = ()
    task_category: Category | None = None
    finegrained_task_category: str | None = None
    scoring: Scoring | None = None
    numeric_checks: tuple[Condition, ...] = ()
    check: FailOnly | None = None
    requires: tuple[Identifier, ...] = ()
    metric_operation: Text | None = None
    evidence_inputs: tuple[EvidenceHint, ...] = ()
    source_qualification_ids: tuple[Identifier, ...] = ()
    gate: bool = False
    effective_points: Exact | None = None
    research_block_id: Text | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no sub-tasks."""
        return not self.sub_tasks

    @property
    def how(self) -> Binary | Units | FiveLevel | Metric:
        """How a leaf is scored: 0 or 1 by the judge if the rubric does not say."""
        return self.scoring or Binary()

    @property
    def deterministic(self) -> bool:
        """Whether code alone decides the leaf."""
        return self.how.by == "code"


class Group(Frozen):
    """A group of evidence that leaves may require; it needs other groups before it."""

    id: Identifier
    requires: tuple[Identifier, ...] = ()


class GateAndCap(Frozen):
    """Coverage gate and science cap of tasks with an embodied run.

    The gate rises from 0 at `coverage_floor` to 1 at `coverage_full`; the score is capped at
    `cap_floor` plus the rest of 1 times the science score, over the Validation leaves that are not
    in `health` (leaves about coverage and behaviour, which say nothing about the science).
    """

    coverage_floor: Exact = positive("0.80")
    coverage_full: Exact = positive("0.95")
    cap_floor: Exact = positive("0.25")
    health: tuple[Identifier, ...] = ()

    @model_validator(mode="after")
    def _is_a_ramp(self) -> GateAndCap:
        if not 0 <= self.coverage_floor < self.coverage_full <= 1:
            raise ValueError("coverage_floor is not below coverage_full, both in 0 to 1")
        if not 0 <= self.cap_floor <= 1:
            raise ValueError("cap_floor is not in 0 to 1")
        return self


class Root(Node):
    """The root of `rubric.json`.

    `weight_semantics` is `percent` where each group of siblings is meant to add up to 100; weights
    are normalised in any case.
    """

    task_id: Text | None = None
    scope_id: Text | None = None
    scope_note: str = ""
    weight_semantics: Literal["relative", "percent"] = "relative"
    groups: tuple[Group, ...] = ()
    gate_and_cap: GateAndCap | None = None
