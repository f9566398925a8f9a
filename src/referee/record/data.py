"""Which data the scores of a task rest on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from referee.record.model import Frozen

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class DataFacts(Frozen):
    """The data of one task in a run: how many, where they come from, and the digests of the files
    that the agent finds and of those that the evaluator alone has."""

    size: Literal["small", "full", "published"]
    source: Literal["generated", "published"]
    public: Digest
    hidden: Digest

    @property
    def text(self) -> str:
        """For people: `generated (small)`, or `published`."""
        return self.source if self.source == "published" else f"{self.source} ({self.size})"

    def labels(self) -> dict[str, str]:
        """As the `data` of a measure."""
        return {
            "data": self.text,
            "data_public_sha256": self.public,
            "data_hidden_sha256": self.hidden,
        }
