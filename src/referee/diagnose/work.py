"""What an artifact agent left as its account of its work, in one form whatever its layout was.

Everything here is the agent's word. A number that the account does not give is None, never a
default: a rule that needs it has nothing to say.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from referee.record.model import Frozen

Split = Literal["train", "val"]
Meaning = Literal["mismatch", "relative", "normalised_absolute", "log10_absolute", "unknown"]


class Approach(Frozen):
    """One model that the agent says it built, with the numbers it gives for it.

    `loss` is the loss on the validation set. `loss_null`: the account has the key and gives no
    number, which is how a failed or non-finite loss is written. `earlier` holds other losses of
    the same approach by their keys, such as those of an earlier metric. `notes` holds every key
    that has no place here, as text.
    """

    name: str
    number: int | None = None
    title: str | None = None
    category: str | None = None
    parameterisation: str | None = None
    mode: str | None = None
    loss: float | None = None
    loss_null: bool = False
    train_loss: float | None = None
    earlier: dict[str, float] = Field(default_factory=dict)
    components: dict[str, float] = Field(default_factory=dict)
    n_params: int | None = None
    n_train: int | None = None
    n_val: int | None = None
    n_terms: int | None = None
    runtime_ms: float | None = None
    train_time_s: float | None = None
    notes: dict[str, str] = Field(default_factory=dict)

    @property
    def words(self) -> str:
        """All that the account says of the approach in words, in lower case."""
        said = (self.name, self.title, self.category, self.parameterisation)
        return " ".join([*(s for s in said if s), *self.notes.values()]).lower()


class PerSample(Frozen):
    """The errors of one approach on one split, one per sample; None where none was given.

    `meaning` is what the task's protocol says these numbers are; whether they are is for the rules.
    `parameters` are numbers of the samples that stand beside the errors, by name.
    """

    approach: str
    split: Split
    values: tuple[float | None, ...]
    meaning: Meaning = "unknown"
    ids: tuple[str, ...] | None = None
    parameters: dict[str, tuple[float, ...]] = Field(default_factory=dict)

    @property
    def present(self) -> tuple[float, ...]:
        """The values that are there."""
        return tuple(v for v in self.values if v is not None)


class Expression(Frozen):
    """A formula that the agent wrote down for one approach."""

    approach: str
    text: str
    loss: float | None = None
    complexity: int | None = None


class WorkRecord(Frozen):
    """The account of one agent at one task.

    `changelog` is None where nobody looked for one and empty where there is none; `files` (path to
    size in bytes) likewise. `sources` are texts of program files by path; `added` are the agent's
    own lines in files that were there before, and `digests` SHA-256 of other files. `stated` are
    numbers that a run summary gives. `agents_named` are the agents that the files themselves name.
    """

    agent: str
    task: str
    approaches: tuple[Approach, ...] = ()
    best: Approach | None = None
    per_sample: tuple[PerSample, ...] = ()
    expressions: tuple[Expression, ...] | None = None
    formula: str | None = None
    changelog: str | None = None
    sources: dict[str, str] = Field(default_factory=dict)
    added: dict[str, str] = Field(default_factory=dict)
    digests: dict[str, str] = Field(default_factory=dict)
    files: dict[str, int] | None = None
    predictions: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    completion: str | None = None
    stated: dict[str, float] = Field(default_factory=dict)
    agents_named: tuple[str, ...] = ()
    notes: dict[str, str] = Field(default_factory=dict)

    def errors_of(self, approach: str, split: Split = "val") -> PerSample | None:
        """The per-sample errors of an approach, or None."""
        return next(
            (p for p in self.per_sample if p.approach == approach and p.split == split), None
        )

    @property
    def best_errors(self) -> PerSample | None:
        """The per-sample validation errors of the best claim, or None."""
        return self.errors_of(self.best.name) if self.best else None

    @property
    def scorecards(self) -> int:
        """How many approaches the agent built: scorecard files where files are known, else rows.

        Rows of a summary may have been trimmed afterwards; scorecard files were not.
        """
        cards = [p for p in self.files or () if p.rsplit("/", 1)[-1] == "scorecard.json"]
        return max(len(cards), len(self.approaches))

    @property
    def losses(self) -> tuple[float, ...]:
        """The validation losses that were given, in the account's order."""
        return tuple(a.loss for a in self.approaches if a.loss is not None)

    @property
    def all_words(self) -> str:
        """Everything that the account says in words, in lower case."""
        parts = [a.words for a in (*self.approaches, *([self.best] if self.best else []))]
        return "\n".join([*parts, (self.changelog or "").lower(), *self.notes.values()])
