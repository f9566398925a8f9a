"""Citations: where the candidate itself says in which unit, or by which convention, data are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from referee.evidence.fault import EvidenceError
from referee.evidence.read import open_arrays
from referee.evidence.roots import Candidate, Evidence
from referee.evidence.units import names_unit, unit_named
from referee.record.model import Frozen

FilePath = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
ArrayName = Annotated[str, StringConstraints(max_length=1024)]


class Attribute(Frozen):
    """A text attribute of an array: in HDF5 an attribute of the dataset, in JSON the text at `key`
    below or beside the value. `array` is the name or pointer."""

    kind: Literal["attribute"]
    root: Candidate
    path: FilePath
    array: ArrayName
    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Quote(Frozen):
    """Words that stand exactly so in a text of the candidate; runs of blanks count as one."""

    kind: Literal["quote"]
    root: Candidate
    path: FilePath
    quote: Annotated[str, StringConstraints(min_length=1)]


Citation = Annotated[Attribute | Quote, Field(discriminator="kind")]


def cited(evidence: Evidence, citation: Citation) -> str:
    """The cited words, as they stand in the candidate's file.

    Raises:
        EvidenceMissing: no such file or attribute.
        EvidenceError: the quote does not stand in the text, or is longer than a quote may be.
        EvidenceLimit: the text is longer than is searched.
    """
    root = evidence.root(citation.root)
    where = root.where(citation.path)
    if isinstance(citation, Attribute):
        with open_arrays(root, citation.path) as arrays:
            return arrays.attribute(citation.array, citation.key)
    limits = root.limits
    quote = " ".join(citation.quote.split())
    if not quote or len(citation.quote) > limits.quote_chars:
        told = f"a quote has 1 to {limits.quote_chars} characters, not {len(citation.quote)}"
        raise EvidenceError(where, told)
    if quote not in " ".join(root.text(citation.path, limits.citation_text).split()):
        raise EvidenceError(where, f"the words {quote[:80]!r} do not stand there")
    return quote


def require_unit(evidence: Evidence, citation: Citation, unit: str) -> None:
    """Refuse a unit that the candidate does not state at the cited place: an attribute must be that
    unit and nothing else, a quote must name it.

    Raises:
        UnitError: the table does not have the unit.
        EvidenceFault: as `cited`, or another unit stands there.
    """
    name, known = unit_named(unit)
    words = cited(evidence, citation)
    if isinstance(citation, Attribute):
        stated = words.strip() in (name, unit, *known.words)
    else:
        stated = names_unit(words, unit)
    if not stated:
        where = evidence.root(citation.root).where(citation.path)
        raise EvidenceError(where, f"{words[:80]!r} does not state the unit {unit}")
