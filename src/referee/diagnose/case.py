"""What a rule looks at: an agent's account, and whatever the trusted side found out by itself.

All but the account is optional. A rule that needs what is not there finds nothing: it never
guesses. These models hold plain numbers, so that a grader can write them beside its verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import Field

from referee.diagnose.tasks import TaskFacts, facts_of
from referee.diagnose.work import WorkRecord
from referee.record.model import Frozen


class Canonical(Frozen):
    """The canonical metric on the full validation set, computed by the trusted side.

    `scores` are per sample; `nonfinite` counts those that had to be replaced. `alternatives` are
    values of other aggregates of the same predictions by name (`referee.diagnose.alternatives`).
    `parameters` are inputs of the samples by name, in the order of `scores`. `coverage` is that of
    a template bank.
    """

    loss: float
    scores: tuple[float, ...] = ()
    nonfinite: int = 0
    alternatives: dict[str, float] = Field(default_factory=dict)
    parameters: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    coverage: float | None = None


class Limit(Frozen):
    """A physical limit that was probed: what came out (None: nothing finite), what must, and how
    near is near enough."""

    value: float | None
    expected: float
    tolerance: float

    @property
    def ok(self) -> bool:
        """The value is near enough."""
        return self.value is not None and abs(self.value - self.expected) <= self.tolerance


class Probes(Frozen):
    """What running the artifact, or reading it on the trusted side, showed; None: not tried.

    Fields are named after what was observed:
    `missing` required parts that are absent; `fault` the class of error on loading or on one
    sample; `constant` the same output for at least three different inputs; `shape_fault` what is
    wrong with shape or dtype; `repeat_difference` the largest relative difference of two runs;
    `saved_bytes` the size of saved models; `stored_floats` floats in saved arrays;
    `expression_difference` the largest relative difference between the formula and predict;
    `trained_files` files that train wrote; `shared_samples` validation samples found in training
    data; `native_grid` predictions are on the reference's own grid; `grid_step` the model's own
    step and `phase_rate` the largest phase rate of the reference on the same scale (radians per
    step unit); `nonfinite` how many predictions were not finite; `conjugate_loss` the canonical
    loss of the complex conjugate; `phase_losses` losses with one phase term removed or flipped;
    `convention_losses` losses with inputs swapped;
    `limits` physical limits by name, `failed_limits` and `failed_form` checks that found a limit or
    the closed form not kept; `peak_time` the largest |t| of an amplitude peak in M;
    `tail_rate` relative difference of the tail's decay rate; `turns` sign changes of the second
    difference in mass ratio and `turns_allowed` how many the reference has; `median_near_extremal`
    and `median_elsewhere` median errors of spins above 0.999 and of the others; `outside_reads` and
    `outside_writes` paths beyond the allowed roots.
    """

    missing: tuple[str, ...] | None = None
    fault: str | None = None
    constant: bool | None = None
    shape_fault: str | None = None
    repeat_difference: float | None = None
    saved_bytes: int | None = None
    stored_floats: int | None = None
    expression_difference: float | None = None
    trained_files: int | None = None
    shared_samples: int | None = None
    native_grid: bool | None = None
    grid_step: float | None = None
    phase_rate: float | None = None
    nonfinite: int | None = None
    conjugate_loss: float | None = None
    phase_losses: dict[str, float] = Field(default_factory=dict)
    convention_losses: dict[str, float] = Field(default_factory=dict)
    limits: dict[str, Limit] = Field(default_factory=dict)
    failed_limits: tuple[str, ...] = ()
    failed_form: tuple[str, ...] = ()
    peak_time: float | None = None
    tail_rate: float | None = None
    turns: int | None = None
    turns_allowed: int | None = None
    median_near_extremal: float | None = None
    median_elsewhere: float | None = None
    outside_reads: tuple[str, ...] | None = None
    outside_writes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Case:
    """One agent's account of one task, and what is known besides.

    `others` are the accounts of other agents at the same task, in which copies are looked for;
    `other_scores` are their canonical scores by agent, where they are known.
    """

    work: WorkRecord
    task: TaskFacts
    canonical: Canonical | None = None
    probes: Probes = field(default_factory=Probes)
    others: tuple[WorkRecord, ...] = ()
    other_scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def case_of(
    work: WorkRecord,
    *,
    task: TaskFacts | None = None,
    canonical: Canonical | None = None,
    probes: Probes | None = None,
    others: tuple[WorkRecord, ...] = (),
    other_scores: Mapping[str, tuple[float, ...]] | None = None,
) -> Case:
    """A case, with the published facts of the task unless others are given.

    Accounts of the same agent or of other tasks are left out of `others`, and the rest are put in
    order of their agents, so that the findings do not depend on the order in which they came.
    """
    rivals = [o for o in others if o.task == work.task and o.agent != work.agent]
    return Case(
        work,
        task or facts_of(work.task),
        canonical,
        probes or Probes(),
        tuple(sorted(rivals, key=lambda o: o.agent)),
        dict(sorted((other_scores or {}).items())),
    )
