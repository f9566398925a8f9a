"""`solution/expected.toml`: the exact score of each submission that the author knows."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from referee.metric.rubric.schema import Identifier
from referee.record.model import Frozen
from referee.record.reproduction import Share
from referee.task.model import Name
from referee.task.strict import read_toml

EXPECTED = "solution/expected.toml"


class Expected(Frozen):
    """R as an exact fraction, and what a right judge says of the leaves that it decides."""

    score: Share
    judged: dict[Identifier, Literal[0, 1]] = Field(default_factory=dict)


class ExpectedFile(Frozen):
    """The whole of the file: the reference, submissions that do a part of the work, and submissions
    that look right and are wrong; the latter by the names of their patches."""

    reference: Expected
    partial: dict[Name, Expected] = Field(min_length=1)
    wrong: dict[Name, Expected] = Field(min_length=1)

    @property
    def by_patch(self) -> dict[str, Expected]:
        """Every known submission, by its patch below `solution/` without the suffix."""
        return {
            "reference": self.reference,
            **{f"partial/{name}": told for name, told in self.partial.items()},
            **{f"wrong/{name}": told for name, told in self.wrong.items()},
        }


def read_expected(root: Path) -> ExpectedFile:
    """The expectations of the package at `root`.

    Raises:
        BadInput: the file is missing or not of this form.
    """
    return read_toml(root / EXPECTED, ExpectedFile)
