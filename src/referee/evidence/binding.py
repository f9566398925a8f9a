"""Bindings: which array of which file stands for a quantity, in which unit, and says who."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StringConstraints, model_validator

from referee.evidence.arrays import ArrayFile, Numbers, finite
from referee.evidence.citation import ArrayName, Citation, FilePath, cited, require_unit
from referee.evidence.fault import EvidenceError, EvidenceMissing
from referee.evidence.read import open_arrays
from referee.evidence.roots import Candidate, Evidence, Root
from referee.evidence.units import UnitError, convert
from referee.record.measure import Finite
from referee.record.model import Frozen

Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Where(Frozen):
    """Rows whose value in a column of the same file equals this text or number."""

    array: ArrayName
    equals: Annotated[str, StringConstraints(max_length=500)] | Finite


class Selection(Frozen):
    """Part of an array: first the rows that satisfy every `where`, then one index for each leading
    axis, None for all of it."""

    where: Annotated[tuple[Where, ...], Field(max_length=8)] = ()
    index: Annotated[tuple[int | None, ...], Field(max_length=8)] = ()


class Binding(Frozen):
    """An array of the candidate as a quantity.

    `unit_evidence` cites where the candidate says that the values are in `source_unit`. A complex
    quantity in two real arrays names the second one as `imaginary_array`, and a part of an array
    is taken by `selection`; each needs its own citation.
    """

    root: Candidate
    path: FilePath
    array: ArrayName
    source_unit: Text
    target_unit: Text
    unit_evidence: Citation
    imaginary_array: ArrayName | None = None
    complex_evidence: Citation | None = None
    selection: Selection | None = None
    selection_evidence: Citation | None = None

    @model_validator(mode="after")
    def _cites_what_it_claims(self) -> Binding:
        if (self.imaginary_array is None) != (self.complex_evidence is None):
            raise ValueError("imaginary_array and complex_evidence go together")
        if (self.selection is None) != (self.selection_evidence is None):
            raise ValueError("selection and selection_evidence go together")
        return self


def bound_array(evidence: Evidence, binding: Binding) -> Numbers:
    """The finite numbers of a binding in its target unit, read only.

    Raises:
        EvidenceMissing: no such file, array, attribute or selected row.
        EvidenceError: the file, the array, a citation or the unit does not hold.
        EvidenceLimit: more than is read.
    """
    root = evidence.root(binding.root)
    where = f"{root.where(binding.path)}#{binding.array}"
    try:
        require_unit(evidence, binding.unit_evidence, binding.source_unit)
        for citation in (binding.complex_evidence, binding.selection_evidence):
            if citation is not None:
                cited(evidence, citation)
        with open_arrays(root, binding.path) as arrays:
            values = _whole(arrays, binding, where, root)
            if binding.selection is not None:
                values = _selected(arrays, values, binding.selection, where, root)
        return convert(values, binding.source_unit, binding.target_unit)
    except UnitError as error:
        raise EvidenceError(where, str(error)) from None


def _whole(arrays: ArrayFile, binding: Binding, where: str, root: Root) -> Numbers:
    values = arrays.numbers(binding.array)
    if binding.imaginary_array is None:
        return values
    imaginary = arrays.numbers(binding.imaginary_array)
    if values.dtype.kind == "c" or imaginary.dtype.kind == "c":
        raise EvidenceError(where, "a part of a complex quantity is complex itself")
    if values.shape != imaginary.shape:
        raise EvidenceError(where, "real and imaginary parts do not have the same shape")
    return finite(where, values + 1j * imaginary, root.limits)


def _selected(
    arrays: ArrayFile, values: Numbers, selection: Selection, where: str, root: Root
) -> Numbers:
    part: NDArray[Any] = values
    if selection.where:
        if not values.ndim:
            raise EvidenceError(where, "is a single number and has no rows")
        part = part[_rows(arrays, selection.where, len(values), where)]
    if len(selection.index) > part.ndim:
        raise EvidenceError(where, f"has {part.ndim} axes, and {len(selection.index)} are indexed")
    for axis, at in enumerate(selection.index):
        if at is not None and not -part.shape[axis] <= at < part.shape[axis]:
            raise EvidenceMissing(where, f"axis {axis} has no index {at}")
    key = tuple(slice(None) if at is None else at for at in selection.index)
    part = np.asarray(part[key])
    if part.size == 0:
        raise EvidenceMissing(where, "no row is selected")
    return finite(where, part, root.limits)


def _rows(
    arrays: ArrayFile, conditions: tuple[Where, ...], count: int, where: str
) -> NDArray[np.bool_]:
    chosen = np.ones(count, dtype=bool)
    for condition in conditions:
        if isinstance(condition.equals, str):
            found = np.array([text == condition.equals for text in arrays.texts(condition.array)])
        else:
            found = np.asarray(arrays.numbers(condition.array) == condition.equals)
        if found.shape != (count,):
            raise EvidenceError(where, f"{condition.array} does not have one value for each row")
        chosen &= found
    return chosen
