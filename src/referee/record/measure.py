"""The measure of an artifact: one number by a fixed metric, with all that says what it means."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from referee.record.model import Frozen

Finite = Annotated[float, Field(allow_inf_nan=False)]
Better = Literal["lower", "higher"]
Scale = Literal["linear", "log10"]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]
SampleId = Label | int
MOST_SAMPLES = 100_000


class Measured(Frozen):
    """What a scorer reports. `value` is None when there is no finite one; `samples` are the values
    of the single samples in the evaluator's order, None where a sample has none; `ids` name them,
    one each and none twice, where the task says which they are; `components` are
    further aggregates by name; `flags` count what was odd, such as `nonfinite`; `data` names what
    the value rests on, by digest or by a word such as `generated`."""

    value: Finite | None
    samples: Annotated[tuple[Finite | None, ...], Field(max_length=MOST_SAMPLES)]
    ids: Annotated[tuple[SampleId, ...], Field(max_length=MOST_SAMPLES)] = ()
    components: dict[Label, Finite | None] = Field(default_factory=dict)
    flags: dict[Label, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    data: dict[Label, Label] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _each_sample_has_its_own_id(self) -> Measured:
        if self.ids and len(self.ids) != len(self.samples):
            raise ValueError(f"{len(self.ids)} ids name {len(self.samples)} samples")
        shown = [str(one) for one in self.ids]
        if len(set(shown)) != len(shown):
            twice = next(one for n, one in enumerate(shown) if one in shown[:n])
            raise ValueError(f"two samples have the id {twice!r}")
        return self


class Measure(Frozen):
    """The measure in a verdict: what the task locked, and what was reported.

    `valid` says that the artifact kept to its contract; one that did not has no rank, whatever its
    value. `met` says that it is valid and reaches the requirement; None where a task has none.
    `requirement` and `floor` (what the data allow at best) are in `units`.
    """

    name: Label
    units: Label
    scale: Scale
    better: Better
    planned: Annotated[int, Field(gt=0)]
    requirement: Finite | None = None
    floor: Finite | None = None
    reported: Measured | None = None
    valid: bool
    met: bool | None

    @model_validator(mode="after")
    def _nothing_is_not_valid(self) -> Measure:
        if self.valid and self.value is None:
            raise ValueError("an artifact without a value is not valid")
        if (self.met is None) != (self.requirement is None):
            raise ValueError("`met` answers a requirement, and only that")
        if self.met and not (self.valid and reaches(self.value, self.requirement, self.better)):
            raise ValueError("`met` is claimed and does not hold")
        return self

    @property
    def value(self) -> float | None:
        """The reported value; None if there is none."""
        return None if self.reported is None else self.reported.value


def reaches(value: float | None, requirement: float | None, better: Better) -> bool:
    """Whether a value is at least as good as a requirement; never without both."""
    if value is None or requirement is None:
        return False
    return value <= requirement if better == "lower" else value >= requirement
